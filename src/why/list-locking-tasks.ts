/** Finds the tasks that lock lists. A locked list also locks its folder (interface, folder DELETE). */
import type { Client } from '../client/client.ts';
import { titleOf } from '../client/record-title.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { task } from '../resources/task.ts';
import { computeEndOfListDeletionBlock, LIST_DELETION_BLOCK_SECONDS } from '../resources/task-targets.ts';
import type { Values } from '../schema/resource.ts';
import { describeRecordLock, type FormatMoment, type RecordLock } from './answer.ts';

/** Maximum number of tasks that svc reads in each of three states: not ended, completed and cancelled. */
const MAX_TASKS = 1000;

/** Task that locks the list to which it is sent. */
export interface TaskThatLocksList {
  readonly record: JsonObject;
  readonly lock: RecordLock;
  /** Unix seconds at which the task stops locking its list. */
  readonly until: number;
}

/**
 * Returns the tasks that currently lock a list, ordered by the end of their lock. Sends at most fifteen requests.
 * @param filters `list_id`, if only one list matters
 * @returns `isWhole` is false if there are more tasks than were read
 */
export async function findTasksThatLockLists(
  client: Client,
  now: number,
  filters: Values = {},
): Promise<{ readonly tasks: readonly TaskThatLocksList[]; readonly isWhole: boolean }> {
  const found: TaskThatLocksList[] = [];
  let isWhole = true;
  const look = async (state: Values, order: { readonly sort: string; readonly reverse: boolean }) => {
    let count = 0;
    for await (const record of client.list(task, { filters: { ...filters, ...state }, ...order })) {
      count += 1;
      if (count > MAX_TASKS) {
        isWhole = false;
        return;
      }
      // Newest end first: those after it ended even earlier.
      const { endtime } = record;
      if (order.reverse && typeof endtime === 'number' && endtime + LIST_DELETION_BLOCK_SECONDS <= now)
        return;
      const until = record['list_id'] === null ? undefined : computeEndOfListDeletionBlock(record, now);
      if (until !== undefined) found.push({ record, until, lock: describeRecordLock('task', record, until) });
    }
  };
  await look({ cancelled: false, completed: false }, { sort: 'scheduledtime', reverse: false });
  for (const state of ['completed', 'cancelled'])
    await look({ [state]: true }, { sort: 'endtime', reverse: true });
  const tasks = found.toSorted((one, other) => one.until - other.until);
  return { tasks, isWhole };
}

/** Returns sentences that say how the task uses the list, and when the task stops locking the list. */
export function describeTaskThatLocksList(
  { record, until }: TaskThatLocksList,
  now: number,
  moment: FormatMoment,
): string {
  const title = titleOf(task, record);
  const list = `list ${String(record['list_id'])}`;
  const { scheduledtime, endtime } = record;
  const free = moment(until);
  if (record['completed'] === true)
    return `${title} was sent to ${list}, and ended ${moment(Number(endtime))}. The task locks the list for 72 hours, until ${free}.`;
  if (record['cancelled'] === true)
    return (
      `${title}, which goes to ${list}, was cancelled after it started, so some recipients may have received it. ` +
      `The task locks the list for 72 hours, until ${free}.`
    );
  const after = `The task locks the list until 72 hours after its end: until ${free} at the earliest.`;
  if (Number(scheduledtime) <= now) return `${title} is being sent to ${list}. ${after}`;
  return `${title} goes to ${list}, and is scheduled for ${moment(Number(scheduledtime))}. ${after}`;
}

/** Returns whether the task is still to be sent. @param now Unix seconds by the service's clock */
export const isScheduled = ({ record }: TaskThatLocksList, now: number): boolean =>
  record['completed'] !== true && record['cancelled'] !== true && Number(record['scheduledtime']) > now;

/** Text that warns that the answer may be incomplete, because the account has many tasks. */
export const INCOMPLETE_TASKS_NOTE = `svc checked at most ${MAX_TASKS} tasks in each state (not ended, completed, cancelled), so svc may have missed some tasks.`;
