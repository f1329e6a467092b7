/** A time in the past is not a typo away from a send: the service turns a past time into now (contract, "Safety"). */
import { LEAST_LEFT } from '../../client/recovery/settle.ts';
import type { Finding } from '../../schema/resource.ts';
import { formatDuration } from '../../text/duration.ts';
import { sendTimeFault } from '../../text/send-time-bounds.ts';
import { formatTime } from '../../text/timezone.ts';
import { CliError, FindingsError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Session } from '../session/session.ts';

const MINUTE = 60;
const LEAST_AHEAD = 2 * MINUTE;

/** Seconds ahead of now that a time must be: when it is checked, and before each attempt. */
export interface Margins {
  readonly leastAhead?: number;
  readonly leastLeft?: number;
}

/** Why nothing may be scheduled for `time`, or undefined. Both in Unix seconds. */
export function timeFault(
  attribute: string,
  time: number,
  now: number,
  leastAhead = LEAST_AHEAD,
): Finding | undefined {
  const fault = (reason: string, instead: string): Finding => ({ attribute, value: time, reason, instead });
  switch (sendTimeFault(time, now, leastAhead)) {
    case 'milliseconds':
      return fault('looks like milliseconds; a time is Unix seconds', `write ${Math.floor(time / 1000)}`);
    case 'past':
      return fault(
        `is past by ${formatDuration(Math.max(1, Math.round(now - time)))}, and the service would send at once`,
        'give a time to come, or --now to send at once',
      );
    case 'too-near':
      return fault(
        `is less than ${formatDuration(leastAhead)} ahead`,
        'give a later time, or --now to send at once',
      );
    case 'too-far':
      return fault('is more than 2 years ahead', 'check the year');
    default:
      return undefined;
  }
}

/** The same moment as the world, the company and the operator read it, and how far off it is. */
export function sendTimeSummary(
  time: number,
  now: number,
  zones: { readonly company: string; readonly operator: string },
): string {
  const lines = [
    `Sends ${formatTime(time, 'UTC', 'long')}`,
    `      ${formatTime(time, zones.company, 'long')}, the company`,
    `      ${formatTime(time, zones.operator, 'long')}, here`,
    time <= now ? '      at once' : `      in ${formatDuration(Math.round(time - now))}`,
  ];
  return lines.join('\n');
}

/**
 * Why nothing may be scheduled for `time`, or undefined: by the service's clock or by this machine's (wire,
 * "Authentication, where open"). Says so where this machine's alone refuses it.
 */
export async function timeFaultNow(
  session: Session,
  attribute: string,
  time: number,
  leastAhead?: number,
): Promise<Finding | undefined> {
  const latest = await session.latestNow();
  const service = await session.serviceNow();
  const fault = timeFault(attribute, time, latest, leastAhead);
  if (!fault || latest <= service || timeFault(attribute, time, service, leastAhead)) return fault;
  const behind = formatDuration(Math.round(latest - service));
  return { ...fault, reason: `${fault.reason}, by this machine's clock (the service's is ${behind} behind)` };
}

/**
 * Refuses a time that is past by the service's clock or by this machine's, and tells the truth of it on stderr.
 * @returns what has to hold before each attempt: a late retry must not become a send at once
 */
export async function guardTime(
  session: Session,
  attribute: string,
  time: number,
  { leastAhead, leastLeft = LEAST_LEFT }: Margins = {},
): Promise<() => Promise<void>> {
  const finding = await timeFaultNow(session, attribute, time, leastAhead);
  if (finding) throw new FindingsError([finding]);
  await tellTime(session, time);
  return async () => {
    if (time - (await session.latestNow()) >= leastLeft) return;
    const least = leastLeft === MINUTE ? 'a minute' : formatDuration(leastLeft);
    throw new CliError(
      'too-late',
      `${attribute} ${time} is less than ${least} ahead by now; it was not sent`,
      {
        exit: EXIT.usage,
        hint: 'Earlier attempts brought no answer. Check that they made nothing, then give a later time.',
      },
    );
  };
}

export async function tellTime(session: Session, time: number): Promise<void> {
  const zones = { company: await session.companyZone(), operator: session.context.machineZone };
  await session.warn(sendTimeSummary(time, await session.latestNow(), zones));
}
