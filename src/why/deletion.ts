/** Explains why a folder or a list can't be deleted (interface, folder DELETE; "Errors", 423 subcodes 4 and 5). */
import { titleOf } from '../client/record-title.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { folder } from '../resources/folder.ts';
import type { Id } from '../schema/integer.ts';
import {
  type Advice,
  describeRecordLock,
  explainThatRecordIsUnlocked,
  type FormatMoment,
  type LockExplanation,
  lastLockEnd,
  type RecordLock,
} from './answer.ts';
import {
  describeTaskThatLocksList,
  INCOMPLETE_TASKS_NOTE,
  isScheduled,
  type TaskThatLocksList,
} from './list-locking-tasks.ts';

/** List of subscribers that svc has read from the control plane of a sandbox. The HTTP API of the service does not show lists. */
export interface KnownSubscriberList {
  readonly id: number;
  readonly name: string;
  /** Id of the list's folder, or null for a list without a folder. */
  readonly folder: number | null;
  readonly permanent: boolean;
}

interface Observed {
  readonly tasks: readonly TaskThatLocksList[];
  /** True if all tasks were read; false if there are more. */
  readonly isWhole: boolean;
  /** Current time of the service's clock, in Unix seconds. */
  readonly now: number;
}

/**
 * Explains why a folder can't be deleted. svc knows which lists are in the folder only in these cases:
 * - The service is a sandbox.
 * - The folder is empty.
 * - The folder holds every list of the account.
 * @param known the lists of the company, undefined if they are unknown
 * @param listCount returns the number of lists in the account. If the folder has as many lists as the account, all lists are in the folder,
 * so each task that locks a list also locks the folder.
 * @param observe returns the tasks that lock lists; not called for an empty folder
 */
export async function explainFolderDeletionLock(
  record: JsonObject,
  known: readonly KnownSubscriberList[] | undefined,
  listCount: () => Promise<unknown>,
  observe: () => Promise<Observed>,
): Promise<LockExplanation> {
  const title = titleOf(folder, record);
  const { list_count } = record;
  const own = known?.filter((list) => String(list.folder) === String(record['id']));
  if (own?.length === 0 || list_count === 0)
    return explainThatRecordIsUnlocked(`${title} is not locked: it is empty.`);
  const { tasks, isWhole, now } = await observe();
  const ids = own?.map(({ id }) => String(id));
  const isOnlyFolder =
    ids === undefined &&
    tasks.length > 0 &&
    typeof list_count === 'number' &&
    (await listCount()) === list_count;
  const isSure = ids !== undefined || isOnlyFolder;
  const holding = ids ? tasks.filter((each) => ids.includes(String(each.record['list_id']))) : tasks;
  const permanent = own?.filter((list) => list.permanent);
  return deletionAnswer({ title, holding, isSure, isWhole, permanent, now, isFolder: true });
}

/**
 * Explains why a list can't be deleted.
 * @param list undefined if the service does not show lists
 * @param observed the tasks for this list
 */
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
  /**
   * True if svc knows that each task in `holding` prevents the deletion. False if svc does not know whether the lists of these tasks are in
   * the folder.
   */
  readonly isSure: boolean;
  readonly isWhole: boolean;
  /** Permanent lists; undefined if it is not known which lists are permanent. */
  readonly permanent: readonly KnownSubscriberList[] | undefined;
  readonly now: number;
  /** True if a user wants to delete a folder, false if a user wants to delete a list. */
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
