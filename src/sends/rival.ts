/** Two runs at once make two tasks of one thing: the lower id stays. */
import type { JsonObject } from '../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../schema/integer.ts';

/** A task that another run made first. */
export interface Rival {
  readonly record: JsonObject;
  /** A sentence: `task 11 was made with the same --key at the same time`. */
  readonly why: string;
  /** Thrown once this run's own task is cancelled, when the rival is not the same. */
  readonly error?: Error | undefined;
}

/** Returns the live task with the lowest id below that of `own`. @param alike tasks of the same thing, `own` or not */
export function earlierOf(alike: readonly JsonObject[], own: JsonObject): JsonObject | undefined {
  const [first] = alike
    .filter((each) => each['cancelled'] !== true && compareNumbers(idNumber(each), idNumber(own)) < 0)
    .sort((a, b) => compareNumbers(idNumber(a), idNumber(b)));
  return first;
}
