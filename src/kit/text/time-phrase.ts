import { DateTime } from 'luxon';
import { DAY_NAMES, MONTHS } from './calendar.ts';
import { explainInvalidDuration, parseDuration } from './duration.ts';
import { suggestTimePhrase } from './suggest-time.ts';
import { isTimezone } from './timezone.ts';
import { capitalizeFirstLetter } from './words.ts';

/**
 * Reason why a phrase does not name a time. `reason` has no full stop. `instead` is a phrase that the user can type, or two phrases joined
 * by ` or ` if a date is ambiguous.
 */
export type TimePhraseFault = { readonly ok: false; readonly reason: string; readonly instead?: string };

/** Result of parsing a time phrase. `time` is in whole Unix seconds; `note` is for stderr. */
type ParsedTime = { readonly ok: true; readonly time: number; readonly note?: string } | TimePhraseFault;

/**
 * Current time and time zone, which decide what a time phrase means. `now` is in Unix seconds, with fractions; `zone` is a name of the TZ
 * database.
 */
type TimeContext = { readonly now: number; readonly zone: string; readonly acceptsNow?: boolean };

/** A time phrase whose words are valid. The caller computes its time later with `at`, once the current time and the time zone are known. */
interface TimePhraseResolver {
  readonly ok: true;
  /** Parts of the context that `at` uses. `nothing`: no part. `now`: only the current time. `zone`: the current time and the time zone. */
  readonly needs: 'nothing' | 'now' | 'zone';
  /**
   * Returns the time. Returns a fault if the phrase does not name exactly one time: if the clocks go forward and skip this time, or if the
   * phrase could mean two days.
   */
  readonly at: (context: TimeContext) => ParsedTime;
}

/**
 * Reads a time: Unix seconds; ISO 8601 with an offset; `2026-12-01 09:00`, `25.12.2026 09:00`, `today 15:00`, `tomorrow 9am`, `friday
 * 09:00`, `next monday 08:00` and `09:00` (the next one) in the time zone of the context; `now`; `+2h` and `in 3 hours` from now. Does not
 * check whether the time is past. Contract, 'Flags for attributes' and 'The everyday screen', Times.
 */
export function parseTimePhrase(text: string, context: TimeContext): ParsedTime {
  const words = compileTimePhrase(text, { ...context, acceptsNow: true });
  return words.ok ? words.at(context) : words;
}

/**
 * Parses a time phrase without computing its time.
 * @param here present time and time zone, which are used only for suggestions
 */
export function compileTimePhrase(text: string, here: TimeContext): TimePhraseResolver | TimePhraseFault {
  const phrase = text.length > MAX_PHRASE_LENGTH ? '' : text.trim().toLowerCase().replace(/ +/g, ' ');
  const words = readPhrase(phrase, here);
  if (words === undefined) {
    const { year } = DateTime.fromSeconds(here.now, { zone: here.zone });
    const near = suggestTimePhrase(phrase, year, (each) => isTime(readPhrase(each, here), here));
    return refuse(`"${shorten(text)}" is not a time; ${FORMS}${here.acceptsNow ? ' or now' : ''}`, near);
  }
  if (!words.ok) return words;
  const at = (context: TimeContext): ParsedTime => {
    const { zone } = context;
    if (!isTimezone(zone)) return refuse(`"${zone.slice(0, 64)}" is not the name of a time zone`);
    const read = words.at(context);
    return read.ok && read.time < 0 ? refuse(`"${shorten(text)}" is before 1970`) : read;
  };
  return { ...words, at };
}

/** Reports whether a time depends on the present, as `monday 09:00` does. Unix seconds and dates with a year do not. */
export const isRelativeTime = (phrase: string): boolean =>
  !/^\s*([0-9]+\s*$|[0-9]{4}[-/.]|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})/.test(phrase);

type Words = TimePhraseResolver | TimePhraseFault | undefined;

