/** Computes the send time of a campaign's task, and checks whether the time is allowed. */
import { classifySendTimeFault, SEND_TIME_MARGINS_IF_CANCELLABLE } from '../../../client/sends/send-time.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { isRelativeTime, parseTimePhrase } from '../../../kit/text/time-phrase.ts';
import { computeRelativeTimeHash } from '../marks.ts';
import type { WantedTask } from '../model.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from './situation.ts';

/** `svc apply` creates, changes or cancels no task that is due sooner. */
export const MIN_SECONDS_BEFORE_SEND = SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead;

/**
 * An existing task keeps its time if the file gives the same relative time, such as `monday 09:00`. Otherwise, a relative time counts from
 * the moment at which the plan was made.
 */
export function resolveSendTime(
  { observed, options }: Pick<PlanningSituation, 'observed' | 'options'>,
  wanted: WantedTask,
  existing: RecordOwnedByCampaign<'task'> | undefined,
):
  | { readonly time: number; readonly note?: string | undefined }
  | { readonly fault: string; readonly instead?: string | undefined } {
  const made = existing?.record.scheduledtime;
  const isUsable =
    made !== undefined && (!existing?.isSetAside || made - observed.now >= MIN_SECONDS_BEFORE_SEND);
  if (isRelativeTime(wanted.at) && isUsable && existing && hasUnchangedRelativeTime(wanted, existing))
    return { time: made };
  const read = parseTimePhrase(wanted.at, { now: options.madeAt ?? observed.now, zone: options.zone });
  if (read.ok) return { time: read.time, note: read.note };
  return { fault: `at: ${read.reason}`, ...(read.instead === undefined ? {} : { instead: read.instead }) };
}

/** Absolute times are compared by value, and the earlier text of an adopted task is unknown. */
export function hasUnchangedRelativeTime(
  wanted: WantedTask,
  { mark, isTakenOver }: RecordOwnedByCampaign,
): boolean {
  const words = relativeTimeText(wanted);
  return words === undefined || isTakenOver || mark.relativeTimeHash === computeRelativeTimeHash(words);
}

export const relativeTimeText = ({ at }: Pick<WantedTask, 'at'>): string | undefined =>
  isRelativeTime(at) ? at : undefined;

export function sendTimeRefusal({ hold }: WantedTask, time: number, now: number): string | undefined {
  switch (classifySendTimeFault(time, now, MIN_SECONDS_BEFORE_SEND)) {
    case 'milliseconds':
      return 'the send time looks like milliseconds; use Unix seconds';
    case 'past':
      return 'the send time has passed, so the service would send at once';
    case 'too-near':
      return `the send time is less than ${MIN_SECONDS_BEFORE_SEND / 60} minutes ahead`;
    case 'too-far':
      return 'the send time is more than 2 years ahead; check the year';
    default:
      return hold !== null && time - now < hold
        ? `the countdown (hold) of ${formatDuration(hold)} would end after the send time`
        : undefined;
  }
}

/** A past time may have been in the future when the file was written. */
export const isImplausibleSendTime = (time: number, now: number): boolean => {
  const fault = classifySendTimeFault(time, now, MIN_SECONDS_BEFORE_SEND);
  return fault === 'milliseconds' || fault === 'too-far';
};
