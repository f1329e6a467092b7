/** Shows and moves the clock of the service. Moving it runs the work that falls due. */
import { conflict } from '../../protocol/service-errors.ts';
import { clockMode, serviceNow } from '../engine/clock.ts';
import { advanceTo, runToEnd } from '../engine/tick.ts';
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
        throw new RangeError(`the clock shows ${now} and can't go past the year 9999 (${LAST_SECOND})`);
      return advanceTo(sandbox.service.store, now + seconds, sandbox.engine);
    }),
  'clock run': (sandbox) => moved(sandbox, () => runToEnd(sandbox.service.store, sandbox.engine)),
} satisfies OperationsOf<'clock'>;

async function moved(sandbox: ControlContext, move: () => Promise<number>) {
  try {
    const done = await move();
    return { clock: 'manual', time: await timeOf(sandbox), done };
  } catch (error) {
    // The clock is real, or the time is in the past or too far ahead.
    if (error instanceof RangeError) throw conflict(error.message);
    throw error;
  }
}

const timeOf = ({ service }: ControlContext): Promise<number> =>
  serviceNow(service.store.db, service.outside.machineNow());
