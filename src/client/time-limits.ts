/** Ends an attempt when the time of its call is over, or some seconds after Ctrl-C. */
import type { CancelSignal } from '../protocol/wire.ts';
import type { StartTimer } from './ports.ts';

export interface RequestTimeLimit {
  readonly signal: CancelSignal;
  /** Stops the timers of the attempt. The caller must call this function when the attempt is over. */
  readonly release: () => void;
}

export interface RequestTimeLimits {
  /** Starts the time limit of an attempt that begins now. */
  readonly begin: (milliseconds: number) => RequestTimeLimit;
}

/** Milliseconds that a request in flight may still take after Ctrl-C. */
const GRACE = 10_000;

/**
 * Creates the time limits of one client. All attempts share one listener for Ctrl-C, because a listener and an `AbortController` for each
 * attempt took longer than signing.
 */
export function createTimeLimits(timer: StartTimer, interrupt: AbortSignal | undefined): RequestTimeLimits {
  const open = new Set<Attempt>();
  const onInterrupt = (): void => {
    for (const attempt of open) attempt.endAfter(GRACE);
  };
  return {
    begin: (milliseconds) => {
      const attempt = new Attempt(timer);
      attempt.endAfter(Math.max(1, milliseconds));
      if (open.size === 0) interrupt?.addEventListener('abort', onInterrupt);
      open.add(attempt);
      return {
        signal: attempt,
        release: () => {
          attempt.release();
          open.delete(attempt);
          if (open.size === 0) interrupt?.removeEventListener('abort', onInterrupt);
        },
      };
    },
  };
}

/**
 * One attempt to send a request, with the timers that end it. This is a class, because all objects of a class share their methods. Without
 * a class, each attempt would create its own functions.
 */
class Attempt implements CancelSignal {
  aborted = false;
  readonly #timer: StartTimer;
  readonly #stops: (() => void)[] = [];
  #listeners: readonly (() => void)[] = [];

  constructor(timer: StartTimer) {
    this.#timer = timer;
  }

  addEventListener(_abort: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_abort: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  endAfter(milliseconds: number): void {
    this.#stops.push(this.#timer(milliseconds, () => this.#end()));
  }

  release(): void {
    for (const stop of this.#stops) stop();
  }

  #end(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const tell of this.#listeners) tell();
  }
}
