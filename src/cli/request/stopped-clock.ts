/** Explains on a terminal that a sandbox's clock is stopped, so that nothing happens while the user waits. */
import { formatTime } from '../../text/timezone.ts';
import type { Session } from '../session/session.ts';

/** Returns lines that say that the sandbox's clock is stopped and how to advance it. Returns undefined if the service's clock runs. */
export async function describeStoppedClock(session: Session): Promise<readonly string[] | undefined> {
  const time = await session.stoppedAt();
  return time === undefined ? undefined : formatStoppedClockLines(time, await session.companyZone());
}

/** Returns the two lines about a stopped clock. Joined, they are one sentence. @param time the clock's time in Unix seconds */
export const formatStoppedClockLines = (time: number, zone: string): readonly string[] => [
  `The sandbox's clock is manual and stopped at ${formatTime(time, zone, 'table')} (${zone});`,
  'move the clock with svc sandbox clock advance 10m.',
];
