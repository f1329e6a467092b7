/** Cancelling a task that must not go out, also after Ctrl-C. */
import { ClientError } from '../../client/errors.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import { CliError, explainError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { idIn } from '../references.ts';
import type { Session } from '../session.ts';
import { titleOf } from '../submit.ts';

/** What a question about it says: a cancelled task can't be scheduled again. */
export function cancellationOf(record: JsonObject): string {
  return `cancel ${titleOf(task, record)} for good, ${String(record['channel'])} to ${String(record['size'])}`;
}

/**
 * The task, cancelled. It is asked of the service whatever Ctrl-C has stopped; a second Ctrl-C ends the process, and
 * what it leaves behind has been said before.
 * @param why begins the error when it can't be cancelled: `task 12 found 3 subscriptions and …`
 * @throws CliError exit 5 when it was too late, 10 when it may still go out
 */
export async function cancelSurely(session: Session, record: JsonObject, why = ''): Promise<JsonObject> {
  const id = idIn(record);
  if (session.dryRun.isOn) return (await session.client()).update(task, id, { cancelled: true });
  const title = titleOf(task, record);
  // A terminal that is gone must not keep it from being cancelled.
  await session.tell(`cancelling ${title}; if this is stopped: svc task cancel ${id} --yes`).catch(() => {});
  const client = await session.clientWith({ signal: new AbortController().signal });
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
