/** Explains that a sandbox's clock is manual, so that waiting changes nothing. */
import { formatTime } from '../../text/timezone.ts';
import type { Session } from '../session/session.ts';

/** Returns the lines, or undefined if the service's clock runs. */
export async function standingClockLines(session: Session): Promise<readonly string[] | undefined> {
  const time = await session.standsAt();
  return time === undefined ? undefined : standingClockWords(time, await session.companyZone());
}

/** Returns two lines that can be joined to one sentence. @param time Unix seconds */
export const standingClockWords = (time: number, zone: string): readonly string[] => [
  `The sandbox's clock is manual and stopped at ${formatTime(time, zone, 'table')} (${zone});`,
  'move it with svc sandbox clock advance 10m.',
];
