/** The outcome of a step, as HTTP statuses. */
export interface Outcome {
  /** The status that the model expects. */
  readonly expected: number;
  readonly got: number;
}

export const DONE: Outcome = { expected: 200, got: 200 };
/** The outcome of a step for which no record exists yet. */
export const NOTHING: Outcome = { expected: 0, got: 0 };

/** Returns one of the ids that were ever given. */
export const idAt = (made: number, pick: number): number => 1 + (pick % made);

export function at<T>(values: readonly T[], pick: number): T | undefined {
  return values[pick % Math.max(1, values.length)];
}
