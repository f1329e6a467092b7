/**
 * The one way in which a task is made or changed: sent, found again when its answer is lost, checked, held, and cancelled when it must not
 * be sent. Whatever ends the run between the POST and the last check, a task that fails a check or its hold is cancelled, or the error
 * names it (contract, "Safety").
 */
import type { Client } from '../client/client.ts';
import { titleOf } from '../client/record-title.ts';
import type { Baseline } from '../client/recovery/find-created.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { task } from '../resources/task.ts';
import type { Id } from '../schema/integer.ts';
import type { Values } from '../schema/resource.ts';
import { type Cancellation, cancelForGood } from './cancel.ts';
import { SendError, type SendErrorKind } from './errors.ts';
import { holdTask } from './hold.ts';
import { type SendPorts, type SureClient, sureClient } from './ports.ts';
import type { Rival } from './rival.ts';

/** Why a task must not be sent. */
export interface Fault {
  readonly kind: SendErrorKind;
  /** A sentence about the task: `task 12 found 3 subscriptions and 1 was expected`. */
  readonly why: string;
  readonly hint: string;
  /** The service was changed meanwhile: exit 5. */
  readonly isConflict?: boolean;
}

/** Returns why a task must not be sent. A check that throws counts as one that fails. @param client is not stopped by Ctrl-C */
export type Check = (record: JsonObject, client: Client) => Promise<Fault | undefined>;

interface Checked {
  /** False when no check can fail and there is no hold: Ctrl-C ends such a run at once, and cancels nothing. True unless given. */
  readonly mayBeCancelled?: boolean | undefined;
  /** Holds before every attempt; what it throws sends nothing. */
  readonly isTimely?: (() => Promise<void>) | undefined;
  readonly checks: readonly Check[];
  /** Words for the task, `task 12 (Sale)` unless given. */
  readonly title?: ((record: JsonObject) => string) | undefined;
  /** The name that a task gets in the PUT that cancels it. @param isBeaten another run's task takes its place */
  readonly cancelledName?: ((record: JsonObject, isBeaten: boolean) => string | undefined) | undefined;
}

export interface TaskToMake extends Checked {
  readonly body: Values;
  readonly baseline?: Baseline | undefined;
  /** Seconds to count down once it is made and checked. */
  readonly hold?: number | undefined;
  /** Called first with the task that was made. */
  readonly onMade?: ((record: JsonObject) => Promise<void>) | undefined;
  /** Returns the task of another run, made at the same time with a lower id: the lower one stays. */
  readonly rivalOf?: ((made: JsonObject, client: Client) => Promise<Rival | undefined>) | undefined;
  /** Ctrl-C does not stop it before the POST either: what it replaces is cancelled already. */
  readonly despiteInterrupt?: boolean | undefined;
}

export interface TaskToChange extends Checked {
  readonly id: Id;
  readonly body: Values;
}

/**
 * Makes a task and returns the one that stays: its own, or another run's.
 * @throws SendError when the task must not be sent; ClientError
 */
export function makeTask(ports: SendPorts, wanted: TaskToMake): Promise<JsonObject> {
  return guarded(ports, wanted, async () => {
    const { client, markSending } = await clientFor(ports, wanted, wanted.despiteInterrupt);
    const made = await client.create(task, wanted.body, {
      ...(wanted.baseline === undefined ? {} : { baseline: wanted.baseline }),
      beforeAttempt: () => beforeAttempt(wanted, markSending),
    });
    return orCancelled(ports, made, wanted, () => keepOne(ports, client, made, wanted));
  });
}

/** Changes a task by PUT, and cancels it where it fails a check now. @throws SendError, ClientError */
export function changeTask(ports: SendPorts, wanted: TaskToChange): Promise<JsonObject> {
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

/** Checks a task that is there already, such as one that an earlier run made. @throws SendError when it must not be sent */
export function checkTask(ports: SendPorts, record: JsonObject, wanted: Checked): Promise<JsonObject> {
  return guarded(ports, wanted, async () => {
    const { client } = await clientFor(ports, wanted, true);
    return orCancelled(ports, record, wanted, async () => {
      await check(ports, client, record, wanted);
      return record;
    });
  });
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

/** Does what is left to do with a task that may be live. An error without words about the task cancels it. */
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

/** Cancels the task that came second. The first one is held against the same checks. */
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

/** The run's own task is cancelled, and `error` says what went wrong. */
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
