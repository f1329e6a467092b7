/** Durations as people write them, and times relative to now. */
import { formatCountWithNoun } from './words.ts';

/**
 * Reads a duration: `90s`, `10m`, `2h`, `2d` (48 hours), `1w`, `1h30m`, `500ms`, `1.5h`; a number without a unit means seconds. Longer
 * units must come before shorter ones, each at most once. Units may be spelled out (`2 days 3 hours`), and spaces are optional. The
 * contract defines this format (sections 'Flags for attributes', Durations, and 'Forms').
 * @returns seconds, rounded to a millisecond; undefined for any other text, and for more than 100 years
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const bare = text.trim();
  if (BARE_NUMBER.test(bare)) return within(Number(bare));
  let seconds = 0;
  let shortest = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const match of bare.matchAll(NUMBER_WITH_UNIT)) {
    const unit = SECONDS.get(match[2] ?? '');
    if (unit === undefined || unit >= shortest) return undefined;
    seconds += Number(match[1]) * unit;
    shortest = unit;
    end = match.index + match[0].length;
  }
  return end > 0 && end === bare.length ? within(seconds) : undefined;
}

/** Returns why a text is not taken as a duration, as the end of a sentence: `has the unit y, which svc does not know`. */
export function explainInvalidDuration(text: string): string {
  const [part, digits, unit = ''] = /^([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)$/.exec(text.trim()) ?? [];
  if (part === undefined) return 'is not a length of time';
  const seconds = SECONDS.get(unit);
  if (seconds === undefined) return `has the unit ${unit}, which svc does not know`;
  return within(Number(digits) * seconds) === undefined
    ? 'is longer than 100 years'
    : 'is not a length of time';
}

/**
 * Returns a duration for people: `2 days 3 hours`, `1 hour 5 minutes`, `45 seconds`. The result has one unit or two neighbouring units, and
 * is rounded to the smaller unit. Below ten seconds, milliseconds are kept: `0.5 seconds`.
 * @throws RangeError for a number that is not finite
 */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) throw new RangeError(`not a duration: ${seconds}`);
  if (seconds < 0) return `-${formatDuration(-seconds)}`;
  if (seconds < 10) return formatCountWithNoun(Math.round(seconds * 1000) / 1000, 'second');
  const step = NAMED_UNITS.find((unit) => seconds >= unit.seconds)?.roundTo ?? 1;
  const rounded = Math.round(seconds / step) * step;
  const words: string[] = [];
  let rest = rounded;
  for (const unit of NAMED_UNITS) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    if (count > 0) words.push(formatCountWithNoun(count, unit.name));
  }
  return words.join(' ');
}

const MAX_TEXT_LENGTH = 64;
const HUNDRED_YEARS = 100 * 365.25 * 86_400;
const BARE_NUMBER = /^[0-9]+(?:\.[0-9]+)?$/;
const NUMBER_WITH_UNIT = /([0-9]+(?:\.[0-9]+)?)\s*([a-z]+)\s*/gy;
const SECONDS = new Map<string, number>([
  ...spellings(7 * 86_400, 'w', 'week', 'weeks'),
  ...spellings(86_400, 'd', 'day', 'days'),
  ...spellings(3600, 'h', 'hour', 'hours'),
  ...spellings(60, 'm', 'min', 'minute', 'minutes'),
  ...spellings(1, 's', 'sec', 'second', 'seconds'),
  ...spellings(0.001, 'ms', 'millisecond', 'milliseconds'),
]);
export const NAMED_UNITS = [
  { name: 'day', seconds: 86_400, roundTo: 3600 },
  { name: 'hour', seconds: 3600, roundTo: 60 },
  { name: 'minute', seconds: 60, roundTo: 1 },
  { name: 'second', seconds: 1, roundTo: 1 },
] as const;

function spellings(seconds: number, ...names: readonly string[]): [string, number][] {
  return names.map((name) => [name, seconds]);
}

function within(seconds: number): number | undefined {
  return seconds <= HUNDRED_YEARS ? Math.round(seconds * 1000) / 1000 : undefined;
}

/**
 * Returns how far a time is from now: `in 3 days`, `2 hours ago`, `now`. The text has one unit, and its number is rounded. A month is a
 * twelfth of a year of 365.25 days. Both arguments are in Unix seconds.
 */
export function relativeTime(time: number, now: number): string {
  const apart = Math.abs(time - now);
  if (!Number.isFinite(apart) || apart < 1) return 'now';
  const step = STEPS.find(({ seconds, most }) => Math.round(apart / seconds) < most);
  const { unit, seconds } = step ?? YEARS;
  const count = Math.round(apart / seconds);
  const words = formatCountWithNoun(count, unit);
  return time > now ? `in ${words}` : `${words} ago`;
}

const DAY = 86_400;
const YEARS = { unit: 'year', seconds: 365.25 * DAY } as const;
/**
 * Units of `relativeTime`, shortest first. `relativeTime` uses the first unit whose rounded number is less than `most`. Hours are used up
 * to two days, days up to two months, and months up to two years, because the shorter unit is more precise: `30 hours`, not `1 day`.
 */
const STEPS = [
  { unit: 'second', seconds: 1, most: 60 },
  { unit: 'minute', seconds: 60, most: 60 },
  { unit: 'hour', seconds: 3600, most: 48 },
  { unit: 'day', seconds: DAY, most: 61 },
  { unit: 'month', seconds: YEARS.seconds / 12, most: 24 },
] as const;

export const formatRoundedDuration = (seconds: number): string =>
  formatDuration(Math.max(1, Math.round(seconds)));
