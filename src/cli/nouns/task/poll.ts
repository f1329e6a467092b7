import { ClientError } from '../../../client/requests/errors.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { type TaskRecord, task, taskPhase } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { durationFlag } from '../../command/flag.ts';
import { explainError } from '../../errors/explain-error.ts';
import {
  createReadOptionsToCapture404Error,
  type Id,
  recordNotFoundError,
} from '../../request/references.ts';
import { describeStoppedClock } from '../../request/send-time.ts';
import type { Clocks, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';

/** Milliseconds until the next check. `now` is the service's time in Unix seconds. */
export type PollInterval = (record: TaskRecord, now: number, isClockStopped: boolean) => number;

export const intervalFlag = durationFlag('interval', {
  describe: 'Time between two checks of the task',
  unit: 'milliseconds',
  defaultText: 'adaptive',
});

export interface TaskPollOptions {
  readonly interval: PollInterval;
  /** Milliseconds since the epoch. The task is checked one last time at this time. Defaults to no end. */
  readonly deadline?: number;
  /** Printed once before the first long wait: the reason, the longest duration and the effect of Ctrl-C. */
  readonly about?: string | undefined;
  /** Defaults to a plain wait, which Ctrl-C ends. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/** Checks at once, then tolerates some consecutive failures. @throws the last error after too many failures */
export async function* pollTask(
  session: Invocation & Tell & ServiceAccess & Clocks,
  id: Id,
  { interval, deadline = Number.POSITIVE_INFINITY, about, sleep }: TaskPollOptions,
): AsyncGenerator<TaskRecord> {
  const client = await session.client();
  const { clock, signal } = session.context;
  const wait = sleep ?? ((milliseconds: number) => clock.sleep(milliseconds, signal));
  let known: TaskRecord | undefined;
  let failed = 0;
  let isSaid = about === undefined;
  let isClockSaid = false;
  for (;;) {
    try {
      const look = createReadOptionsToCapture404Error();
      const record = await client.get(task, id, look);
      if (record === undefined) throw recordNotFoundError(task, String(id), look.notFoundError());
      known = record;
      failed = 0;
    } catch (error) {
      failed += 1;
      if (known === undefined || failed >= MAX_FAILED || !mayPass(error)) throw error;
      if (failed === 1) await session.info(`Retrying: ${explainError(error).message}`);
    }
    if (failed === 0) yield known;
    const left = deadline - clock.now();
    if (left <= 0) return;
    const isStopped = (await session.stoppedAt()) !== undefined;
    const next = failed > 0 ? AFTER_FAILURE * failed : interval(known, await session.serviceNow(), isStopped);
    // If the clock is stopped, the wait never ends by itself.
    if (!isSaid && (isStopped || Math.min(next, left) > SILENT_MS)) {
      await session.info(about ?? '');
      isSaid = true;
    }
    if (about !== undefined && isStopped && !isClockSaid) {
      await session.info((await describeStoppedClock(session))?.join(' ') ?? '');
      isClockSaid = true;
    }
    await wait(Math.min(next, left));
  }
}

/** Shorter after the task has changed and shortly before its start. */
export function createAdaptivePollInterval(): PollInterval {
  let before = '';
  let quiet = 0;
  return (record, now, isStopped) => {
    const shown = formatJson(record);
    quiet = shown === before ? quiet + 1 : 0;
    before = shown;
    // A stopped clock may be moved by any amount at any time.
    if (isStopped) return MIN_INTERVAL;
    if (taskPhase(record, now) !== 'scheduled')
      return Math.min(MAX_CLOCK_DIFFERENCE, MIN_INTERVAL * 1.5 ** quiet);
    const left = (Number(record.scheduledtime) - now) * 1000;
    return Math.min(MAX_CLOCK_DIFFERENCE, Math.max(MIN_INTERVAL, left / 2));
  };
}

export function readPollInterval(input: Input, fallback: PollInterval): PollInterval {
  const given = input.get(intervalFlag);
  return given === undefined ? fallback : () => given;
}

/** Milliseconds (contract: a wait of more than 2 seconds is never silent). */
const SILENT_MS = 2000;
const MIN_INTERVAL = 2000;
const MAX_CLOCK_DIFFERENCE = 60_000;
/** Consecutive failed checks. With the retries of the client, they take about ten minutes. */
const MAX_FAILED = 10;
const AFTER_FAILURE = 5000;

const mayPass = (error: unknown): boolean =>
  error instanceof ClientError && ['unreachable', 'failed', 'throttled', 'unknown'].includes(error.kind);