const isTime = (words: Words, here: TimeContext): boolean => words?.ok === true && words.at(here).ok;

function readPhrase(phrase: string, here: TimeContext): Words {
  return (
    readNow(phrase) ??
    readUnixSeconds(phrase) ??
    readRelative(phrase) ??
    readDate(phrase) ??
    readDay(phrase, here)
  );
}

const moment = (time: number): ParsedTime => ({ ok: true, time });
const wordsFor = (needs: TimePhraseResolver['needs'], at: TimePhraseResolver['at']): TimePhraseResolver => ({
  ok: true,
  needs,
  at,
});

type CalendarDate = { readonly year: number; readonly month: number; readonly day: number };
type DayTime = { readonly hour: number; readonly minute: number; readonly second: number };
type LocalTime = CalendarDate & DayTime;

const MAX_PHRASE_LENGTH = 64;
const FORMS =
  'give "2026-12-01 09:00", "friday 9am", "tomorrow 09:00", "in 3 hours", +2h, Unix seconds, 2026-12-01T09:00:00Z';
const CLOCK = '([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?';
const OFFSET = '(z|[+-][0-9]{2}(?::?[0-9]{2})?)';
const DATE = new RegExp(`^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[t ] *${CLOCK}(?: ?${OFFSET})?)?$`);
const CLOCK_OF_DAY = new RegExp(`^${CLOCK}(?: ?([ap])m)?$|^([0-9]{1,2}) ?([ap])m$`);
const SECONDS = '(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?';
const CLOCK_WORDS = `[0-9]{1,2}:[0-9]{2}${SECONDS}(?: ?[ap]m)?|[0-9]{1,2} ?[ap]m`;
const DAY_THEN_CLOCK = new RegExp(`^(?:(?!at )(.*?)(?:, ?| |(?<=[0-9])t))?(?:at )?(${CLOCK_WORDS})$`);
const CLOCK_THEN_DAY = new RegExp(`^(${CLOCK_WORDS}) (?:on )?([a-z].*)$`);
const ISO_DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const DAY_NAME = /^(?:on )?(next )?([a-z]+)$/;
const YEAR_FIRST = /^([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})$/;
const YEAR_LAST = /^([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})$/;

const readNow = (phrase: string): Words =>
  phrase === 'now' ? wordsFor('now', ({ now }) => moment(Math.floor(now))) : undefined;

function readUnixSeconds(phrase: string): Words {
  if (!/^[0-9]+$/.test(phrase)) return undefined;
  const unit = tooFineUnit(phrase.length);
  if (unit === undefined) return wordsFor('nothing', () => moment(Number(phrase)));
  const seconds = BigInt(phrase) / unit.perSecond;
  return refuse(`${phrase} looks like ${unit.name}; use Unix seconds`, String(seconds));
}

function tooFineUnit(digits: number): { readonly name: string; readonly perSecond: bigint } | undefined {
  if (digits < 12) return undefined;
  if (digits < 15) return { name: 'milliseconds', perSecond: 1000n };
  if (digits < 18) return { name: 'microseconds', perSecond: 1_000_000n };
  return { name: 'nanoseconds', perSecond: 1_000_000_000n };
}

function readRelative(phrase: string): Words {
  const length = /^(?:\+|in )(.*)$/.exec(phrase)?.[1]?.trim();
  if (length === undefined) return undefined;
  if (/^[0-9]+$/.test(length))
    return refuse(`${phrase} has no unit`, phrase.startsWith('+') ? `+${length}s` : `in ${length} hours`);
  const seconds = parseDuration(length);
  if (seconds === undefined)
    return refuse(`"${phrase}" ${explainInvalidDuration(length)}; give +90s, +10m, +2h, +2d or +1w`);
  // Rounded up, so that +2m is never less than the two minutes that a schedule must be ahead.
  return wordsFor('now', ({ now }) => moment(Math.ceil(now + seconds)));
}

