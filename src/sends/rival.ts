/** Resolves the conflict of two concurrent runs that create the same task: the task with the lower id stays. */
import type { JsonObject } from '../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../schema/integer.ts';

/** Task that another run created first. */
export interface CompetingTask {
  readonly record: JsonObject;
  /** Sentence that says why this competing task takes precedence: `task 11 was made with the same --key at the same time`. */
  readonly why: string;
  /**
   * Error that ends this run after svc has cancelled the task of this run. Set if the cancelled task and the competing task differ. If
   * undefined, the run continues with the competing task.
   */
  readonly error?: Error | undefined;
}

/**
 * Returns the task with the lowest id among those that can still be sent, if that id is lower than the id of `own`.
 * @param alike tasks that several runs of svc created for the same purpose; `own` may be one of them
 */
export const findEarlierTask = (alike: readonly JsonObject[], own: JsonObject): JsonObject | undefined =>
  listEarlierTasks(alike, own).find(({ cancelled }) => cancelled !== true);

/** Returns the tasks with a lower id than `own`, in the order of their ids. Includes cancelled tasks. */
export const listEarlierTasks = (alike: readonly JsonObject[], own: JsonObject): readonly JsonObject[] =>
  alike
    .filter((each) => compareNumbers(idNumber(each), idNumber(own)) < 0)
    .sort((a, b) => compareNumbers(idNumber(a), idNumber(b)));
