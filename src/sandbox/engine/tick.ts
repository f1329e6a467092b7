/** Does what is due, in order of due time, and moves a manual clock along. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { ServiceError } from '../../protocol/service-errors.ts';
import { claimAccount, holdAccount, holdClock } from '../store/hold.ts';
import type { Db, Store } from '../store/open.ts';
import { queuedActions } from './automations/actions.ts';
import { clockMode, moveClock, serviceNow } from './clock.ts';
import type { DueItem, DueWork, Effect } from './due.ts';
import { singleSms } from './sending/single-sms.ts';
import { BATCH, tasksInBatches } from './sending/tasks.ts';

/** Among what is due at the same time this order holds, then that of the ids. */
const sourcesOf = ({ batch = BATCH }: EngineOptions): readonly DueWork[] => [
  tasksInBatches(batch),
  singleSms,
  queuedActions,
];

/** What the engine needs from outside. */
export interface EngineOptions {
  /** Milliseconds since the epoch. */
  readonly machineNow: () => number;
  /** Carries out what leaves the sandbox; not waited for, and must not throw. */
  readonly perform?: (effect: Effect) => void;
  /** Recipients of a task that one step, and so one transaction, looks at. */
  readonly batch?: number;
  /** Aborted when the sandbox ends: nothing more is done after the step that is under way. */
  readonly signal?: AbortSignal;
}

/** The sandbox ended before all was done that is due. What was done stays, and the clock stands where that was due. */
export class EngineStopped extends ServiceError {
  constructor() {
    super(503, 'The sandbox is stopping; the clock stands where the last of what was done was due');
  }
}

/**
 * Does everything that is due by the service's clock, each at its own time, what that makes due included. The clock
 * does not move. Returns the number of steps.
 * @throws EngineStopped when the sandbox ends meanwhile; so do `advanceTo` and `runToEnd`
 */
export async function tick(store: Store, options: EngineOptions): Promise<number> {
  const now = await serviceNow(store.db, options.machineNow());
  return runUntil(store, now, options);
}

/**
 * Moves a manual clock to `time` (Unix seconds) by way of all that falls due until then: it stands at each due time
 * while that is done, so that an end of the process in between loses and repeats nothing. Returns the number of steps.
 * @throws RangeError when the clock is real, or shows a later time
 */
export async function advanceTo(store: Store, time: number, options: EngineOptions): Promise<number> {
  await requireMovable(store, time, options);
  const steps = await runUntil(store, time, options);
  await store.transaction(async (db) => {
    if (store.isShared) await holdClock(db);
    await moveForward(db, time, options);
  }, UNHELD);
  return steps;
}

/**
 * Moves a manual clock until nothing is left to be done. Returns the number of steps.
 * @throws RangeError when the clock is real
 */
export async function runToEnd(store: Store, options: EngineOptions): Promise<number> {
  await requireMovable(store, Number.POSITIVE_INFINITY, options);
  return runUntil(store, Number.POSITIVE_INFINITY, options);
}

/** One step a transaction; others get their turn between two steps. */
async function runUntil(store: Store, time: number, options: EngineOptions): Promise<number> {
  const sources = sourcesOf(options);
  for (let steps = 0; ; ) {
    if (options.signal?.aborted) throw new EngineStopped();
    const { effects, isDone, wasTaken } = await store.transaction(async (db) => {
      const effects: Effect[] = [];
      const item = store.isShared ? await claimed(db, sources, time) : await nextDue(db, sources);
      if (item === 'taken') return { effects, isDone: false, wasTaken: true };
      if (!item || item.due > time) return { effects, isDone: true, wasTaken: false };
      await moveForward(db, item.due, options);
      await item.work.run(db, item, item.due, { afterwards: (effect) => effects.push(effect) });
      return { effects, isDone: false, wasTaken: false };
    }, UNHELD);
    for (const effect of effects) options.perform?.(effect);
    if (isDone) return steps;
    steps += wasTaken ? 0 : 1;
    await letOthersRun();
  }
}

const UNHELD = { kind: 'unheld' } as const;

/**
 * What is to be done next, held so that no other process does it, nor anything else for its account. By a manual clock all is
 * done in one order, one at a time; by the real one each account has its own. `taken` where it has to be looked for again,
 * since somebody else has done what was found.
 */
async function claimed(
  db: Db,
  sources: readonly DueWork[],
  time: number,
): Promise<NextDue | 'taken' | undefined> {
  if ((await clockMode(db)) === 'manual') {
    await holdClock(db);
    const first = await nextDue(db, sources);
    if (!first || first.due > time) return undefined;
    await holdAccount(db, first.accountId);
    const still = await nextDue(db, sources);
    return still?.work === first.work && still.id === first.id && still.due === first.due ? first : 'taken';
  }
  const first = await nextDue(db, sources);
  if (!first || first.due > time) return undefined;
  const accountId = await claimAccount(db, time);
  if (accountId !== undefined) {
    const item = await nextDue(db, sources, accountId);
    return item && item.due <= time ? item : 'taken';
  }
  // Somebody is at work for all accounts that have something due: it is done once they are, or their processes are gone.
  await holdAccount(db, first.accountId);
  return 'taken';
}

interface NextDue extends DueItem {
  readonly work: DueWork;
}

/** @param accountId left out: whosever it is */
async function nextDue(
  db: Db,
  sources: readonly DueWork[],
  accountId?: number,
): Promise<NextDue | undefined> {
  let first: NextDue | undefined;
  for (const work of sources) {
    const item = await work.next(db, accountId);
    if (item && (!first || item.due < first.due)) first = { ...item, work };
  }
  return first;
}

async function moveForward(db: Db, time: number, { machineNow }: EngineOptions): Promise<void> {
  if ((await clockMode(db)) === 'manual' && time > (await serviceNow(db, machineNow())))
    await moveClock(db, time, machineNow());
}

async function requireMovable(store: Store, time: number, { machineNow }: EngineOptions): Promise<void> {
  if ((await clockMode(store.db)) === 'real')
    throw new RangeError('the clock is real; only a manual clock can be moved');
  const now = await serviceNow(store.db, machineNow());
  if (time < now) throw new RangeError(`the clock shows ${now} and can't go back to ${time}`);
}
