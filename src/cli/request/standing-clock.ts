/** Explains that a sandbox's clock is manual, so that waiting changes nothing. */
import { formatTime } from '../../text/timezone.ts';
import type { Session } from '../session/session.ts';

/** Returns lines that say that the sandbox's clock is stopped and how to advance it. Returns undefined if the service's clock runs. */
export async function standingClockLines(session: Session): Promise<readonly string[] | undefined> {
  const time = await session.standsAt();
  return time === undefined ? undefined : standingClockWords(time, await session.companyZone());
}

/** Returns the two lines about a stopped clock. Joined, they are one sentence. @param time the clock's time in Unix seconds */
export const standingClockWords = (time: number, zone: string): readonly string[] => [
  `The sandbox's clock is manual and stopped at ${formatTime(time, zone, 'table')} (${zone});`,
  'move it with svc sandbox clock advance 10m.',
];