function readDate(phrase: string): Words {
  const match = DATE.exec(phrase);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, offset] = match;
  const date = dateOf(year, month, day);
  const fault = faultOfDate(date);
  if (fault !== undefined) return refuse(fault);
  if (date.year < 1970) return refuse(`${phrase} is before 1970`);
  if (hour === undefined) return withoutClock(phrase);
  const time = dayTime(hour, minute, second);
  if (time === undefined) return refuseClock(hour, minute, second);
  const local = { ...date, ...time };
  return offset === undefined
    ? wordsFor('zone', ({ zone }) => resolveLocal(local, zone))
    : atOffset(local, offset);
}

/**
 * Reads a phrase that names a day and a time of day, in either order: `friday 9am`. The phrase can also be a time of day alone. For a day
 * without a time of day, returns a fault. Returns undefined for a phrase in another form.
 */
function readDay(phrase: string, here: TimeContext): Words {
  const after = DAY_THEN_CLOCK.exec(phrase);
  const before = after ? null : CLOCK_THEN_DAY.exec(phrase);
  const [day = '', clock] = after
    ? [after[1], after[2]]
    : before
      ? [before[2], before[1]]
      : [phrase, undefined];
  if (day === '' && clock !== undefined) return readNextClock(clock);
  return readDayName(day, clock, here) ?? readIsoDay(day, clock) ?? readSlashed(day, clock);
}

/**
 * Reads a phrase that is only a time of day, such as `9am`. Returns a resolver, whose method `at` returns the next moment with this local
 * time. Returns a fault if the time of day is invalid.
 */
const readNextClock = (clock: string): Words =>
  atClock(clock, (time, context) => {
    const today = onDay(context, 0, time);
    const read = today.ok && today.time > context.now ? today : onDay(context, 1, time);
    return noted(read, context, (taken) => `took ${taken}, the next ${clock}`);
  });

function readDayName(day: string, clock: string | undefined, here: TimeContext): Words {
  const [, next, name = ''] = DAY_NAME.exec(day) ?? [];
  if (daysUntil(name, here) === undefined) return undefined;
  if (clock === undefined) {
    if (name !== 'today') return withoutClock(day);
    const { hour } = DateTime.fromSeconds(here.now, { zone: here.zone });
    return withoutClock(day, `${String(Math.min(23, Math.max(9, hour + 1))).padStart(2, '0')}:00`);
  }
  const isWeekday = name !== 'today' && name !== 'tomorrow';
  if (next !== undefined && !isWeekday) return undefined;
  return atClock(clock, (time, context) => {
    const daysAhead = daysUntil(name, context) ?? 0;
    if (next !== undefined) return onNext(day, daysAhead, time, context);
    const read = onDay(context, daysAhead, time);
    if (!isWeekday || daysAhead > 0) return read;
    // Contract, "The everyday screen": a weekday said on that day is today where the time is still ahead, else a week later.
    const isAhead = read.ok && read.time > context.now;
    const taken = isAhead ? read : onDay(context, 7, time);
    const today = capitalizeFirstLetter(DAY_NAMES.find((each) => each.startsWith(name)) ?? name);
    const when = isAhead ? 'today' : 'a week from now';
    return noted(taken, context, (said) => `today is ${today}: took ${said}, ${when}`);
  });
}

/** Adds a note to the time, which says which day was chosen. If the time has a note already, the new note comes first. */
function noted(read: ParsedTime, { zone }: TimeContext, words: (taken: string) => string): ParsedTime {
  if (!read.ok) return read;
  const note = words(describe(DateTime.fromSeconds(read.time, { zone })));
  return { ...read, note: read.note === undefined ? note : `${note}; ${read.note}` };
}

/**
 * Returns the time of a phrase such as `next friday`. Refuses the phrase if this week's Friday is still to come, because the phrase could
 * mean either Friday.
 */
