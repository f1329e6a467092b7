/** Cancelling a task that must not go out, also after Ctrl-C. */
import type { Client } from '../../../client/client.ts';
import { ClientError } from '../../../client/errors.ts';
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { idIn } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import { withstanding } from '../../session/sure-client.ts';

/** What a question about it says: a cancelled task can't be scheduled again. */
export function cancellationOf(record: JsonObject): string {
  return `cancel ${titleOf(task, record)} for good, ${String(record['channel'])} to ${String(record['size'])}`;
}

/**
 * The task, cancelled. It is asked of the service whatever has stopped the run. Once a person has read what an end at
 * once would leave behind a second Ctrl-C ends the process; where nobody can read it, nothing that can be caught does,
 * and it is tried until the task is due, and for ten minutes at least.
 * @param why begins the error when it can't be cancelled: `task 12 found 3 subscriptions and …`
 * @throws CliError exit 5 when it was too late, 10 when it may still go out
 */
export async function cancelAndConfirm(session: Session, record: JsonObject, why = ''): Promise<JsonObject> {
  if (session.dryRun.isOn) return (await session.client()).update(task, idIn(record), { cancelled: true });
  return withstanding(session, async () => {
    const { context } = session;
    const ifStopped = `if this is stopped: svc task cancel ${idIn(record)} --yes`;
    const isTold = await session.warn(`cancelling ${titleOf(task, record)}; ${ifStopped}`).then(
      () => true,
      () => false,
    );
    if (isTold && context.stderr.isTTY) context.ending?.mayEndAtOnce();
    const { signal } = new AbortController();
    const client = await session.clientWith({ signal, ifInterrupted: ifStopped });
    const { clock } = context;
    const begun = clock.now();
    for (;;) {
      try {
        return await cancelOnce(client, record, why);
      } catch (error) {
        const isDue = (await session.serviceNow().catch(() => 0)) >= Number(record['scheduledtime']);
        const isOver = isDue && clock.now() - begun >= LEAST_MS;
        const mayPass = error instanceof CliError && error.exit === EXIT.unknown;
        if (isTold || isOver || !mayPass) throw error;
        await clock.sleep(BEFORE_NEXT_MS);
      }
    }
  });
}

/** Does work on a task that has just been made: what ends it early, without words of its own, cancels the task. */
export async function cancelIfCut<T>(
  session: Session,
  record: JsonObject,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // One with words of its own says what became of the task.
    if (!(error instanceof CliError)) await cancelAndConfirm(session, record);
    throw error;
  }
}

const LEAST_MS = 10 * 60_000;
const BEFORE_NEXT_MS = 5000;

async function cancelOnce(client: Client, record: JsonObject, why: string): Promise<JsonObject> {
  const id = idIn(record);
  const title = titleOf(task, record);
  try {
    return await client.update(task, id, { cancelled: true });
  } catch (cause) {
    const found = await client.get(task, id).catch(() => undefined);
    if (found?.['cancelled'] === true) return found;
    const before = why === '' ? '' : `${why}, but `;
    if (found?.['completed'] === true)
      throw new CliError('too-late', `${before}${title} was completed before it could be cancelled`, {
        exit: EXIT.conflict,
        hint: `svc task report ${id} shows what became of it.`,
        cause,
      });
    const reason = explainError(cause).message;
    const isRefused = cause instanceof ClientError && cause.kind === 'refused' && found !== undefined;
    throw new CliError('not-cancelled', `${before}${title} IS NOT CANCELLED and will be sent: ${reason}`, {
      exit: isRefused ? EXIT.conflict : EXIT.unknown,
      hint: `Cancel it now: svc task cancel ${id} --yes. svc task get ${id} shows whether it is.`,
      cause,
    });
  }
}
