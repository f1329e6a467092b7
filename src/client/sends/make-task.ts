/**
 * Creates and changes tasks for all other code. Checks each task, and counts down the hold (`--hold`). Cancels the task if a check fails,
 * or if the run ends before the last check or during the hold. If that fails, the error names the task (contract, "Safety").
 */

import type { Id } from '../../kit/schema/integer.ts';
import type { Values } from '../../kit/schema/resource.ts';
import { type TaskRecord, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import { titleOf } from '../requests/record-title.ts';
import type { StateBefore } from '../requests/recovery/find-created.ts';
import { type CancellationTexts, cancelTaskWithRetries } from './cancel.ts';
import { SendError, type TaskCheck } from './errors.ts';
import type { SendDependencies } from './ports.ts';

interface CheckOptions {
  /**
   * False if no check can fail and no `hold` follows, so that Ctrl-C ends the run at once, and svc never cancels the task. Default: true.
   */
  readonly mayBeCancelled?: boolean | undefined;
  /** Checks the send time before every attempt to send the request, including retries. If it throws, nothing is sent. */
  readonly recheckTime?: (() => Promise<void>) | undefined;
  readonly checks: readonly TaskCheck[];
  /** Returns the name by which the output of svc mentions the task. Default: type, id and name, such as `task 12 (Sale)`. */
  readonly title?: ((record: TaskRecord) => string) | undefined;
  /** Returns the new name of a cancelled task, or undefined to keep its name. `hasRival`: another run's task replaces it. */
  readonly cancelledName?: ((record: TaskRecord, hasRival: boolean) => string | undefined) | undefined;
}

interface TaskToMake extends CheckOptions {
  readonly body: Values;
  readonly stateBefore?: StateBefore | undefined;
  /**
   * Seconds of the countdown after svc has created the task (`--hold`), at most until the send time. Ctrl-C then cancels it. Default: 0.
   */
  readonly hold?: number | undefined;
  /** Called with the new task, before the first check. */
  readonly onMade?: ((record: TaskRecord) => Promise<void>) | undefined;
  /** Returns the task with a lower id that another run created at the same time. That task stays, and this run's task is cancelled. */
  readonly findRival?: ((made: TaskRecord, client: Client) => Promise<CompetingTask | undefined>) | undefined;
  /** True if Ctrl-C must not stop the run even before the POST, because svc has already cancelled the task that the new task replaces. */
  readonly despiteInterrupt?: boolean | undefined;
}

interface TaskToChange extends CheckOptions {
  readonly id: Id;
  readonly body: Values;
}

/**
 * Creates a task. If another run created the same task first, with a lower id, cancels the new one and returns the other.
 * @throws SendError if the task must not be sent; ClientError if a request fails
 */
export async function makeTask(ports: SendDependencies, given: TaskToMake): Promise<TaskRecord> {
  const wanted = await withBudgetCheck(ports, given);
  return guarded(ports, wanted, async () => {
    const { client, markSending } = await clientFor(ports, wanted, wanted.despiteInterrupt);
    const made = await client.create(task, wanted.body, {
      ...(wanted.stateBefore === undefined ? {} : { stateBefore: wanted.stateBefore }),
      beforeAttempt: () => beforeAttempt(wanted, markSending),
    });
    return cancelOnError(ports, made, wanted, () => keepOne(ports, client, made, wanted));
  });
}

/** Changes a task by PUT, and cancels it if it then fails a check. Throws SendError, ClientError. */
export async function changeTask(ports: SendDependencies, given: TaskToChange): Promise<TaskRecord> {
  const wanted = await withBudgetCheck(ports, given);
  return guarded(ports, wanted, async () => {
    const { client, markSending } = await clientFor(ports, wanted);
    const changed = await client.update(task, wanted.id, wanted.body, {
      beforeAttempt: () => beforeAttempt(wanted, markSending),
    });
    return cancelOnError(ports, changed, wanted, async () => {
      await check(ports, client, changed, wanted);
      return changed;
    });
  });
}

/** Checks an existing task, such as one that an earlier run created. Throws SendError if it must not be sent. */
export function requireSendableTask(
  ports: SendDependencies,
  record: TaskRecord,
  wanted: CheckOptions,
): Promise<TaskRecord> {
  return guarded(ports, wanted, async () => {
    const { client } = await clientFor(ports, wanted, true);
    return cancelOnError(ports, record, wanted, async () => {
      await check(ports, client, record, wanted);
      return record;
    });
  });
}

/** Adds the check against the profile's budget, if the profile has a budget. */
async function withBudgetCheck<W extends CheckOptions>(ports: SendDependencies, wanted: W): Promise<W> {
  const own = await ports.budgetCheck?.();
  return own === undefined ? wanted : { ...wanted, mayBeCancelled: true, checks: [own, ...wanted.checks] };
}

const guarded = <T>(
  ports: SendDependencies,
  { mayBeCancelled = true }: CheckOptions,
  work: () => Promise<T>,
): Promise<T> => (mayBeCancelled ? ports.withSignalGuard(work) : work());

interface TaskClient {
  readonly client: Client;
  /** Must be called right before each attempt to send the request. Throws an error if the run must end, so that nothing is sent. */
  readonly markSending: () => void;
}

/**
 * Creates a client that Ctrl-C stops only before the first attempt. After that a task may exist, and svc waits for its id to cancel it.
 * @param despiteInterrupt true if Ctrl-C must not stop the client at any time
 */
async function clientFor(
  ports: SendDependencies,
  { mayBeCancelled = true }: CheckOptions,
  despiteInterrupt = false,
): Promise<TaskClient> {
  const { signal } = ports;
  if (!mayBeCancelled)
    return { client: await ports.clientWith(signal, undefined), markSending: () => undefined };
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (!despiteInterrupt) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return {
    client: await ports.clientWith(
      controller.signal,
      'Ctrl-C cannot stop this step: svc waits for the response, then checks the task, and cancels the task if a check fails',
    ),
    markSending: () => {
      if (despiteInterrupt) return;
      controller.signal.throwIfAborted();
      signal.removeEventListener('abort', follow);
    },
  };
}

async function beforeAttempt({ recheckTime }: CheckOptions, markSending: () => void): Promise<void> {
  await recheckTime?.();
  markSending();
}

/**
 * Cancels the task if `work` throws, so that the service does not send it. After a `SendError` or `TaskCancelled`, `work` has already done
 * so or tried to. A completed task, or one with `mayBeCancelled` false, is left alone.
 */
async function cancelOnError(
  ports: SendDependencies,
  record: TaskRecord,
  wanted: CheckOptions,
  work: () => Promise<TaskRecord>,
): Promise<TaskRecord> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SendError) throw error;
    if (error instanceof TaskCancelled) throw error.error;
    if (wanted.mayBeCancelled === false || record.completed) throw error;
    const cancellation = cancellationOf(wanted, record);
    await cancelTaskWithRetries(ports, record, cancellation);
    await ports.info(`${cancellation.title} is cancelled, because it could not be checked`);
    throw error;
  }
}

