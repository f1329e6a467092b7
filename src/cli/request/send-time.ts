/** Checks the time of a send: refuses an unsafe time, prints the time, and checks it again before each attempt to send the request. */
import type { Finding } from '../../schema/resource.ts';
import {
  findSendTimeFault,
  SEND_TIME_MARGINS,
  type SendTimeMargins,
  sendTimeSummary,
} from '../../sends/send-time.ts';
import { formatDuration } from '../../text/duration.ts';
import { formatTime } from '../../text/timezone.ts';
import { CliError, InvalidInputError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Session } from '../session/session.ts';

/**
 * Returns a finding if `time` is too early for a send, by the service's clock or by this machine's clock. docs/wire.md ("Authentication,
 * where open") says why svc checks both clocks. If `time` is too early only by this machine's clock, the finding says so. Returns undefined
 * if `time` is not too early.
 * @param time time of the send, in Unix seconds
 * @param laterClockTime current time in Unix seconds, by the service's clock or by this machine's clock, whichever is later
 * @param minSecondsAhead minimum number of seconds from `laterClockTime` to `time`
 */
export async function findSendTimeFaultByBothClocks(
  session: Session,
  attribute: string,
  time: number,
  laterClockTime: number,
  minSecondsAhead?: number,
): Promise<Finding | undefined> {
  const fault = findSendTimeFault(attribute, time, laterClockTime, minSecondsAhead);
  if (!fault) return undefined;
  const service = await session.serviceNow();
  if (laterClockTime <= service || findSendTimeFault(attribute, time, service, minSecondsAhead)) return fault;
  const ahead = formatDuration(Math.round(laterClockTime - service));
  return {
    ...fault,
    reason: `${fault.reason}, measured by this machine's clock, which is ${ahead} ahead of the service's clock`,
  };
}

/**
 * Refuses a send time (in Unix seconds) that is too early by the service's clock or by this machine's clock. Prints an accepted send time
 * on stderr.
 * @param hold seconds of the countdown that `--hold` requests, or 0 without a countdown. A send time after the countdown must be at least
 * `minSecondsAhead` seconds from now. A send time during the countdown, or at its end, must be at least 60 seconds from now. This is
 * enough, because the user can cancel the send during the countdown.
 * @returns a check to run before each attempt of the request. The check throws if a late retry would send immediately.
 */
export async function checkSendTimeAndCreateRecheck(
  session: Session,
  attribute: string,
  time: number,
  { minSecondsAhead, minSecondsLeftAtRequest }: SendTimeMargins = SEND_TIME_MARGINS,
  hold = 0,
): Promise<() => Promise<void>> {
  const latest = await session.latestNow();
  const least = time - latest <= hold ? 60 : minSecondsAhead;
  const finding = await findSendTimeFaultByBothClocks(session, attribute, time, latest, least);
  if (finding) throw new InvalidInputError([finding]);
  await printSendTime(session, time, latest);
  return async () => {
    if (time - (await session.latestNow()) >= minSecondsLeftAtRequest) return;
    const left = minSecondsLeftAtRequest === 60 ? 'a minute' : formatDuration(minSecondsLeftAtRequest);
    throw new CliError(
      'too-late',
      `${attribute} ${formatTime(time, 'UTC', 'table')} UTC is too soon: it is less than ${left} from now; nothing was sent`,
      {
        exit: EXIT.usage,
        hint: 'Earlier attempts got no response. Check that these attempts created nothing, then give a later time.',
      },
    );
  };
}

/**
 * Prints the time of the send (in Unix seconds) on stderr.
 * @param now the current time in Unix seconds, to print how far the send is from now: `in 2 hours`; if omitted, prints `at once`
 */
export async function printSendTime(session: Session, time: number, now = time): Promise<void> {
  const zones = { company: await session.companyZone(), operator: session.context.machineZone };
  await session.warn(sendTimeSummary(time, now, zones));
}

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
