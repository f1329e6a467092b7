/** The service's clock: the machine's clock, or a manual one that moves only on request. It never goes back. */
import type { Db } from '../store/open.ts';
import { readSetting, readTwoSettings, writeSetting } from '../store/settings.ts';

export type ClockMode = 'real' | 'manual';

const MODE = 'clock.mode';

const TIME = 'clock.time';

export async function readClockMode(db: Db): Promise<ClockMode> {
  return (await readSetting(db, MODE)) === 'manual' ? 'manual' : 'real';
}

/** Returns the service's time in Unix seconds. `machineNow` is this machine's time in milliseconds. */
export async function readServiceTime(db: Db, machineNow: number): Promise<number> {
  return (await readClock(db, machineNow)).time;
}

export interface ClockReading {
  /** Time of the service's clock in Unix seconds. */
  readonly time: number;
  readonly mode: ClockMode;
}

/** Returns time and mode of the clock. `machineNow` is this machine's time in milliseconds. */
export async function readClock(db: Db, machineNow: number): Promise<ClockReading> {
  const machine = Math.floor(machineNow / 1000);
  const [mode, time] = await readTwoSettings(db, MODE, TIME);
  return mode === 'manual' ? { mode, time: Number(time ?? machine) } : { mode: 'real', time: machine };
}

/** A manual clock can't become real, because it shows a later time (`stands`) than the machine (`real`), in Unix seconds. */
export class ClockAheadError extends Error {
  override readonly name = 'ClockAheadError';
  readonly stands: number;
  readonly real: number;
  constructor(stands: number, real: number) {
    super(`the manual clock shows ${inUtc(stands)}, ahead of real time (${inUtc(real)})`);
    this.stands = stands;
    this.real = real;
  }
}

const inUtc = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Sets the mode. A clock that becomes manual keeps its time. Throws `ClockAheadError` if the change would turn the clock back. */
export async function setClockMode(db: Db, mode: ClockMode, machineNow: number): Promise<void> {
  const now = await readServiceTime(db, machineNow);
  const real = Math.floor(machineNow / 1000);
  if (mode === 'real' && now > real) throw new ClockAheadError(now, real);
  await writeSetting(db, MODE, mode);
  if (mode === 'manual') await writeSetting(db, TIME, String(now));
}

export const REAL_CLOCK_MESSAGE =
  'the clock is real, so it cannot be moved; to move it, stop the sandbox and run svc sandbox start --clock manual';

/** Returns the error for a move of the clock to an earlier time. Both times are Unix seconds. */
export const clockGoesBackError = (now: number, time: number): RangeError =>
  new RangeError(`the clock shows ${inUtc(now)} and cannot go back to ${inUtc(time)}`);

/** Moves a manual clock to `time` (Unix seconds). Throws `RangeError` if the clock is real or shows a later time. */
export async function moveClock(db: Db, time: number, machineNow: number): Promise<void> {
  const { mode, time: now } = await readClock(db, machineNow);
  if (mode === 'real') throw new RangeError(REAL_CLOCK_MESSAGE);
  if (time < now) throw clockGoesBackError(now, time);
  await writeSetting(db, TIME, String(time));
}