async function keepOne(
  ports: SendDependencies,
  client: Client,
  made: TaskRecord,
  wanted: TaskToMake,
): Promise<TaskRecord> {
  const { hold = 0 } = wanted;
  // Start the countdown now, because the checks below take time.
  const until = hold > 0 ? Math.min((await ports.latestNow()) + hold, made.scheduledtime) : 0;
  await wanted.onMade?.(made);
  await check(ports, client, made, wanted);
  const rival = await wanted.findRival?.(made, client).catch((cause: Error) => {
    throw wanted.mayBeCancelled === false ? notLooked(made, cause) : cause;
  });
  if (rival) return resolveRival(ports, client, made, rival, wanted);
  if (hold > 0) await holdTask(ports, made, cancellationOf(wanted, made), until);
  return made;
}

/** Returns the error of a look for rivals that failed, which must not look like success, if svc may not cancel the task. */
function notLooked(made: TaskRecord, cause: Error): Error {
  if (cause instanceof SendError) return cause;
  return new SendError(
    'not-looked',
    `${titleOf(task, made)} is scheduled, but svc cannot check whether another run has created the same task: ${cause.message}`,
    {
      outcome: 'unknown',
      hint: 'Run the same command again: it finds this task, and cancels a second one.',
      cause,
    },
  );
}

