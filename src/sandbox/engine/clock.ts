/** The service's clock: the machine's, or one that stands still until it is moved. It never goes back. */
import type { Db } from '../store/open.ts';
import { readSetting, writeSetting } from '../store/settings.ts';

export type ClockMode = 'real' | 'manual';

const MODE = 'clock.mode';
const TIME = 'clock.time';

export async function clockMode(db: Db): Promise<ClockMode> {
  return (await readSetting(db, MODE)) === 'manual' ? 'manual' : 'real';
}

/** Unix seconds. @param machineNow milliseconds */
export async function serviceNow(db: Db, machineNow: number): Promise<number> {
  const machine = Math.floor(machineNow / 1000);
  if ((await clockMode(db)) === 'real') return machine;
  return Number((await readSetting(db, TIME)) ?? machine);
}

/** Chooses the mode. A clock that turns manual stands at the time it showed. */
export async function setClockMode(db: Db, mode: ClockMode, machineNow: number): Promise<void> {
  const now = await serviceNow(db, machineNow);
  await writeSetting(db, MODE, mode);
  if (mode === 'manual') await writeSetting(db, TIME, String(now));
}

/** Moves a manual clock. `RangeError` when it runs by itself, or would go back. */
export async function moveClock(db: Db, time: number, machineNow: number): Promise<void> {
  if ((await clockMode(db)) === 'real')
    throw new RangeError('the clock is real; only a manual clock can be moved');
  const now = await serviceNow(db, machineNow);
  if (time < now) throw new RangeError(`the clock shows ${now} and can't go back to ${time}`);
  await writeSetting(db, TIME, String(time));
}
