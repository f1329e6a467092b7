/** Computes local times in the company's time zone, including its clock changes. All times are Unix seconds. */
import type { UtcOffsetSpan } from '../sandbox/store/rehearsal.ts';
import { formatTime } from '../text/timezone.ts';

const HOUR = 3600;

/** Returns the offset of the time zone from UTC at this time, in seconds. The offset is positive east of Greenwich. */
export function utcOffsetAt(time: number, zone: string): number {
  const found = / ([+-])([0-9]{2}):([0-9]{2}) \(/.exec(formatTime(time, zone, 'long'));
  if (!found) return 0;
  const [, sign, hours, minutes] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
}

/** Returns the periods between two times in which the time zone's offset from UTC stays the same. The last period has no end. */
export function listUtcOffsetPeriods(from: number, until: number, zone: string): readonly UtcOffsetSpan[] {
  const spans: UtcOffsetSpan[] = [];
  let offset = utcOffsetAt(from, zone);
  for (let time = from; time < until; time += HOUR) {
    const next = utcOffsetAt(time + HOUR, zone);
    if (next === offset) continue;
    spans.push({ until: changeBetween(time, time + HOUR, zone), offset });
    offset = next;
  }
  return [...spans, { until: Number.MAX_SAFE_INTEGER, offset }];
}

/** Returns the time, in Unix seconds, at which the clocks change between two given times. */
function changeBetween(before: number, after: number, zone: string): number {
  const first = utcOffsetAt(before, zone);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcOffsetAt(middle, zone) === first) low = middle;
    else high = middle;
  }
  return high;
}

/** Reports whether the local time at this moment occurs twice, because the clocks go back within three hours of this moment. */
export function isRepeatedLocalTime(time: number, zone: string): boolean {
  const offset = utcOffsetAt(time, zone);
  return [-1, 1].some((direction) => {
    const change = offset - utcOffsetAt(time + direction * 3 * HOUR, zone);
    if (change === 0) return false;
    const twin = time + change;
    return twin !== time && formatTime(twin, zone, 'table') === formatTime(time, zone, 'table');
  });
}

/** Returns the hour of the day in the time zone, 0 to 23. */
export const localHourAt = (time: number, zone: string): number =>
  Number(formatTime(time, zone, 'clock').slice(0, 2));
