/**
 * Reads `--hold`, the duration of a countdown that begins when a task is created (contract, "Safety"). During the countdown, Ctrl-C cancels
 * the task. This file makes sure that the service sends the task only after the countdown. `sends/make-task.ts` runs the countdown.
 */
import type { Input } from '../../command/command.ts';
import { durationFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { BodyDraft } from '../../request/body.ts';
import type { Session } from '../../session/session.ts';
import { sendNowFlag } from './schedule.ts';

export const holdBeforeSendFlag = durationFlag('hold', {
  describe: 'Wait before the send; Ctrl-C cancels the task',
  unit: 'seconds',
  // The service's minimum lead time for a send that isn't immediate.
  min: '2m',
  max: '24h',
});

/** Returns the seconds of `--hold`, or undefined without the flag. */
export function readHoldSeconds(input: Input): number | undefined {
  const seconds = input.get(holdBeforeSendFlag);
  if (seconds !== undefined && input.get(sendNowFlag))
    throw new UsageError('cannot combine --hold with --now', {
      hint: 'use --hold without --now: the task is sent when the countdown ends',
    });
  return seconds;
}

/**
 * Returns the draft with a send time no sooner than the end of the countdown of `--hold`. A past time stays unchanged, so that the later
 * checks refuse it as a past time.
 */
export function moveSendTimeAfterHoldCountdown(
  session: Session,
  draft: BodyDraft,
  seconds: number,
): BodyDraft {
  const { scheduledtime: given } = draft.body;
  const ask = draft.lookUps.get('scheduledtime');
  const meanwhile = Math.ceil(session.context.clock.now() / 1000 + seconds);
  const later = new Map(draft.lookUps).set('scheduledtime', async (values) => {
    const read = ask ? await ask(values) : undefined;
    if (read !== undefined && 'finding' in read) return read;
    const time = read?.value ?? given;
    const now = await session.latestNow();
    const soonest = Math.ceil(now + seconds);
    if (typeof time === 'bigint') return { value: time };
    if (typeof time !== 'number') return { value: soonest };
    if (time < now || time >= soonest) return { value: time };
    await session.warn(`--hold delays it by ${soonest - Math.floor(time)} seconds`);
    return { value: soonest };
  });
  return { ...draft, body: { ...draft.body, scheduledtime: given ?? meanwhile }, lookUps: later };
}
