/**
 * Reports whether the text is a name of the TZ database that this machine's Intl knows: `Europe/Berlin`, `UTC`. Upper and lower case do not
 * matter. An offset (`+02:00`) is not a zone, because it has no clock changes. Interface, account, `timezone`.
 */
export function isTimezone(zone: string): boolean {
  if (zone.length > MAX_NAME_LENGTH || !NAME.test(zone)) return false;
  if (knownZones.has(zone)) return true;
  try {
    // Throws for a zone that Intl does not know.
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    return false;
  }
  // Spellings in other cases count as well, so the number of names has a limit.
  if (knownZones.size < MAX_ZONES) knownZones.add(zone);
  return true;
}

/** Returns the value if it is the name of a zone that this machine knows, else undefined. An account's `timezone` may be any JSON. */
export const readTimezone = (value: unknown): string | undefined =>
  typeof value === 'string' && isTimezone(value) ? value : undefined;

/**
 * Returns a time in one of five styles: `table` is `2026-12-01 09:00`, `weekday` is `Tue 2026-12-01 09:00 Zone/Name`, `long` is
 * `Tue 2026-12-01 09:00:00 +02:00 (Zone/Name)`, `clock` is `09:00:00`, `iso` is `2026-12-01T09:00:00+02:00`. Seconds and fractions are cut, not rounded. A number beyond the year
 * 275760, which is not a date, is returned unchanged.
 * @param unixSeconds seconds since 1970, fractions allowed
 * @throws RangeError for an unknown zone
 */
export function formatTime(
  unixSeconds: number,
  zone: string,
  style: 'table' | 'weekday' | 'long' | 'clock' | 'iso',
): string {
  const formatter = formatterFor(zone);
  const instant = Math.floor(unixSeconds) * 1000;
  if (Number.isNaN(new Date(instant).getTime())) return String(unixSeconds);
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = Object.fromEntries(
    formatter.formatToParts(instant).map(({ type, value }) => [type, value]),
  );
  const clock = `${part.hour}:${part.minute}:${part.second}`;
  if (style === 'clock') return clock;
  const date = `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`;
  if (style === 'table') return `${date} ${part.hour}:${part.minute}`;
  if (style === 'weekday') return `${part.weekday} ${date} ${part.hour}:${part.minute} ${zone}`;
  const offset = (part.timeZoneName ?? '').replace('GMT', '') || '+00:00';
  if (style === 'iso') return `${date}T${clock}${offset}`;
  return `${part.weekday} ${date} ${clock} ${offset} (${zone})`;
}

/** Returns the local day of a time, as the number of days since 1 January 1970. */
export const localDayNumber = (unixSeconds: number, zone: string): number =>
  Date.parse(`${formatTime(unixSeconds, zone, 'table').slice(0, 10)}T00:00:00Z`) / 86_400_000;

/**
 * Reports whether clocks in both time zones show the same time at the moment `unixSeconds`. A display then needs only one of the two times.
 */
export const haveSameLocalTime = (unixSeconds: number, zone: string, other: string): boolean =>
  formatTime(unixSeconds, zone, 'table') === formatTime(unixSeconds, other, 'table');

/** Zones that Intl accepted. Asking Intl takes 0.2 ms, and the same few zones are checked in every record. */
const knownZones = new Set<string>();
const MAX_ZONES = 1000;
const MAX_NAME_LENGTH = 64;
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

// Creating a formatter takes longer than using it, and a table needs one zone in every row.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  formatters.set(zone, made);
  return made;
}
