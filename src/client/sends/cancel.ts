/** Cancels tasks. `cancelTask` sends one PUT. `cancelTaskWithRetries` retries the PUT, and no signal stops the retries. */

import type { Id } from '../../kit/schema/integer.ts';
import { type TaskRecord, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import { ClientError } from '../requests/errors.ts';
import { titleOf } from '../requests/record-title.ts';
import { type FailedSendOutcome, SendError } from './errors.ts';
import type { SendDependencies } from './ports.ts';

export const cancelTask = (client: Client, id: Id, name?: string): Promise<TaskRecord> =>
  client.update(task, id, { cancelled: true, ...(name === undefined ? {} : { name }) });

/** Texts that svc uses for the cancellation of a task. Each text is optional. */
export interface CancellationTexts {
  /** Reason why svc cancels the task, with which an error message begins: `task 12 has 3 subscriptions, expected 1`. */
  readonly why?: string | undefined;
  /** Name of the task in messages. Default: noun, id and name, such as `task 12 (Sale)`. */
  readonly title?: string | undefined;
  /** New name that the task gets in the service, in the PUT that cancels the task. If undefined, the task keeps its name. */
  readonly name?: string | undefined;
}

/** Minimum time in milliseconds during which the cancellation is retried, even if the send time is near. */
const MIN_RETRY_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

/**
 * Cancels a task, even after Ctrl-C. Retries until the task is due, and for at least ten minutes. First prints how to cancel the task after
 * an interruption. From then on, Ctrl-C ends the process on a terminal, and has no effect without one.
 * @throws SendError `too-late` if the task was completed before svc could cancel it, `not-cancelled` if the service may still send the task
 */
export async function cancelTaskWithRetries(
  ports: SendDependencies,
  record: TaskRecord,
  cancellation: CancellationTexts = {},
): Promise<TaskRecord> {
  const { title = titleOf(task, record) } = cancellation;
  return ports.withSignalGuard(async () => {
    const ifStopped = `if this is interrupted: ${commandToCancelNow(ports, record)}`;
    const isRead = await printWarning(ports, `cancelling ${title}; ${ifStopped}`);
    const second = isRead ? ports.secondInterrupt() : undefined;
    // An earlier Ctrl-C concerned other work.
    const stop = second === undefined || second.aborted ? new AbortController().signal : second;
    const client = await ports.clientWith(stop, ifStopped);
    const work = { ...cancellation, record, title, command: commandToCancelNow(ports, record) };
    return Promise.race([cancelUntilDue(ports, client, work, stop), rejectWhenStopped(stop, work)]);
  });
}

interface Work extends CancellationTexts {
  readonly record: TaskRecord;
  readonly title: string;
  /** Command that cancels the task. */
  readonly command: string;
}

/** It asks nothing, so it must have the flags of the account. */
export const commandToCancelNow = (
  { accountFlags = '' }: Pick<SendDependencies, 'accountFlags'>,
  { id }: Pick<TaskRecord, 'id'>,
): string => `svc task cancel ${id}${accountFlags} --yes`;

async function cancelUntilDue(
  ports: SendDependencies,
  client: Client,
  work: Work,
  stop: AbortSignal,
): Promise<TaskRecord> {
  const { clock } = ports;
  const now = client.serviceTime() ?? clock.now() / 1000;
  const dueIn = (work.record.scheduledtime - now) * 1000;
  const until = clock.now() + Math.max(MIN_RETRY_MS, dueIn);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    try {
      return await cancelOnce(client, work);
    } catch (error) {
      const mayPass =
        error instanceof SendError && error.outcome === 'unknown' && error.cause instanceof ClientError;
      if (!mayPass || clock.now() + pause > until) throw error;
      if (pause === FIRST_PAUSE_MS)
        await printWarning(ports, `${error.message}; svc tries again until the task is due`);
      await clock.sleep(pause, stop);
    }
  }
}

/** Prints a line on stderr. Resolves to false if stderr is closed, so that no person can read the line. */
const printWarning = (ports: SendDependencies, line: string): Promise<boolean> =>
  ports.warn(line).then(
    () => true,
    () => false,
  );

async function cancelOnce(client: Client, work: Work): Promise<TaskRecord> {
  const { record, title, name } = work;
  const id = record.id;
  try {
    return await cancelTask(client, id, name);
  } catch (cause) {
    const found = await client.get(task, id).catch(() => undefined);
    if (found?.cancelled) return found;
    if (found?.completed)
      throw new SendError('too-late', `${before(work)}${title} was completed before it could be cancelled`, {
        outcome: 'conflict',
        hint: `svc task report ${id} shows its result.`,
        cause,
      });
    const isRefused = cause instanceof ClientError && cause.kind === 'refused' && found !== undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const words = `${before(work)}${title} IS NOT CANCELLED and will be sent: ${reason}`;
    // If the service refused, the task certainly stays scheduled.
    throw notCancelled(work, words, isRefused ? 'conflict' : 'unknown', cause);
  }
}

const before = ({ why }: Work): string => (why === undefined ? '' : `${why}, but `);

function notCancelled(
  { record, command }: Work,
  words: string,
  outcome: FailedSendOutcome,
  cause?: unknown,
): SendError {
  const id = record.id;
  return new SendError('not-cancelled', words, {
    outcome,
    hint: `Cancel the task now: ${command}. svc task get ${id} shows its state.`,
    cause,
  });
}

function rejectWhenStopped(stop: AbortSignal, work: Work): Promise<never> {
  return new Promise((_, reject) => {
    const words = `${before(work)}${work.title} MAY STILL BE SENT: cancelling it was interrupted`;
    stop.addEventListener('abort', () => reject(notCancelled(work, words, 'unknown')), { once: true });
  });
}
