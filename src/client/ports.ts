/** What the client needs of the outside. Time, randomness and the wire are arguments. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** So many random octets from a cryptographic source. */
export type RandomOctets = (count: number) => Uint8Array;

/**
 * Calls `fire` after so many milliseconds unless the function it returns is called before. It bounds a request in
 * flight. Apart from `Clock`, whose `sleep` may pass at once in a test while an answer is still on its way.
 */
export type StartTimer = (milliseconds: number, fire: () => void) => () => void;

/** The machine's own timer. */
export const machineTimer: StartTimer = (milliseconds, fire) => {
  const timer = setTimeout(fire, milliseconds);
  return () => clearTimeout(timer);
};
