/**
 * Returns the distance of a moment from now in one unit: `in 3 days`, `2 hours ago`, `now`. It is rounded to the nearest; a month is a
 * twelfth of a year of 365.25 days. Both arguments are in Unix seconds.
 */
import { counted } from './words.ts';
export function distanceOf(time: number, now: number): string {
  const apart = Math.abs(time - now);
  if (!Number.isFinite(apart) || apart < 1) return 'now';
  const step = STEPS.find(({ seconds, most }) => Math.round(apart / seconds) < most);
  const { unit, seconds } = step ?? YEARS;
  const count = Math.round(apart / seconds);
  const words = counted(count, unit);
  return time > now ? `in ${words}` : `${words} ago`;
}

const DAY = 86_400;
const YEARS = { unit: 'year', seconds: 365.25 * DAY } as const;
/** Units with the number up to which each is used. The smaller unit is used up to two of the next unit, because it is more precise. */
const STEPS = [
  { unit: 'second', seconds: 1, most: 60 },
  { unit: 'minute', seconds: 60, most: 60 },
  { unit: 'hour', seconds: 3600, most: 48 },
  { unit: 'day', seconds: DAY, most: 61 },
  { unit: 'month', seconds: YEARS.seconds / 12, most: 24 },
] as const;
