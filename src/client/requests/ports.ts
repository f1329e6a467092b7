/** Types of the functions through which the client gets the time, random numbers and timers. */
export interface Clock {
  readonly now: () => number;
  /** Resolves after this many milliseconds. Rejects with the signal's reason if the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** Returns `count` random octets from a cryptographic source. */
export type RandomOctets = (count: number) => Uint8Array;

/**
 * The timer limits a request in flight. It is separate from `Clock`, because a test's `sleep` may return at once while a response is still
 * on its way.
 */
export type StartTimer = (milliseconds: number, fire: () => void) => () => void;

export const startMachineTimer: StartTimer = (milliseconds, fire) => {
  const timer = setTimeout(fire, milliseconds);
  return () => clearTimeout(timer);
};
