/**
 * Creates and changes tasks; all other code calls this file for that. Finds a created task if the response is lost, checks each task, and
 * counts down the hold (`--hold`). Cancels the task if a check fails, if the run ends before the last check, or if the run ends during the
 * hold. If a task can't be cancelled, the error names the task (contract, "Safety").
 */
import type { Client } from '../client/client.ts';
import { titleOf } from '../client/record-title.ts';
import type { TimeAndHighestIdBeforeHttpPost } from '../client/recovery/find-created.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { task } from '../resources/task.ts';
import type { Id } from '../schema/integer.ts';
import type { Values } from '../schema/resource.ts';
import { type CancellationTexts, cancelTaskWithRetries, taskId } from './cancel.ts';
import { SendError, type TaskCheck } from './errors.ts';
import { createTaskClient, type SendDependencies, type TaskClient } from './ports.ts';
import type { CompetingTask } from './rival.ts';

interface CheckOptions {
  /**
   * False if svc never has to cancel the task: no check of the task can fail, and no countdown (`hold`) follows the creation of the task.
   * Ctrl-C then ends the run at once, and svc does not cancel the task. Default: true.
   */
  readonly mayBeCancelled?: boolean | undefined;
  /** Checks the send time before every attempt to send the request, including retries. If it throws, nothing is sent. */
  readonly recheckTime?: (() => Promise<void>) | undefined;
  readonly checks: readonly TaskCheck[];
  /** Returns the name by which the output of svc mentions the task. Default: type, id and name, such as `task 12 (Sale)`. */
  readonly title?: ((record: JsonObject) => string) | undefined;
  /**
   * Returns the new name that a cancelled task gets in the PUT that cancels the task. If undefined, the task keeps its name.
   * @param hasRival true if the task of another run replaces the cancelled task
   */
  readonly cancelledName?: ((record: JsonObject, hasRival: boolean) => string | undefined) | undefined;
}

interface TaskToMake extends CheckOptions {
  readonly body: Values;
  readonly stateBefore?: TimeAndHighestIdBeforeHttpPost | undefined;
  /**
   * Seconds that svc waits after it has created the task (`--hold`), at most until the send time. During the wait, svc shows a countdown,
   * and Ctrl-C cancels the task. Default: 0.
   */
  readonly hold?: number | undefined;
  /** Called with the new task, before the first check. */
  readonly onMade?: ((record: JsonObject) => Promise<void>) | undefined;
  /** Returns the task with a lower id that another run created at the same time. That task stays, and this run's task is cancelled. */
  readonly findRival?: ((made: JsonObject, client: Client) => Promise<CompetingTask | undefined>) | undefined;
  /** True if Ctrl-C must not stop the run even before the POST, because svc has already cancelled the task that the new task replaces. */
  readonly despiteInterrupt?: boolean | undefined;
}

interface TaskToChange extends CheckOptions {
  readonly id: Id;
  readonly body: Values;
}

/**
 * Creates a task and returns the task. If another run created the same task at the same time with a lower id, cancels the new task, and
 * returns the task of the other run.
 * @throws SendError if the task must not be sent; ClientError if a request fails
 */
export async function makeTask(ports: SendDependencies, given: TaskToMake): Promise<JsonObject> {
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

/**
 * Changes a task by PUT, and cancels it if it then fails a check.
 * @throws SendError, ClientError
 */
export async function changeTask(ports: SendDependencies, given: TaskToChange): Promise<JsonObject> {
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

/**
 * Checks an existing task, such as one that an earlier run created.
 * @throws SendError if it must not be sent
 */
export function requireSendableTask(
  ports: SendDependencies,
  record: JsonObject,
  wanted: CheckOptions,
): Promise<JsonObject> {
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

async function clientFor(
  ports: SendDependencies,
  { mayBeCancelled = true }: CheckOptions,
  despiteInterrupt = false,
): Promise<TaskClient> {
  if (mayBeCancelled) return createTaskClient(ports, despiteInterrupt);
  return { client: await ports.clientWith(ports.signal, undefined), markSending: () => undefined };
}

async function beforeAttempt({ recheckTime }: CheckOptions, markSending: () => void): Promise<void> {
  await recheckTime?.();
  markSending();
}

/**
 * Runs `work` on an existing task. If `work` throws, cancels the task, so that the service does not send the task. Does not cancel the task
 * after a `SendError` or `TaskCancelled`, because `work` has then already cancelled the task or tried to. Also does not cancel a completed
 * task, or any task if `mayBeCancelled` is false.
 */
async function cancelOnError(
  ports: SendDependencies,
  record: JsonObject,
  wanted: CheckOptions,
  work: () => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SendError) throw error;
    if (error instanceof TaskCancelled) throw error.error;
    if (wanted.mayBeCancelled === false || record['completed'] === true) throw error;
    const cancellation = cancellationOf(wanted, record);
    await cancelTaskWithRetries(ports, record, cancellation);
    await ports.info(`${cancellation.title} is cancelled, because it could not be checked`);
    throw error;
  }
}

async function keepOne(
  ports: SendDependencies,
  client: Client,
  made: JsonObject,
  wanted: TaskToMake,
): Promise<JsonObject> {
  const { hold = 0 } = wanted;
  // Start the countdown now, because the checks below take time.
  const until = hold > 0 ? Math.min((await ports.latestNow()) + hold, Number(made['scheduledtime'])) : 0;
  await wanted.onMade?.(made);
  await check(ports, client, made, wanted);
  const rival = await wanted.findRival?.(made, client);
  if (rival) return resolveRival(ports, client, made, rival, wanted);
  if (hold > 0) await holdTask(ports, made, cancellationOf(wanted, made), until);
  return made;
}

/**
 * Keeps the task with the lower id, which another run created, and cancels this run's task. The task that stays must pass the same checks.
 */
async function resolveRival(
  ports: SendDependencies,
  client: Client,
  made: JsonObject,
  { record, why, error }: CompetingTask,
  wanted: TaskToMake,
): Promise<JsonObject> {
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
  record: JsonObject,
  wanted: CheckOptions,
): Promise<void> {
  if (record['completed'] === true) return;
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
  record: JsonObject,
  hasRival = false,
): CancellationTexts & { readonly title: string } => ({
  title: title?.(record) ?? titleOf(task, record),
  name: cancelledName?.(record, hasRival),
});

/**
 * Counts down until the time `until`, in Unix seconds.
 * @throws SendError `interrupted` if the countdown ends early; the task is then cancelled
 */
async function holdTask(
  ports: SendDependencies,
  record: JsonObject,
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
    `the countdown is over; until the task is sent, you can cancel it with svc task cancel ${taskId(record)}`,
  );
}

/**
 * Returns the error that says that svc has cancelled the task. Sets the cause of the error if a closed terminal or an uncaught error ended
 * the countdown.
 */
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
