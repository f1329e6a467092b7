/**
 * The hour, 0 to 23, of an `actionhour`; undefined unless it is exactly `HH:00:00`. Interface, Limits,
 * 'actionhour'.
 */
export function parseActionHour(text: string): number | undefined {
  return ACTION_HOUR.test(text) ? Number(text.slice(0, 2)) : undefined;
}

/**
 * `9` → `09:00:00`.
 * @throws RangeError for what is no whole hour from 0 to 23
 */
export function formatActionHour(hour: number): string {
  if (!Number.isInteger(hour) || hour < 0 || hour > 23)
    throw new RangeError(`not an hour of the day: ${hour}`);
  return `${String(hour).padStart(2, '0')}:00:00`;
}

const ACTION_HOUR = /^(?:[01][0-9]|2[0-3]):00:00$/;