function onNext(day: string, daysAhead: number, time: DayTime, context: TimeContext): ParsedTime {
  const { weekday } = DateTime.fromSeconds(context.now, { zone: context.zone });
  if (daysAhead === 0) return onDay(context, 7, time);
  if (weekday + daysAhead > 7) return onDay(context, daysAhead, time);
  const readings = [daysAhead, daysAhead + 7].map((days) => ({ ...dayAfter(context, days), ...time }));
  return refuse(
    `"${day}" is ambiguous: ${readings.map(isoDate).join(' or ')}`,
    readings.map(describe).join(' or '),
  );
}

const onDay = (context: TimeContext, days: number, time: DayTime): ParsedTime =>
  resolveLocal({ ...dayAfter(context, days), ...time }, context.zone);

function dayAfter({ now, zone }: TimeContext, days: number): CalendarDate {
  const { year, month, day } = DateTime.fromSeconds(now, { zone }).plus({ days });
  return { year, month, day };
}

/** Returns the number of days until the named day; 0 for today. Returns undefined if the word is not the name of a day. */
function daysUntil(name: string, { now, zone }: TimeContext): number | undefined {
  if (name === 'today') return 0;
  if (name === 'tomorrow') return 1;
  const index = DAY_NAMES.findIndex((weekday) => weekday === name || weekday.slice(0, 3) === name);
  return index < 0 ? undefined : (index + 1 - DateTime.fromSeconds(now, { zone }).weekday + 7) % 7;
}

/**
 * Reads an ISO date with a time of day on a 12-hour clock, such as `2026-12-01 9am`. `readDate` reads dates with a time on a 24-hour clock.
 */
function readIsoDay(day: string, clock: string | undefined): Words {
  const [, year, month, ofMonth] = ISO_DATE.exec(day) ?? [];
  if (year === undefined || clock === undefined) return undefined;
  const date = dateOf(year, month, ofMonth);
  const fault = faultOfDate(date);
  return fault === undefined ? onDate(day, date, clock) : refuse(fault);
}

/**
 * Reads a date such as 25.12.2026 or 25/12/2026, in which only the first number can be the day. Refuses other dates of this form, because
 * it is unknown whether the day or the month comes first.
 */
function readSlashed(day: string, clock: string | undefined): Words {
  const phrase = clock === undefined ? day : `${day} ${clock}`;
  const time = dayTimeOf(clock ?? '09:00');
  const shown = 'fault' in time ? '09:00' : describeTime(time);
  const yearFirst = YEAR_FIRST.exec(day);
  if (yearFirst !== null) {
    const [, year, month, ofMonth] = yearFirst;
    const date = dateOf(year, month, ofMonth);
    const instead = faultOfDate(date) === undefined ? `${isoDate(date)} ${shown}` : undefined;
    return refuseSlashed(phrase, instead);
  }
  const yearLast = YEAR_LAST.exec(day);
  if (yearLast === null) return /^[0-9]+\/[0-9]/.test(day) ? refuseSlashed(phrase) : undefined;
  const [, first, second, year] = yearLast;
  const dayFirst = dateOf(year, second, first);
  const monthFirst = dateOf(year, first, second);
  if (dayFirst.day > 12 && faultOfDate(dayFirst) === undefined)
    return clock === undefined ? withoutClock(day) : onDate(day, dayFirst, clock);
  const readings = [dayFirst, monthFirst].filter((date) => faultOfDate(date) === undefined);
  const days = [...new Set(readings.map((date) => `${date.day} ${MONTHS[date.month - 1]} ${date.year}`))];
  const instead = [...new Set(readings.map((date) => `${isoDate(date)} ${shown}`))].join(' or ');
  if (days.length < 2) return refuseSlashed(phrase, instead === '' ? undefined : instead);
  return refuse(`"${phrase}" is ambiguous: ${days.join(' or ')}`, instead);
}

function refuseSlashed(phrase: string, instead?: string): TimePhraseFault {
  return refuse(
    `"${phrase}": the order of day and month is ambiguous in such dates; write 2026-12-01`,
    instead,
  );
}

