/**
 * Creates and changes tasks; no other code does. It creates the task, finds it if the response is lost, checks it, and counts down its
 * hold. If the run ends between the POST and the last check, a task that fails a check or its hold is cancelled, or the error names it
 * (contract, "Safety").
 */
import type { Client } from '../client/client.ts';
import { titleOf } from '../client/record-title.ts';
import type { Baseline } from '../client/recovery/find-created.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { task } from '../resources/task.ts';
import type { Id } from '../schema/integer.ts';
import type { Values } from '../schema/resource.ts';
import { type Cancellation, cancelForGood, taskId } from './cancel.ts';
import { SendError, type TaskCheck } from './errors.ts';
import { type SendPorts, type SureClient, sureClient } from './ports.ts';
import type { Rival } from './rival.ts';

interface Checked {
  /** False if no check can fail and there is no hold. Ctrl-C then ends the run at once, and cancels nothing. True if omitted. */
  readonly mayBeCancelled?: boolean | undefined;
  /** Called before every attempt, including retries. If it throws, nothing is sent. */
  readonly isTimely?: (() => Promise<void>) | undefined;
  readonly checks: readonly TaskCheck[];
  /** Returns the name of the task in messages; `task 12 (Sale)` by default. */
  readonly title?: ((record: JsonObject) => string) | undefined;
  /**
   * Returns the name that a task gets in the PUT that cancels it.
   * @param isBeaten true if another run's task takes its place
   */
  readonly cancelledName?: ((record: JsonObject, isBeaten: boolean) => string | undefined) | undefined;
}

interface TaskToMake extends Checked {
  readonly body: Values;
  readonly baseline?: Baseline | undefined;
  /** Seconds to count down after the task is created and checked. */
  readonly hold?: number | undefined;
  /** Called with the new task before everything else. */
  readonly onMade?: ((record: JsonObject) => Promise<void>) | undefined;
  /** Returns the task with a lower id that another run created at the same time. That task stays, and this run's task is cancelled. */
  readonly rivalOf?: ((made: JsonObject, client: Client) => Promise<Rival | undefined>) | undefined;
  /** True if Ctrl-C must not stop the run even before the POST, because the replaced task is cancelled by then. */
  readonly despiteInterrupt?: boolean | undefined;
}

interface TaskToChange extends Checked {
  readonly id: Id;
  readonly body: Values;
}

/**
 * Creates a task, and returns the task that stays: this run's, or another run's.
 * @throws SendError if the task must not be sent; ClientError
 */
export async function makeTask(ports: SendPorts, given: TaskToMake): Promise<JsonObject> {
  const wanted = await withinBudget(ports, given);
  return guarded(ports, wanted, async () => {
    const { client, markSending } = await clientFor(ports, wanted, wanted.despiteInterrupt);
    const made = await client.create(task, wanted.body, {
      ...(wanted.baseline === undefined ? {} : { baseline: wanted.baseline }),
      beforeAttempt: () => beforeAttempt(wanted, markSending),
    });
    return orCancelled(ports, made, wanted, () => keepOne(ports, client, made, wanted));
  });
}

/**
 * Changes a task by PUT, and cancels it if it then fails a check.
 * @throws SendError, ClientError
 */
export async function changeTask(ports: SendPorts, given: TaskToChange): Promise<JsonObject> {
  const wanted = await withinBudget(ports, given);
  return guarded(ports, wanted, async () => {
    const { client, markSending } = await clientFor(ports, wanted);
    const changed = await client.update(task, wanted.id, wanted.body, {
      beforeAttempt: () => beforeAttempt(wanted, markSending),
    });
    return orCancelled(ports, changed, wanted, async () => {
      await check(ports, client, changed, wanted);
      return changed;
    });
  });
}

/**
 * Checks an existing task, such as one that an earlier run created.
 * @throws SendError if it must not be sent
 */
export function checkTask(ports: SendPorts, record: JsonObject, wanted: Checked): Promise<JsonObject> {
  return guarded(ports, wanted, async () => {
    const { client } = await clientFor(ports, wanted, true);
    return orCancelled(ports, record, wanted, async () => {
      await check(ports, client, record, wanted);
      return record;
    });
  });
}

/** Adds the check against the budget of the profile, if it has one. */
async function withinBudget<W extends Checked>(ports: SendPorts, wanted: W): Promise<W> {
  const own = await ports.budgetCheck?.();
  return own === undefined ? wanted : { ...wanted, mayBeCancelled: true, checks: [own, ...wanted.checks] };
}

const guarded = <T>(
  ports: SendPorts,
  { mayBeCancelled = true }: Checked,
  work: () => Promise<T>,
): Promise<T> => (mayBeCancelled ? ports.withSignalGuard(work) : work());

