/** Shows and moves the clock of the service. Moving it runs the work that falls due. */
import type { JsonObject } from '../../protocol/json.ts';
import { conflict } from '../../protocol/service-errors.ts';
import { clockMode, serviceNow } from '../engine/clock.ts';
import { advanceTo, runToEnd } from '../engine/tick.ts';
import type { Db } from '../store/open.ts';
import { endedTasks } from '../store/tasks.ts';
import { LAST_SECOND } from './arguments.ts';
import type { ControlContext, OperationsOf } from './operation.ts';

export const clockOperations = {
  'clock show': async ({ db, account, now }) => ({
    clock: await clockMode(db),
    time: now,
    zone: account.timezone,
  }),
  'clock set': async (sandbox, { time }) =>
    moved(sandbox, () => advanceTo(sandbox.service.store, time, sandbox.engine)),
  'clock advance': async (sandbox, { seconds }) =>
    moved(sandbox, async () => {
      const now = await timeOf(sandbox);
      if (now + seconds > LAST_SECOND)
        throw new RangeError(`the clock shows ${now} and cannot go past the year 9999 (${LAST_SECOND})`);
      return advanceTo(sandbox.service.store, now + seconds, sandbox.engine);
    }),
  'clock run': (sandbox) => moved(sandbox, () => runToEnd(sandbox.service.store, sandbox.engine)),
} satisfies OperationsOf<'clock'>;

async function moved(sandbox: ControlContext, move: () => Promise<number>) {
  try {
    const before = await timeOf(sandbox);
    const done = await move();
    const time = await timeOf(sandbox);
    return { clock: 'manual', time, done, tasks: await sendsBetween(sandbox.service.store.db, before, time) };
  } catch (error) {
    // The clock is real, or the time is in the past or too far ahead.
    if (error instanceof RangeError) throw conflict(error.message);
    throw error;
  }
}

/** Returns the sends that ended after `from` and up to `to`, newest last, at most ten. */
async function sendsBetween(db: Db, from: number, to: number): Promise<readonly JsonObject[]> {
  const rows = await endedTasks(db, { from, to, limit: 10 });
  return rows.map(({ id, name, channel, sent, skipped, completed }) => ({
    ...{ id, name, channel, sent, skipped },
    completed: completed === 1,
  }));
}

const timeOf = ({ service }: ControlContext): Promise<number> =>
  serviceNow(service.store.db, service.outside.machineNow());