/**
 * Returns the fault for a phrase that names a day but no time of day. The fault suggests the time of day `clock`, which is in office hours
 * and never midnight.
 */
const withoutClock = (day: string, clock = '09:00'): TimePhraseFault =>
  refuse(`"${day}" has no time of day`, `${day} ${clock}`);

function onDate(day: string, date: CalendarDate, clock: string): Words {
  if (date.year < 1970) return refuse(`"${day} ${clock}" is before 1970`);
  return atClock(clock, (time, { zone }) => resolveLocal({ ...date, ...time }, zone));
}

/**
 * Reads a time of day.
 * @param toTime returns the moment on the wanted day at which clocks show this time
 */
function atClock(clock: string, toTime: (time: DayTime, context: TimeContext) => ParsedTime): Words {
  const time = dayTimeOf(clock);
  return 'fault' in time ? refuse(time.fault) : wordsFor('zone', (context) => toTime(time, context));
}

function dayTimeOf(clock: string): DayTime | { readonly fault: string } {
  const [, hour, minute = '0', second = '0', half, hourAlone, halfAlone] = CLOCK_OF_DAY.exec(clock) ?? [];
  const [given = hourAlone ?? '', letter = halfAlone] = [hour, half];
  const number = Number(given);
  const isTwelve = letter !== undefined;
  const fault = `there is no time of day ${clock}; times go from ${isTwelve ? '1am to 12pm' : '00:00 to 23:59:59'}`;
  if (given === '' || (isTwelve && (number < 1 || number > 12))) return { fault };
  const hours = isTwelve ? (number % 12) + (letter === 'p' ? 12 : 0) : number;
  return dayTime(String(hours), minute, second) ?? { fault };
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

function dayTime(hour: string, minute = '0', second = '0'): DayTime | undefined {
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  return time.hour < 24 && time.minute < 60 && time.second < 60 ? time : undefined;
}

function refuseClock(hour: string, minute = '00', second?: string): TimePhraseFault {
  const clock = second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
  return refuse(`there is no time of day ${clock}; times go from 00:00 to 23:59:59`);
}

function atOffset(local: LocalTime, offset: string): Words {
  const digits = offset.replace(/[^0-9]/g, '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  if (minutes > 14 * 60 || Number(digits.slice(2)) > 59)
    return refuse(`there is no offset ${offset} from UTC`);
  const time = utcSeconds(local) - (offset.startsWith('-') ? -minutes : minutes) * 60;
  return wordsFor('nothing', () => moment(time));
}

/** Returns the time at which clocks in `zone` show `local`. If clocks go back and show `local` twice, returns the earlier time. */
function resolveLocal(local: LocalTime, zone: string): ParsedTime {
  const resolved = DateTime.fromObject(local, { zone });
  if (localSecondsAt(resolved.toSeconds(), zone) !== utcSeconds(local)) {
    const next = firstAfterGap(local, zone);
    return refuse(
      `${describe(local)} does not exist in ${zone}: the clocks go forward and skip that time`,
      next,
    );
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
 * Returns the first valid local time after a gap, which clocks skip when they are set forward. Searches 15
 * hours before and after the UTC time with the same digits, because time zones are between 12 hours behind
 * and 14 hours ahead of UTC.
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

const describe = (local: LocalTime): string => `${isoDate(local)} ${describeTime(local)}`;

const describeTime = ({ hour, minute, second }: DayTime): string =>
  [hour, minute, ...(second === 0 ? [] : [second])].map(twoDigits).join(':');

function isoDate({ year, month, day }: CalendarDate): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function refuse(reason: string, instead?: string): TimePhraseFault {
  return instead === undefined ? { ok: false, reason } : { ok: false, reason, instead };
}

function shorten(text: string): string {
  return text.length > MAX_PHRASE_LENGTH ? `${text.slice(0, MAX_PHRASE_LENGTH)}…` : text;
}
