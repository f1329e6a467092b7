/** How many calls of a bulk job are under way at once: slowly more while all is well, half as many when it is not. */
import { ClientError } from './errors.ts';
import type { Clock } from './ports.ts';
import { retryAfter } from './retry.ts';
import type { TraceEvent } from './trace.ts';

export interface LimiterOptions {
  readonly clock: Clock;
  /** Default 4. */
  readonly start?: number | undefined;
  /** Default 16. */
  readonly max?: number | undefined;
  /** Default 1. */
  readonly min?: number | undefined;
  /** Ctrl-C: what waits is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Limiter {
  /** Runs the task when there is room, in the order of asking, and settles as it does. */
  readonly run: <T>(task: () => Promise<T>) => Promise<T>;
  /** A trace for the client: calls repeat a 429 and a 503 by themselves, and only the trace tells. */
  readonly trace: (event: TraceEvent) => void;
  /** How many may be under way now. */
  readonly limit: () => number;
}

/** Within so many milliseconds what is under way tells of the same overload again. */
const SAME_OVERLOAD = 1000;

export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, start = 4, max = 16, min = 1, signal } = options;
  let limit = Math.min(max, Math.max(min, start));
  let running = 0;
  /** Since the limit changed. */
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
    run: async (task) => {
      if (running < limit && waiting.length === 0) running += 1;
      else
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          wake();
        });
      try {
        // Several may have waited for the same moment, and another overload may have been told meanwhile.
        while (clock.now() < heldUntil) await clock.sleep(heldUntil - clock.now(), signal);
        signal?.throwIfAborted();
        const result = await task();
        rise();
        return result;
      } catch (error) {
        if (isOverload(error)) cut(0);
        // A refusal is an answer like any other: the service keeps up.
        else if (error instanceof ClientError && error.kind === 'refused') rise();
        throw error;
      } finally {
        running -= 1;
        wake();
      }
    },
    trace: (event) => {
      if (event.kind !== 'answer' || !isOverloadStatus(event.status)) return;
      cut(retryAfter({ ...event, body: '' }, clock.now()) ?? 0);
    },
    limit: () => limit,
  };
}

const isOverloadStatus = (status: number | undefined): boolean => status === 429 || status === 503;

const isOverload = (error: unknown): boolean =>
  error instanceof ClientError && isOverloadStatus(error.status);
