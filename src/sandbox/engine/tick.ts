/** Runs due work in order of due time, and moves a manual clock forward. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { SimulatedRecipientSettings } from '../../service/protocol/control/audience.ts';
import { ServiceError } from '../../service/protocol/service-errors.ts';
import {
  type DueWorkItem,
  findFirstDueItem,
  lockAccountRow,
  lockAccountWithDueWork,
  lockClockRow,
} from '../store/due-work.ts';
import { type Db, type Store, WITHOUT_LOCK } from '../store/open.ts';
import { createDueReactionHandler, REACTIONS_PER_STEP } from './audience/react.ts';
import { createDueActionHandler, MAX_RULE_ACTIONS_PER_STEP } from './automations/actions.ts';
import {
  clockGoesBackError,
  moveClock,
  REAL_CLOCK_MESSAGE,
  readClock,
  readClockMode,
  readServiceTime,
} from './clock.ts';
import type { DueWorkHandler, NotifyUrlRequest } from './due.ts';
import { createDueTaskHandler, dueSingleSmsHandler, MAX_RECIPIENTS_PER_STEP } from './sending.ts';

/** Returns the handlers. If items are due at the same time, they run in the order of this array, then of id. */
const createDueWorkHandlers = ({ batch, simulatedRecipients }: EngineOptions): readonly DueWorkHandler[] => [
  createDueTaskHandler(batch ?? MAX_RECIPIENTS_PER_STEP, simulatedRecipients),
  dueSingleSmsHandler,
  createDueActionHandler(batch ?? MAX_RULE_ACTIONS_PER_STEP),
  createDueReactionHandler(batch ?? REACTIONS_PER_STEP),
];

export interface EngineOptions {
  /** Returns this machine's time in milliseconds since the epoch. */
  readonly machineNow: () => number;
  /** Sends a request outside the sandbox. The engine does not wait for it, and it must not throw. */
  readonly sendNotifyUrlRequest?: (effect: NotifyUrlRequest) => void;
  /** Maximum number of recipients, reactions or actions of rules that one step handles. Each step is one transaction. */
  readonly batch?: number;
  /** Shares of recipients who react to each task that is sent. If omitted, recipients do not react. */
  readonly simulatedRecipients?: SimulatedRecipientSettings | undefined;
  /** Reports whether requests are in progress, for which the engine then pauses longer after each step. */
  readonly hasRequests?: () => boolean;
  /** Aborted when the sandbox stops: the engine finishes the current step and starts no other. */
  readonly signal?: AbortSignal;
}

/** Thrown when the sandbox stops before all due work is done. Completed work is kept; the clock stays at the last completed due time. */
export class EngineStoppedError extends ServiceError {
  constructor() {
    super(
      503,
      'The sandbox is stopping before all due actions have run. Its clock shows the due time of the last action that has run',
    );
  }
}

/**
 * Runs all work that is due by the service's clock, each item at its own time, without moving the clock. Returns the number of steps.
 * @throws EngineStoppedError when the sandbox stops before all work is done, as the two functions below do
 */
export async function runDueWork(store: Store, options: EngineOptions): Promise<number> {
  const now = await readServiceTime(store.db, options.machineNow());
  return runUntil(store, now, options);
}

/**
 * Moves a manual clock to `time` (Unix seconds), and runs the work that is due until then. The clock moves together with the work, so that a
 * crash neither loses nor repeats any. Returns the number of steps. Throws `RangeError` as `moveClock` does.
 */
export async function advanceClockTo(store: Store, time: number, options: EngineOptions): Promise<number> {
  await requireMovable(store, time, options);
  const steps = await runUntil(store, time, options);
  await store.transaction(async (db) => {
    if (store.isShared) await lockClockRow(db);
    await moveForward(db, time, options);
  }, WITHOUT_LOCK);
  return steps;
}

/** Moves a manual clock until no work is left. Returns the number of steps. Throws `RangeError` if the clock is real. */
export async function advanceClockUntilIdle(store: Store, options: EngineOptions): Promise<number> {
  await requireMovable(store, Number.POSITIVE_INFINITY, options);
  return runUntil(store, Number.POSITIVE_INFINITY, options);
}

