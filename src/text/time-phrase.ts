import { DateTime } from 'luxon';
import { parseDuration } from './duration.ts';
import { isTimezone } from './timezone.ts';

/**
 * Result of reading a phrase for a moment. `time` is whole Unix seconds; `note` is for stderr. In a refusal, `reason` is a sentence without
 * a full stop. `instead` is a phrase to type in its place (two, joined by ` or `, for an ambiguous date).
 */
export type TimePhrase =
  | { readonly ok: true; readonly time: number; readonly note?: string }
  | { readonly ok: false; readonly reason: string; readonly instead?: string };

/** Context of a phrase: `now` in Unix seconds, fractions allowed; `zone` a name of the TZ database. */
export type TimeContext = { readonly now: number; readonly zone: string };

/**
 * Reads a time: Unix seconds; ISO 8601 with an offset; `2026-12-01 09:00`, `today 15:00`, `tomorrow 09:00`, `monday 09:00` (the next Monday
 * after today) in the zone; `now`; `+2h` from now. Does not check whether the time is past. Contract, 'Flags for attributes', Times.
 */
export function parseTimePhrase(text: string, context: TimeContext): TimePhrase {
  if (!isTimezone(context.zone))
    return refuse(`"${context.zone.slice(0, 64)}" is not the name of a time zone`);
  const phrase = text.length > LONGEST_PHRASE ? '' : text.trim().toLowerCase();
  const read =
    readNow(phrase, context) ??
    readUnixSeconds(phrase) ??
    readRelative(phrase, context) ??
    readDate(phrase, context) ??
    readDayName(phrase, context) ??
    readSlashed(phrase) ??
    refuse(`"${shorten(text)}" is not a time; ${FORMS}`);
  return read.ok && read.time < 0 ? refuse(`"${shorten(text)}" is before 1970`) : read;
}

type CalendarDate = { readonly year: number; readonly month: number; readonly day: number };
type LocalTime = CalendarDate & {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

const LONGEST_PHRASE = 64;
const FORMS = 'give Unix seconds, 2026-12-01T09:00:00Z, "2026-12-01 09:00", "tomorrow 09:00", +2h or now';
const CLOCK = '([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?';
const OFFSET = '(z|[+-][0-9]{2}(?::?[0-9]{2})?)';
const DATE = new RegExp(`^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[t ] *${CLOCK}(?: ?${OFFSET})?)?$`);
const DAY_NAME = new RegExp(`^([a-z]+)(?: +(?:at +)?${CLOCK})?$`);
const YEAR_FIRST = new RegExp(`^([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})(?:[t ,]+(${CLOCK}))?$`);
const YEAR_LAST = new RegExp(`^([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})(?:[t ,]+(${CLOCK}))?$`);
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

function readNow(phrase: string, { now }: TimeContext): TimePhrase | undefined {
  return phrase === 'now' ? { ok: true, time: Math.floor(now) } : undefined;
}

function readUnixSeconds(phrase: string): TimePhrase | undefined {
  if (!/^[0-9]+$/.test(phrase)) return undefined;
  const unit = tooFineUnit(phrase.length);
  if (unit === undefined) return { ok: true, time: Number(phrase) };
  const seconds = BigInt(phrase) / unit.perSecond;
  return refuse(`${phrase} looks like ${unit.name}; a time is Unix seconds`, String(seconds));
}

function tooFineUnit(digits: number): { readonly name: string; readonly perSecond: bigint } | undefined {
  if (digits < 12) return undefined;
  if (digits < 15) return { name: 'milliseconds', perSecond: 1000n };
  if (digits < 18) return { name: 'microseconds', perSecond: 1_000_000n };
  return { name: 'nanoseconds', perSecond: 1_000_000_000n };
}

function readRelative(phrase: string, { now }: TimeContext): TimePhrase | undefined {
  if (!phrase.startsWith('+')) return undefined;
  const length = phrase.slice(1).trim();
  if (/^[0-9]+$/.test(length)) return refuse(`${phrase} has no unit`, `+${length}s`);
  const seconds = parseDuration(length);
  if (seconds === undefined)
    return refuse(`"${phrase}" is not a length of time; give +90s, +10m, +2h, +2d or +1w`);
  // Rounded up, so that +2m is never less than the two minutes that a schedule must be ahead.
  return { ok: true, time: Math.ceil(now + seconds) };
}

function readDate(phrase: string, context: TimeContext): TimePhrase | undefined {
  const match = DATE.exec(phrase);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, offset] = match;
  const date = dateOf(year, month, day);
  const fault = faultOfDate(date);
  if (fault !== undefined) return refuse(fault);
  if (date.year < 1970) return refuse(`${phrase} is before 1970`);
  if (hour === undefined) return refuse(`${phrase} has no time of day`, `${phrase} 00:00`);
  const local = withClock(date, hour, minute, second);
  if (local === undefined) return refuseClock(hour, minute, second);
  return offset === undefined ? resolveLocal(local, context.zone) : atOffset(local, offset);
}