async function resolveRival(
  ports: SendDependencies,
  client: Client,
  made: TaskRecord,
  { record, why, error }: CompetingTask,
  wanted: TaskToMake,
): Promise<TaskRecord> {
  const cancellation = cancellationOf(wanted, made, true);
  await cancelTaskWithRetries(ports, made, { ...cancellation, why });
  if (error) throw new TaskCancelled(error);
  await ports.warn(`${why}; ${cancellation.title} is cancelled`).catch(() => undefined);
  const kept = cancelOnError(ports, record, wanted, async () => {
    await check(ports, client, record, wanted);
    return record;
  });
  return kept.catch((cause: Error) => {
    throw new TaskCancelled(cause);
  });
}

/** Error that says that the run has already cancelled its own task. `error` is the reason. */
class TaskCancelled extends Error {
  readonly error: Error;

  constructor(error: Error) {
    super(error.message);
    this.error = error;
  }
}

async function check(
  ports: SendDependencies,
  client: Client,
  record: TaskRecord,
  wanted: CheckOptions,
): Promise<void> {
  if (record.completed) return;
  for (const each of wanted.checks) {
    const fault = await each(record, client);
    if (fault === undefined) continue;
    const { kind, why, hint, isConflict = false } = fault;
    await cancelTaskWithRetries(ports, record, { ...cancellationOf(wanted, record), why });
    throw new SendError(kind, `${why}; it is cancelled`, {
      outcome: isConflict ? 'conflict' : 'refused',
      hint,
    });
  }
}

const cancellationOf = (
  { title, cancelledName }: CheckOptions,
  record: TaskRecord,
  hasRival = false,
): CancellationTexts & { readonly title: string } => ({
  title: title?.(record) ?? titleOf(task, record),
  name: cancelledName?.(record, hasRival),
});

/** Counts down until `until`, in Unix seconds. Throws SendError `interrupted` if it ends early; the task is then cancelled. */
async function holdTask(
  ports: SendDependencies,
  record: TaskRecord,
  { title, ...cancellation }: CancellationTexts & { readonly title: string },
  until: number,
): Promise<void> {
  try {
    await ports.countDown(title, until);
    // The signal may come while the last second is drawn.
    ports.signal.throwIfAborted();
  } catch (cause) {
    await cancelTaskWithRetries(ports, record, { title, ...cancellation });
    throw cancelled(ports, title, cause);
  }
  await ports.info(
    `the countdown is over; until the task is sent, you can cancel it with svc task cancel ${record.id}${ports.accountFlags ?? ''}`,
  );
}

/** Its cause is the closed terminal or the uncaught error that ended the countdown, if any. */
function cancelled(ports: SendDependencies, title: string, cause: unknown): SendError {
  const fault = ports.signal.aborted ? ports.uncaughtError() : cause;
  if (fault === undefined)
    return new SendError('interrupted', `${title} is cancelled; nothing was sent`, {
      outcome: 'interrupted',
    });
  const words = fault instanceof Error ? fault.message : String(fault);
  return new SendError(
    'interrupted',
    `${title} is cancelled and nothing was sent, because an error ended the countdown (${words})`,
    { outcome: 'failed', cause: fault },
  );
}

export interface CompetingTask {
  readonly record: TaskRecord;
  /** Sentence that says why this competing task takes precedence: `task 11 was made with the same --key at the same time`. */
  readonly why: string;
  /**
   * Error that ends this run after it has cancelled its task. Undefined if both tasks are equal, so that the run continues with the other.
   */
  readonly error?: Error | undefined;
}