/** Runs one step per transaction. Requests in progress are answered between two steps. */
async function runUntil(store: Store, time: number, options: EngineOptions): Promise<number> {
  const handlers = createDueWorkHandlers(options);
  for (let steps = 0; ; ) {
    if (options.signal?.aborted) throw new EngineStoppedError();
    const { effects, isDone, wasTaken } = await store.transaction(async (db) => {
      const effects: NotifyUrlRequest[] = [];
      const item = store.isShared ? await claimNextDue(db, handlers, time) : await nextDue(db, handlers);
      if (item === 'taken') return { effects, isDone: false, wasTaken: true };
      if (!item || item.due > time) return { effects, isDone: true, wasTaken: false };
      await moveForward(db, item.due, options);
      let last = item.due;
      await item.work.runItem(db, item, item.due, {
        until: time,
        reached: (reached) => {
          last = Math.max(last, reached);
        },
        requestAfterCommit: (effect) => effects.push(effect),
      });
      if (last > item.due) await moveForward(db, last, options);
      return { effects, isDone: false, wasTaken: false };
    }, WITHOUT_LOCK);
    for (const effect of effects) options.sendNotifyUrlRequest?.(effect);
    if (isDone) return steps;
    steps += wasTaken ? 0 : 1;
    await letRequestsRun(options);
  }
}

/**
 * Maximum turns of the event loop for requests between two steps. With one turn, each of 10,000 requests a minute would wait for more than a
 * second during a send. Without a maximum, a stream of requests would stop the send.
 */
const MOST_TURNS = 20;

async function letRequestsRun({ hasRequests }: EngineOptions): Promise<void> {
  for (let turn = 0; turn === 0 || (turn < MOST_TURNS && hasRequests?.()); turn += 1) await letOthersRun();
}

/**
 * Returns the next due item, and locks its account: of all accounts with a manual clock, of one account with a real one. Returns `taken` if
 * another process took the item; the caller then tries again.
 */
async function claimNextDue(
  db: Db,
  handlers: readonly DueWorkHandler[],
  time: number,
): Promise<NextDue | 'taken' | undefined> {
  if ((await readClockMode(db)) === 'manual') {
    await lockClockRow(db);
    const first = await nextDue(db, handlers);
    if (!first || first.due > time) return undefined;
    await lockAccountRow(db, first.accountId);
    const still = await nextDue(db, handlers);
    return still?.work === first.work && still.id === first.id && still.due === first.due ? first : 'taken';
  }
  const first = await nextDue(db, handlers);
  if (!first || first.due > time) return undefined;
  const accountId = await lockAccountWithDueWork(db, time);
  if (accountId !== undefined) {
    const item = await nextDue(db, handlers, accountId);
    return item && item.due <= time ? item : 'taken';
  }
  // Other processes hold every account that has due work. Waits until one of them finishes or ends.
  await lockAccountRow(db, first.accountId);
  return 'taken';
}

interface NextDue extends DueWorkItem {
  readonly work: DueWorkHandler;
}

async function nextDue(
  db: Db,
  handlers: readonly DueWorkHandler[],
  accountId?: number,
): Promise<NextDue | undefined> {
  let first: NextDue | undefined;
  for (const work of handlers) {
    const item = await findFirstDueItem(db, work.table, accountId);
    if (item && (!first || item.due < first.due)) first = { ...item, work };
  }
  return first;
}

async function moveForward(db: Db, time: number, { machineNow }: EngineOptions): Promise<void> {
  const { mode, time: now } = await readClock(db, machineNow());
  if (mode === 'manual' && time > now) await moveClock(db, time, machineNow());
}

async function requireMovable(store: Store, time: number, { machineNow }: EngineOptions): Promise<void> {
  if ((await readClockMode(store.db)) === 'real') throw new RangeError(REAL_CLOCK_MESSAGE);
  const now = await readServiceTime(store.db, machineNow());
  if (time < now) throw clockGoesBackError(now, time);
}