function readDayName(phrase: string, context: TimeContext): TimePhrase | undefined {
  const match = DAY_NAME.exec(phrase);
  if (match === null) return undefined;
  const [, name = '', hour, minute, second] = match;
  const today = DateTime.fromSeconds(context.now, { zone: context.zone });
  const daysAhead = daysUntil(name, today.weekday);
  if (daysAhead === undefined) return undefined;
  if (hour === undefined) return refuse(`"${phrase}" has no time of day`, `${name} 09:00`);
  const { year, month, day } = today.plus({ days: daysAhead });
  const local = withClock({ year, month, day }, hour, minute, second);
  if (local === undefined) return refuseClock(hour, minute, second);
  const read = resolveLocal(local, context.zone);
  if (!read.ok || daysAhead !== 7) return read;
  const weekday = capitalised(today.weekday);
  const note = `today is ${weekday}: took ${describe(local)}, a week from now; "today" means today`;
  return { ...read, note: read.note === undefined ? note : `${note}; ${read.note}` };
}

/** Returns the days until a weekday. A weekday is never today, so that nothing is sent a week too early. */
function daysUntil(name: string, weekdayNow: number): number | undefined {
  if (name === 'today') return 0;
  if (name === 'tomorrow') return 1;
  const index = WEEKDAYS.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name);
  return index < 0 ? undefined : ((index + 1 - weekdayNow + 6) % 7) + 1;
}

