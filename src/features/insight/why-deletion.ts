/** Explains why a folder or a list can't be deleted, and finds the tasks that lock it (interface, folder DELETE; "Errors", 423 subcodes 4 and 5). */

import type { Client } from '../../client/requests/client.ts';
import { titleOf } from '../../client/requests/record-title.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { Values } from '../../kit/schema/resource.ts';
import { type FolderRecord, folder } from '../../service/resources/folder.ts';
import { LIST_DELETION_BLOCK_SECONDS, type TaskRecord, task } from '../../service/resources/task.ts';
import {
  type Advice,
  describeRecordLock,
  explainThatRecordIsUnlocked,
  type FormatMoment,
  type LockExplanation,
  lastLockEnd,
  type RecordLock,
} from './why.ts';

/** The HTTP API of the service does not show lists; the control plane of a sandbox does. */
export interface KnownSubscriberList {
  readonly id: number;
  readonly name: string;
  readonly folder: number | null;
  readonly permanent: boolean;
}

interface Observed {
  readonly tasks: readonly TaskThatLocksList[];
  readonly isWhole: boolean;
  readonly now: number;
}

/**
 * svc knows the lists only in a sandbox, or if there are none, or if the folder has every list of the account.
 * @param known undefined if the lists are unknown @param observe not called for an empty folder
 */
export async function explainFolderDeletionLock(
  record: FolderRecord,
  known: readonly KnownSubscriberList[] | undefined,
  listCount: () => Promise<unknown>,
  observe: () => Promise<Observed>,
): Promise<LockExplanation> {
  const title = titleOf(folder, record);
  const { list_count } = record;
  const own = known?.filter((list) => list.folder === record.id);
  if (own?.length === 0 || list_count === 0)
    return explainThatRecordIsUnlocked(`${title} is not locked: it is empty.`);
  const { tasks, isWhole, now } = await observe();
  const isOnlyFolder =
    own === undefined &&
    tasks.length > 0 &&
    typeof list_count === 'number' &&
    (await listCount()) === list_count;
  const isSure = own !== undefined || isOnlyFolder;
  const holding = own
    ? tasks.filter(({ record: { list_id } }) => own.some(({ id }) => id === list_id))
    : tasks;
  const permanent = own?.filter((list) => list.permanent);
  return deletionAnswer({ title, holding, isSure, isWhole, permanent, now, isFolder: true });
}

/** `list` is undefined if the service does not show lists; `observed` has its tasks. */
export function explainListDeletionLock(
  id: Id,
  list: KnownSubscriberList | undefined,
  observed: Observed,
): LockExplanation {
  const { tasks, isWhole, now } = observed;
  const title = `list ${id}${list === undefined ? '' : ` (${list.name})`}`;
  const permanent = list && (list.permanent ? [list] : []);
  return deletionAnswer({ title, holding: tasks, isSure: true, isWhole, permanent, now, isFolder: false });
}

interface Deletion {
  readonly title: string;
  readonly holding: readonly TaskThatLocksList[];
  /** False if svc does not know whether the lists of the tasks in `holding` are in the folder. */
  readonly isSure: boolean;
  readonly isWhole: boolean;
  /** Undefined if it is not known which lists are permanent. */
  readonly permanent: readonly KnownSubscriberList[] | undefined;
  readonly now: number;
  readonly isFolder: boolean;
}

function deletionAnswer(about: Deletion): LockExplanation {
  const { title, holding, isSure, isWhole, permanent, now } = about;
  const lasting = (permanent ?? []).map(({ id, name }) => describeRecordLock('list', { id, name }));
  const by: readonly RecordLock[] = [...lasting, ...holding.map(({ lock }) => lock)];
  const isLocked = lasting.length > 0 || (isSure && holding.length > 0);
  const locked = isLocked ? true : isKnownFree(about) ? false : null;
  if (locked === false) return explainThatRecordIsUnlocked(`${title} is not locked: it can be deleted.`);
  const free = lastLockEnd(by);
  return {
    locked,
    by,
    free,
    words: (moment) => ({
      title: `${title} ${lockedWords(locked, free, moment)}`,
      reasons: [
        ...lasting.map(
          ({ id, name }) => `list ${String(id)} (${name}) is permanent: it can never be deleted.`,
        ),
        ...holding.map((each) => describeTaskThatLocksList(each, now, moment)),
        ...(isWhole ? [] : [INCOMPLETE_TASKS_NOTE]),
        ...unknownWords(about),
      ],
      next: adviceFor(about, lasting),
    }),
  };
}

const isKnownFree = ({ holding, isWhole, permanent }: Deletion): boolean =>
  holding.length === 0 && isWhole && permanent !== undefined;

function lockedWords(locked: boolean | null, free: number | null, moment: FormatMoment): string {
  if (locked === null && free === null)
    return 'is not locked by any task. It is not known whether it can be deleted.';
  if (locked === null)
    return `may be locked, until ${moment(free ?? 0)}, at the earliest. This is not certain.`;
  return free === null
    ? 'is locked: it cannot be deleted.'
    : `is locked: it cannot be deleted until ${moment(free)}, at the earliest.`;
}

