/** Limits how many operations run at once: a fixed number, or a limit that rises slowly after successes and halves after an overload. */

import type { TraceEvent } from './connection.ts';
import { ClientError } from './errors.ts';
import type { Clock } from './ports.ts';
import { readRetryAfterMs } from './retry.ts';

interface LimiterOptions {
  readonly clock: Clock;
  /** Limit at first; default 4. */
  readonly start?: number | undefined;
  /** Default 16. */
  readonly max?: number | undefined;
  /** Default 1. */
  readonly min?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConcurrencyLimiter {
  /** Operations begin in the order in which they were passed to `run`. */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>;
  /**
   * Lowers the limit after a response with status 429 or 503. `run` does not see these responses, because the client retries the requests
   * itself.
   */
  readonly trace: (event: TraceEvent) => void;
  readonly limit: () => number;
}

/** Milliseconds after an overload during which further errors count as the same overload. */
const SAME_OVERLOAD = 1000;

export function createConcurrencyLimiter(options: LimiterOptions): ConcurrencyLimiter {
  const { clock, start = 4, max = 16, min = 1, signal } = options;
  let limit = Math.min(max, Math.max(min, start));
  let running = 0;
  let successes = 0;
  let cutAt = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;
  const waiting: (() => void)[] = [];

  const wake = (): void => {
    while (running < limit) {
      const next = waiting.shift();
      if (!next) return;
      running += 1;
      next();
    }
  };
  const cut = (hold: number): void => {
    const now = clock.now();
    heldUntil = Math.max(heldUntil, now + hold);
    successes = 0;
    if (now - cutAt < SAME_OVERLOAD) return;
    cutAt = now;
    limit = Math.max(min, Math.floor(limit / 2));
  };
  const rise = (): void => {
    successes += 1;
    if (successes < limit) return;
    successes = 0;
    limit = Math.min(max, limit + 1);
  };

  return {
    run: async (operation) => {
      if (running < limit && waiting.length === 0) running += 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          wake();
        });
      try {
        // Several operations may have waited for the same moment, and another overload may have occurred meanwhile.
        while (clock.now() < heldUntil) await clock.sleep(heldUntil - clock.now(), signal);
        signal?.throwIfAborted();
        const result = await operation();
        rise();
        return result;
      } catch (error) {
        if (isOverload(error)) cut(0);
        // A rejected request is a normal response: the service keeps up.
        else if (error instanceof ClientError && error.kind === 'refused') rise();
        throw error;
      } finally {
        running -= 1;
        wake();
      }
    },
    trace: (event) => {
      if (event.kind !== 'answer' || !isOverloadStatus(event.status)) return;
      cut(readRetryAfterMs({ ...event, body: '' }, clock.now()) ?? 0);
    },
    limit: () => limit,
  };
}

const isOverloadStatus = (status: number | undefined): boolean => status === 429 || status === 503;

const isOverload = (error: unknown): boolean =>
  error instanceof ClientError && isOverloadStatus(error.status);

/**
 * If `work` throws, waits for the items that have begun, starts no further item, and throws the error.
 * @param signal after Ctrl-C, no further item is started
 */
export async function runConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const queue = items.entries();
  let isStopped = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (isStopped || signal?.aborted) return;
      try {
        await work(item, index);
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  const ended = await Promise.allSettled(workers);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}