function capitalised(weekday: number): string {
  const name = WEEKDAYS[weekday - 1] ?? '';
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function readSlashed(phrase: string): TimePhrase | undefined {
  const yearFirst = YEAR_FIRST.exec(phrase);
  if (yearFirst !== null) {
    const [, year, month, day, clock = '00:00'] = yearFirst;
    const date = dateOf(year, month, day);
    const instead = faultOfDate(date) === undefined ? `${isoDate(date)} ${clock}` : undefined;
    return refuseSlashed(phrase, instead);
  }
  const yearLast = YEAR_LAST.exec(phrase);
  if (yearLast === null) return /^[0-9]+\/[0-9]/.test(phrase) ? refuseSlashed(phrase) : undefined;
  const [, first, second, year, clock = '00:00'] = yearLast;
  const dayFirst = dateOf(year, second, first);
  const monthFirst = dateOf(year, first, second);
  const readings = [dayFirst, monthFirst].filter((date) => faultOfDate(date) === undefined);
  const days = [...new Set(readings.map((date) => `${date.day} ${MONTHS[date.month - 1]} ${date.year}`))];
  const instead = [...new Set(readings.map((date) => `${isoDate(date)} ${clock}`))].join(' or ');
  if (days.length < 2) return refuseSlashed(phrase, instead === '' ? undefined : instead);
  return refuse(`"${phrase}" is ambiguous: ${days.join(' or ')}`, instead);
}

function refuseSlashed(phrase: string, instead?: string): TimePhrase {
  return refuse(
    `"${phrase}": the order of day and month is ambiguous in such dates; write 2026-12-01`,
    instead,
  );
}

function dateOf(year = '', month = '', day = ''): CalendarDate {
  return { year: Number(year), month: Number(month), day: Number(day) };
}

function faultOfDate({ year, month, day }: CalendarDate): string | undefined {
  if (month < 1 || month > 12) return `there is no month ${month}`;
  const days = DateTime.utc(year, month).daysInMonth ?? 0;
  if (day >= 1 && day <= days) return undefined;
  return `there is no day ${day} in ${MONTHS[month - 1]} ${year}: it has ${days}`;
}

function withClock(date: CalendarDate, hour: string, minute = '0', second = '0'): LocalTime | undefined {
  const local = { ...date, hour: Number(hour), minute: Number(minute), second: Number(second) };
  return local.hour < 24 && local.minute < 60 && local.second < 60 ? local : undefined;
}

function refuseClock(hour: string, minute = '00', second?: string): TimePhrase {
  const clock = second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
  return refuse(`there is no time of day ${clock}; it goes from 00:00 to 23:59:59`);
}

function atOffset(local: LocalTime, offset: string): TimePhrase {
  const digits = offset.replace(/[^0-9]/g, '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  if (minutes > 14 * 60 || Number(digits.slice(2)) > 59)
    return refuse(`there is no offset ${offset} from UTC`);
  return { ok: true, time: utcSeconds(local) - (offset.startsWith('-') ? -minutes : minutes) * 60 };
}

/** Returns the moment at which a local clock in `zone` shows `local`. If there are two, it returns the first. */
function resolveLocal(local: LocalTime, zone: string): TimePhrase {
  const resolved = DateTime.fromObject(local, { zone });
  if (localSecondsAt(resolved.toSeconds(), zone) !== utcSeconds(local)) {
    const next = firstAfterGap(local, zone);
    return refuse(`${describe(local)} does not exist in ${zone}: the clock is put forward over it`, next);
  }
  const moments = resolved.getPossibleOffsets().sort((a, b) => a.toSeconds() - b.toSeconds());
  const first = moments[0] ?? resolved;
  const time = first.toSeconds();
  if (moments.length < 2) return { ok: true, time };
  const offsets = moments.map((moment) => moment.toFormat('ZZ'));
  const twice = `${describe(local)} exists twice in ${zone} (${offsets.join(' and ')})`;
  return { ok: true, time, note: `${twice}: took the first, ${offsets[0]}` };
}

/**
 * Returns the first local time after the gap, by bisection. Offsets lie between -12 and +14 hours, so it is within 15 hours of the same
 * time in UTC.
 */
function firstAfterGap(local: LocalTime, zone: string): string {
  const wanted = utcSeconds(local);
  let before = wanted - 15 * 3600;
  let after = wanted + 15 * 3600;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localSecondsAt(middle, zone) < wanted) before = middle;
    else after = middle;
  }
  return describe(DateTime.fromSeconds(after, { zone }));
}

function localSecondsAt(time: number, zone: string): number {
  return time + DateTime.fromSeconds(time, { zone }).offset * 60;
}

function utcSeconds({ year, month, day, hour, minute, second }: LocalTime): number {
  return DateTime.utc(year, month, day, hour, minute, second).toSeconds();
}

function describe(local: LocalTime): string {
  const seconds = local.second === 0 ? '' : `:${twoDigits(local.second)}`;
  return `${isoDate(local)} ${twoDigits(local.hour)}:${twoDigits(local.minute)}${seconds}`;
}

function isoDate({ year, month, day }: CalendarDate): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function refuse(reason: string, instead?: string): TimePhrase {
  return instead === undefined ? { ok: false, reason } : { ok: false, reason, instead };
}

function shorten(text: string): string {
  return text.length > LONGEST_PHRASE ? `${text.slice(0, LONGEST_PHRASE)}…` : text;
}
