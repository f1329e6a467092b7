/** Returns the hour, 0 to 23, of an `actionhour`, or undefined unless it is exactly `HH:00:00`. Interface, Limits, 'actionhour'. */
export function parseActionHour(text: string): number | undefined {
  return ACTION_HOUR.test(text) ? Number(text.slice(0, 2)) : undefined;
}

const ACTION_HOUR = /^(?:[01][0-9]|2[0-3]):00:00$/;