async function clientFor(
  ports: SendPorts,
  { mayBeCancelled = true }: Checked,
  despiteInterrupt = false,
): Promise<SureClient> {
  if (mayBeCancelled) return sureClient(ports, despiteInterrupt);
  return { client: await ports.clientWith(ports.signal, undefined), markSending: () => undefined };
}

async function beforeAttempt({ isTimely }: Checked, markSending: () => void): Promise<void> {
  await isTimely?.();
  markSending();
}

/** Completes the work on a task that may be sent. If the work throws an error that does not concern the task, cancels the task. */
async function orCancelled(
  ports: SendPorts,
  record: JsonObject,
  wanted: Checked,
  work: () => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SendError) throw error;
    if (error instanceof Settled) throw error.error;
    if (wanted.mayBeCancelled === false || record['completed'] === true) throw error;
    const cancellation = cancellationOf(wanted, record);
    await cancelForGood(ports, record, cancellation);
    await ports.info(`${cancellation.title} is cancelled, because it could not be checked`);
    throw error;
  }
}

async function keepOne(
  ports: SendPorts,
  client: Client,
  made: JsonObject,
  wanted: TaskToMake,
): Promise<JsonObject> {
  const { hold = 0 } = wanted;
  // Start the countdown now, because the checks below take time.
  const until = hold > 0 ? Math.min((await ports.latestNow()) + hold, Number(made['scheduledtime'])) : 0;
  await wanted.onMade?.(made);
  await check(ports, client, made, wanted);
  const rival = await wanted.rivalOf?.(made, client);
  if (rival) return giveWay(ports, client, made, rival, wanted);
  if (hold > 0) await holdTask(ports, made, cancellationOf(wanted, made), until);
  return made;
}

/** Cancels the task with the higher id. The other task must pass the same checks. */
async function giveWay(
  ports: SendPorts,
  client: Client,
  made: JsonObject,
  { record, why, error }: Rival,
  wanted: TaskToMake,
): Promise<JsonObject> {
  const cancellation = cancellationOf(wanted, made, true);
  await cancelForGood(ports, made, { ...cancellation, why });
  if (error) throw new Settled(error);
  await ports.warn(`${why}; ${cancellation.title} is cancelled`).catch(() => undefined);
  const kept = orCancelled(ports, record, wanted, async () => {
    await check(ports, client, record, wanted);
    return record;
  });
  return kept.catch((cause: Error) => {
    throw new Settled(cause);
  });
}

/** Signals that the run's own task is cancelled; `error` holds the reason. */
class Settled extends Error {
  readonly error: Error;

  constructor(error: Error) {
    super(error.message);
    this.error = error;
  }
}

async function check(ports: SendPorts, client: Client, record: JsonObject, wanted: Checked): Promise<void> {
  if (record['completed'] === true) return;
  for (const each of wanted.checks) {
    const fault = await each(record, client);
    if (fault === undefined) continue;
    const { kind, why, hint, isConflict = false } = fault;
    await cancelForGood(ports, record, { ...cancellationOf(wanted, record), why });
    throw new SendError(kind, `${why}; it is cancelled`, {
      outcome: isConflict ? 'conflict' : 'refused',
      hint,
    });
  }
}

const cancellationOf = (
  { title, cancelledName }: Checked,
  record: JsonObject,
  isBeaten = false,
): Cancellation & { readonly title: string } => ({
  title: title?.(record) ?? titleOf(task, record),
  name: cancelledName?.(record, isBeaten),
});

/**
 * Counts down until the Unix seconds `until`.
 * @throws SendError `interrupted` if the countdown was ended; the task is cancelled then
 */
async function holdTask(
  ports: SendPorts,
  record: JsonObject,
  { title, ...cancellation }: Cancellation & { readonly title: string },
  until: number,
): Promise<void> {
  try {
    await ports.countDown(title, until);
    // The signal may come while the last second is drawn.
    ports.signal.throwIfAborted();
  } catch (cause) {
    await cancelForGood(ports, record, { title, ...cancellation });
    throw cancelled(ports, title, cause);
  }
  await ports.info(`the hold is over; until it is sent, svc task cancel ${taskId(record)} cancels it`);
}

/**
 * Returns the error of a cancelled task. The error has a cause if something other than the user ended the countdown: a closed terminal, or
 * an uncaught error.
 */
function cancelled(ports: SendPorts, title: string, cause: unknown): SendError {
  const fault = ports.signal.aborted ? ports.thrown() : cause;
  if (fault === undefined)
    return new SendError('interrupted', `${title} is cancelled; nothing was sent`, {
      outcome: 'interrupted',
    });
  const words = fault instanceof Error ? fault.message : String(fault);
  return new SendError(
    'interrupted',
    `${title} is cancelled, and nothing was sent: the countdown failed (${words})`,
    { outcome: 'failed', cause: fault },
  );
}
