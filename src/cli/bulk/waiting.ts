/** Explains the waits of a bulk job (contract: "A wait of more than 2 seconds is never silent"). */

import type { InputSource } from '../../client/bulk/source.ts';
import type { TraceEvent } from '../../client/requests/connection.ts';
import type { Clock } from '../../client/requests/ports.ts';
import { readRetryAfterMs } from '../../client/requests/retry.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import type { Notes } from '../session/ports.ts';

export interface JobWaitTracker {
  readonly trace: (event: TraceEvent) => void;
  /** Sets the number of rows whose outcome is unknown until `until` at the latest (milliseconds since the epoch). */
  readonly setUnknownRows: (rows: number, until: number) => void;
  /** Returns undefined if the job is not waiting. */
  readonly text: () => string | undefined;
}

const SAFE = 'Ctrl-C is safe';

export const MAX_WAIT_WITHOUT_NOTICE_MS = 2000;

/** @param timeout the timeout of one request with all its retries, in milliseconds */
export function createJobWaitTracker(clock: Pick<Clock, 'now'>, timeout: number): JobWaitTracker {
  let inFlight = 0;
  let busyUntil = 0;
  let doubts = { rows: 0, until: 0 };
  const left = (until: number): string =>
    formatDuration(Math.max(1, Math.ceil((until - clock.now()) / 1000)));
  return {
    trace: (event) => {
      if (event.kind === 'request') inFlight += 1;
      else if (event.kind === 'retry') busyUntil = Math.max(busyUntil, clock.now() + event.ms);
      else inFlight -= 1;
      if (event.kind !== 'answer' || (event.status !== 429 && event.status !== 503)) return;
      const hold = readRetryAfterMs({ ...event, body: '' }, clock.now()) ?? 0;
      busyUntil = Math.max(busyUntil, clock.now() + hold);
    },
    setUnknownRows: (rows, until) => {
      doubts = { rows, until };
    },
    text: () => {
      if (doubts.rows > 0) {
        const rows = formatCountWithNoun(doubts.rows, 'row');
        return `checking if the service stored ${rows} (at most ${left(doubts.until)}); ${SAFE}`;
      }
      if (inFlight > 0)
        return `waiting for ${formatCountWithNoun(inFlight, 'response')} (timeout in ${left(clock.now() + timeout)}); ${SAFE}`;
      if (busyUntil <= clock.now()) return undefined;
      return `the service is busy or unreachable; retrying in ${left(busyUntil)}; ${SAFE}`;
    },
  };
}

export const checkingRowsNotice = ({ name }: InputSource): string =>
  `checking all rows of ${name} before sending`;

/** Prints `text` once if the work takes more than 2 seconds. */
export async function withWaitNotice<T>(session: Notes, text: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => void session.info(`${text}; ${SAFE}`), MAX_WAIT_WITHOUT_NOTICE_MS);
  timer.unref();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