function unknownWords({ holding, isSure, permanent, isFolder }: Deletion): readonly string[] {
  const which =
    !isSure && holding.length > 0
      ? [
          'The service does not show which lists are in a folder. The tasks above may be for lists of other folders; only tasks to a list of this folder lock the folder.',
        ]
      : [];
  return permanent === undefined
    ? [
        ...which,
        `The service does not show whether ${isFolder ? 'one of its lists' : 'it'} is permanent. A permanent list can never be deleted.`,
      ]
    : which;
}

function adviceFor(
  { holding, now, permanent, isFolder }: Deletion,
  lasting: readonly RecordLock[],
): readonly Advice[] {
  const scheduled = holding.find((each) => isScheduled(each, now));
  const move =
    isFolder && lasting.length > 0 ? [{ text: 'Move the permanent list to another folder first.' }] : [];
  if (scheduled !== undefined)
    return [
      ...move,
      {
        text: 'A task that you cancel before its start locks no list. Wait until the lock ends, or cancel the scheduled task:',
        command: `task cancel ${String(scheduled.lock.id)}`,
      },
    ];
  if (holding.length > 0)
    return [
      ...move,
      {
        text: 'Wait. A task locks its list until 72 hours after the end of the task. You cannot shorten this time.',
      },
    ];
  if (permanent !== undefined) return move;
  return [
    {
      text: isFolder
        ? 'Delete the folder. The service rejects this request if a list in the folder is permanent and can never be deleted.'
        : 'Delete the list. The service rejects this request if the list is permanent and can never be deleted.',
    },
  ];
}

/** Limit in each of three states: not ended, completed and cancelled. */
const MAX_TASKS = 1000;

export interface TaskThatLocksList {
  readonly record: TaskRecord;
  readonly lock: RecordLock;
  /** Unix seconds. */
  readonly until: number;
}

/** Ordered by the end of the lock. Sends at most fifteen requests. `isWhole` is false if there are more tasks than were read. */
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
      if (order.reverse && endtime != null && endtime + LIST_DELETION_BLOCK_SECONDS <= now) return;
      const until = record.list_id === null ? undefined : computeEndOfListDeletionBlock(record, now);
      if (until !== undefined) found.push({ record, until, lock: describeRecordLock('task', record, until) });
    }
  };
  await look({ cancelled: false, completed: false }, { sort: 'scheduledtime', reverse: false });
  for (const state of ['completed', 'cancelled'])
    await look({ [state]: true }, { sort: 'endtime', reverse: true });
  const tasks = found.toSorted((one, other) => one.until - other.until);
  return { tasks, isWhole };
}

function describeTaskThatLocksList(
  { record, until }: TaskThatLocksList,
  now: number,
  moment: FormatMoment,
): string {
  const title = titleOf(task, record);
  const list = `list ${record.list_id}`;
  const { scheduledtime, endtime } = record;
  const free = moment(until);
  if (record.completed)
    return `${title} was sent to ${list}, and ended ${moment(Number(endtime))}. The task locks the list for 72 hours, until ${free}.`;
  if (record.cancelled)
    return (
      `${title}, which goes to ${list}, was cancelled after it started, so some recipients may have received it. ` +
      `The task locks the list for 72 hours, until ${free}.`
    );
  const after = `The task locks the list until 72 hours after its end: until ${free} at the earliest.`;
  if (scheduledtime <= now) return `${title} is being sent to ${list}. ${after}`;
  return `${title} goes to ${list}, and is scheduled for ${moment(scheduledtime)}. ${after}`;
}

export const isScheduled = ({ record }: TaskThatLocksList, now: number): boolean =>
  !record.completed && !record.cancelled && record.scheduledtime > now;

const INCOMPLETE_TASKS_NOTE = `svc checked at most ${MAX_TASKS} tasks in each state (not ended, completed, cancelled), so svc may have missed some tasks.`;

/**
 * Returns the time until which a task prevents the deletion of its list, in Unix seconds. Returns undefined if the list can be deleted now.
 * For a task that has not ended, svc assumes the earliest possible end: the service sends as fast as the task's `rate` allows, or sends all
 * messages at once if the task has no rate.
 * @param now Unix seconds by the service's clock
 */
function computeEndOfListDeletionBlock(record: TaskRecord, now: number): number | undefined {
  const start = Math.ceil(record.scheduledtime);
  const end = endOf(record, start, now);
  // A task that was cancelled before it began was never sent.
  if (record.cancelled && end < start) return undefined;
  const until = end + LIST_DELETION_BLOCK_SECONDS;
  return until > now ? until : undefined;
}

function endOf(record: TaskRecord, start: number, now: number): number {
  if ((record.completed || record.cancelled) && record.endtime != null) return record.endtime;
  return Math.max(now, start + duration(record));
}

/** Returns the seconds from the first message of a task to its last message. */
function duration({ rate, size }: TaskRecord): number {
  if (rate == null || rate <= 0 || size == null || size <= 1) return 0;
  return 60 * Math.floor(((size - 1) * 60) / rate);
}
