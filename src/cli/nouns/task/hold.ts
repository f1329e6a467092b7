/** `--hold`: time to think again, in which Ctrl-C cancels the task (contract, "Safety"). */

import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Input } from '../../command/command.ts';
import { durationFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { thrownIn } from '../../outside/ending.ts';
import type { Draft } from '../../request/body.ts';
import type { Session } from '../../session/session.ts';
import { cancelAndConfirm } from './cancel-and-confirm.ts';
import { nowFlag } from './schedule.ts';

export const holdFlag = durationFlag('hold', {
  describe: 'Count down this long first; Ctrl-C cancels',
  unit: 'seconds',
  // The service's own least time ahead of a send that isn't at once.
  min: '2m',
  max: '24h',
});

/** Seconds, or undefined without the flag. */
export function holdIn(input: Input): number | undefined {
  const seconds = input.get(holdFlag);
  if (seconds !== undefined && input.get(nowFlag))
    throw new UsageError('--hold and --now exclude each other', {
      hint: '--hold alone sends when it is over',
    });
  return seconds;
}

/**
 * The draft with a time that is no sooner than the end of the hold. A time that is past stays as it is, and is refused
 * for it.
 */
export function withHold(session: Session, draft: Draft, seconds: number): Draft {
  const { scheduledtime: given } = draft.body;
  const ask = draft.later.get('scheduledtime');
  const meanwhile = Math.ceil(session.context.clock.now() / 1000 + seconds);
  const later = new Map(draft.later).set('scheduledtime', async (values) => {
    const read = ask ? await ask(values) : undefined;
    if (read !== undefined && 'finding' in read) return read;
    const time = read?.value ?? given;
    const now = await session.latestNow();
    const soonest = Math.ceil(now + seconds);
    if (typeof time === 'bigint') return { value: time };
    if (typeof time !== 'number') return { value: soonest };
    if (time < now || time >= soonest) return { value: time };
    await session.warn(`--hold puts it off by ${soonest - Math.floor(time)} seconds`);
    return { value: soonest };
  });
  return { ...draft, body: { ...draft.body, scheduledtime: given ?? meanwhile }, later };
}

/** Counts down. Whatever ends that early cancels the task: exit 130, and 5 or 10 when that can't be told. */
export async function holdTask(session: Session, record: JsonObject, until: number): Promise<void> {
  const { countDown } = await import('./hold-view.ts');
  const title = titleOf(task, record);
  try {
    await countDown(session, title, until);
    // It came while the last second was drawn.
    session.context.signal.throwIfAborted();
  } catch (cause) {
    await cancelAndConfirm(session, record);
    throw cancelled(session, title, cause);
  }
  await session.info(
    `the hold is over; until it is sent, svc task cancel ${String(record['id'])} cancels it`,
  );
}

/** An end that nobody asked for (a terminal that went, an error) has a cause to tell. */
function cancelled({ context }: Session, title: string, cause: unknown): CliError {
  const fault = context.signal.aborted ? thrownIn(context.signal) : cause;
  if (fault === undefined)
    return new CliError('interrupted', `${title} is cancelled; nothing was sent`, { exit: EXIT.interrupted });
  const words = fault instanceof Error ? fault.message : String(fault);
  return new CliError(
    'interrupted',
    `${title} is cancelled, and nothing was sent: the countdown failed (${words})`,
    {
      exit: EXIT.failed,
      cause: fault,
    },
  );
}
