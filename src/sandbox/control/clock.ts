/** The clock of the service, and what falls due by it. */
import { conflict } from '../../protocol/faults.ts';
import { clockMode, serviceNow } from '../engine/clock.ts';
import { advanceTo, runToEnd } from '../engine/tick.ts';
import { number } from './arguments.ts';
import { type Controlled, type Operations, ofCompany, ofSandbox } from './operation.ts';

/** A hundred years ahead is a slip of the finger. */
const MOST_SECONDS = 100 * 366 * 86_400;
/** The last second of the year 9999: later times can't be written, and nothing can be scheduled for them. */
const LAST_SECOND = 253_402_300_799;

export const clockOperations: Operations = {
  /** Of a company, since it is its zone that times are read in. */
  'clock show': ofCompany(async ({ db, account, now }) => ({
    clock: await clockMode(db),
    time: now,
    zone: account.timezone,
  })),
  'clock set': ofSandbox(async (sandbox, args) => {
    const time = number(args, 'time', { least: 0, most: LAST_SECOND });
    return moved(sandbox, () => advanceTo(sandbox.service.store, time, sandbox.engine));
  }),
  'clock advance': ofSandbox(async (sandbox, args) => {
    const seconds = number(args, 'seconds', { least: 0, most: MOST_SECONDS });
    return moved(sandbox, async () => {
      const now = await timeOf(sandbox);
      if (now + seconds > LAST_SECOND)
        throw new RangeError(`the clock shows ${now} and can't go past the year 9999 (${LAST_SECOND})`);
      return advanceTo(sandbox.service.store, now + seconds, sandbox.engine);
    });
  }),
  'clock run': ofSandbox((sandbox) => moved(sandbox, () => runToEnd(sandbox.service.store, sandbox.engine))),
};

async function moved(sandbox: Controlled, move: () => Promise<number>) {
  try {
    const done = await move();
    return { clock: 'manual', time: await timeOf(sandbox), done };
  } catch (error) {
    // Real, or asked to go back or too far.
    if (error instanceof RangeError) throw conflict(error.message);
    throw error;
  }
}

const timeOf = ({ service }: Controlled): Promise<number> =>
  serviceNow(service.store.db, service.outside.machineNow());
