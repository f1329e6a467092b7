/** What is said where a sandbox's clock is manual: nothing there happens by waiting. */
import { formatTime } from '../../text/timezone.ts';
import type { Session } from '../session/session.ts';

/** Undefined where the service's clock runs by itself. */
export async function standingClockLines(session: Session): Promise<readonly string[] | undefined> {
  const time = await session.standsAt();
  return time === undefined ? undefined : standingClockWords(time, await session.companyZone());
}

/** Two lines, or one sentence when they are joined. @param time Unix seconds */
export const standingClockWords = (time: number, zone: string): readonly string[] => [
  `The sandbox's clock is manual and stands at ${formatTime(time, zone, 'table')} (${zone});`,
  'svc sandbox clock advance 10m moves it.',
];
