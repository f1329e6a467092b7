/** What the client needs of the outside. Time, randomness and the wire are arguments. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** So many random octets from a cryptographic source. */
export type RandomOctets = (count: number) => Uint8Array;
