/** Does what is due, in order of due time, and moves a manual clock along. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { ServiceError } from '../../protocol/service-errors.ts';
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
  await store.transaction((db) => moveForward(db, time, options));
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
  for (let steps = 0; ; steps += 1) {
    if (options.signal?.aborted) throw new EngineStopped();
    const effects: Effect[] = [];
    const isDone = await store.transaction(async (db) => {
      const item = await nextDue(db, sources);
      if (!item || item.due > time) return true;
      await moveForward(db, item.due, options);
      await item.work.run(db, item, item.due, { afterwards: (effect) => effects.push(effect) });
      return false;
    });
    for (const effect of effects) options.perform?.(effect);
    if (isDone) return steps;
    await letOthersRun();
  }
}

interface NextDue extends DueItem {
  readonly work: DueWork;
}

async function nextDue(db: Db, sources: readonly DueWork[]): Promise<NextDue | undefined> {
  let first: NextDue | undefined;
  for (const work of sources) {
    const item = await work.next(db);
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
