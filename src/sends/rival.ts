/** Resolves the conflict of two concurrent runs that create the same task: the lower id stays. */
import type { JsonObject } from '../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../schema/integer.ts';

/** Task that another run created first. */
export interface Rival {
  readonly record: JsonObject;
  /** Sentence: `task 11 was made with the same --key at the same time`. */
  readonly why: string;
  /** Error to throw after this run's own task is cancelled, if the rival is not identical. */
  readonly error?: Error | undefined;
}

/**
 * Returns the task with the lowest id, if it is below that of `own` and the task can still be sent.
 * @param alike tasks with the same purpose; `own` may be among them
 */
export function earlierOf(alike: readonly JsonObject[], own: JsonObject): JsonObject | undefined {
  const [first] = alike
    .filter((each) => each['cancelled'] !== true && compareNumbers(idNumber(each), idNumber(own)) < 0)
    .sort((a, b) => compareNumbers(idNumber(a), idNumber(b)));
  return first;
}
