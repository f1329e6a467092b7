/** What came of a step: HTTP statuses. */
export interface Outcome {
  /** What the model says must come. */
  readonly expected: number;
  readonly got: number;
}

export const DONE: Outcome = { expected: 200, got: 200 };
/** Nothing is there yet that the step could be about. */
export const NOTHING: Outcome = { expected: 0, got: 0 };

/** An id among those ever made. */
export const idAt = (made: number, pick: number): number => 1 + (pick % made);

export function at<T>(values: readonly T[], pick: number): T | undefined {
  return values[pick % Math.max(1, values.length)];
}
