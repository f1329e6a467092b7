/** Refuses an unsafe send time, prints the time, and checks it again before each attempt to send the request. */

import {
  findSendTimeFault,
  isNight,
  SEND_TIME_MARGINS,
  type SendTimeMargins,
  sendTimeSummary,
} from '../../client/sends/send-time.ts';
import { type Reason, sayReason } from '../../kit/schema/reason.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError, InvalidInputError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Clocks, Invocation, Tell } from '../session/ports.ts';

export const sendNowFlag = switchFlag('now', {
  describe: 'Send at once, after a prompt (or with --yes)',
  group: 'Attributes',
});

/** Returns the finding for a send without a time. It names both flags that set the time. */
export const missingSendTime = (attribute: string, reason: Reason): Finding => ({
  ...{ attribute, reason, instead: 'add --at, or --now to send at once' },
});

/**
 * docs/wire.md ("Authentication, where open") says why svc checks both clocks. The finding says if only this
 * machine's clock is the reason. All times are Unix seconds; `laterClockTime` is by whichever clock is later.
 */
export async function findSendTimeFaultByBothClocks(
  session: Clocks,
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
    reason: `${sayReason(fault.reason)}, measured by this machine's clock, which is ${ahead} ahead of the service's clock`,
  };
}

/**
 * Refuses a send time (Unix seconds) that is too early by either clock, and prints an accepted one on stderr.
 * A send until the end of a countdown of `hold` seconds needs only 60 seconds, because the user can cancel it
 * meanwhile.
 * @returns a check for each attempt of the request, which throws if a late retry would send immediately
 */
export async function checkSendTimeAndCreateRecheck(
  session: Invocation & Tell & Clocks,
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

/** Prints the time (Unix seconds) on stderr, and how far it is from `now`, or `at once`. */
export async function printSendTime(
  session: Invocation & Tell & Clocks,
  time: number,
  now = time,
): Promise<void> {
  const company = await session.companyZone();
  const zones = { company, operator: session.context.machineZone, typed: session.globals.tz };
  await session.warn(sendTimeSummary(time, now, zones));
}

/** Takes Unix seconds. Does nothing if svc does not know the company's zone. */
export async function warnAboutNight(
  session: Invocation & Tell & Clocks,
  times: readonly number[],
): Promise<void> {
  const zone = await session.companyZone();
  if (zone === undefined || !session.globals.validate) return;
  for (const time of times.filter((each) => isNight(each, zone)))
    await session.warn(
      `Careful: the send is at night, at ${formatTime(time, zone, 'table').slice(-5)} in ${zone}.`,
    );
}

/** Also says how to advance the clock. Undefined if the service's clock runs. */
export async function describeStoppedClock(session: Clocks): Promise<readonly string[] | undefined> {
  const time = await session.stoppedAt();
  return time === undefined ? undefined : formatStoppedClockLines(time, await session.displayZone());
}

/** Joined, the two lines are one sentence. `time` is in Unix seconds. */
export const formatStoppedClockLines = (time: number, zone: string): readonly string[] => [
  `The sandbox's clock is manual and stopped at ${formatTime(time, zone, 'table')} (${zone});`,
  'move the clock with svc sandbox clock advance 10m.',
];
