/** Explains why a folder or a list can't be deleted (interface, folder DELETE; "Errors", 423 subcodes 4 and 5). */
import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { folder } from '../../../resources/folder.ts';
import { readIdText } from '../../../schema/integer.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { idIn, mustName } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import {
  type Advice,
  type Explanation,
  type FormatMoment,
  freeAfter,
  type Lock,
  unlocked,
} from './answer.ts';
import { type HoldingTask, holdingTasks, holdingWords, isScheduled, TOO_MANY } from './holding-tasks.ts';
import { type KnownList, knownLists } from './known-lists.ts';

/** Explains a folder. Its lists are known for a sandbox, an empty folder, or if it holds every list of the account. */
export async function whyFolder(session: Session, record: JsonObject): Promise<Explanation> {
  const title = titleOf(folder, record);
  const known = await knownLists(session);
  const own = known?.filter((list) => String(list.folder) === String(record['id']));
  if (own?.length === 0 || record['list_count'] === 0)
    return unlocked(`${title} is not locked: it is empty.`);
  const { tasks, isWhole } = await holdingTasks(session);
  const now = await session.serviceNow();
  const ids = own?.map(({ id }) => String(id));
  const isOnlyFolder = ids === undefined && tasks.length > 0 && (await holdsAllLists(session, record));
  const isSure = ids !== undefined || isOnlyFolder;
  const holding = ids ? tasks.filter((each) => ids.includes(String(each.record['list_id']))) : tasks;
  const permanent = own?.filter((list) => list.permanent);
  return deletionAnswer({ title, holding, isSure, isWhole, permanent, now, isFolder: true });
}

/** Reports whether every list of the account is in this folder. Then a task for any list concerns the folder. */
async function holdsAllLists(session: Session, record: JsonObject): Promise<boolean> {
  const { list_count } = await session.account();
  return typeof list_count === 'number' && list_count === record['list_count'];
}

/** Explains a list. @param text an id, or a name if lists are known */
export async function whyList(session: Session, text: string): Promise<Explanation> {
  mustName('list', text);
  const known = await knownLists(session);
  const list = known && listIn(known, text);
  const id = list?.id ?? readIdText(text);
  if (id === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not the id of a list`, {
      hint: 'the interface does not show lists, so use the id',
    });
  const { tasks, isWhole } = await holdingTasks(session, { list_id: id });
  const title = `list ${id}${list === undefined ? '' : ` (${list.name})`}`;
  const permanent = known && (list?.permanent ? [list] : []);
  const now = await session.serviceNow();
  return deletionAnswer({ title, holding: tasks, isSure: true, isWhole, permanent, now, isFolder: false });
}

/** Returns the list by id, else by exact name. */
function listIn(known: readonly KnownList[], text: string): KnownList {
  const id = readIdText(text);
  const [found, ...others] = known.filter((list) =>
    id === undefined ? list.name === text : String(list.id) === String(id),
  );
  if (found === undefined)
    throw new CliError('not-found', `list ${id === undefined ? JSON.stringify(text) : id} not found`, {
      exit: EXIT.notFound,
      hint: 'svc sandbox list list shows the ids you can use',
    });
  if (others.length > 0)
    throw new UsageError(`${JSON.stringify(text)} is the name of ${others.length + 1} lists`, {
      hint: `use one of the ids ${[found, ...others].map((list) => list.id).join(', ')}`,
    });
  return found;
}

interface Deletion {
  readonly title: string;
  readonly holding: readonly HoldingTask[];
  /** True if the tasks are known to target these lists. */
  readonly isSure: boolean;
  readonly isWhole: boolean;
  /** Permanent lists, or undefined if unknown. */
  readonly permanent: readonly KnownList[] | undefined;
  readonly now: number;
  /** True if the answer is about a folder's lists, false if it is about one list. */
  readonly isFolder: boolean;
}

function deletionAnswer(about: Deletion): Explanation {
  const { title, holding, isSure, isWhole, permanent, now } = about;
  const lasting = (permanent ?? []).map(permanentLock);
  const by: readonly Lock[] = [...lasting, ...holding.map(({ lock }) => lock)];
  const isLocked = lasting.length > 0 || (isSure && holding.length > 0);
  const locked = isLocked ? true : isKnownFree(about) ? false : null;
  if (locked === false) return unlocked(`${title} is not locked: it can be deleted.`);
  const free = freeAfter(by);
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
        ...holding.map((each) => holdingWords(each, now, moment)),
        ...(isWhole ? [] : [TOO_MANY]),
        ...unknownWords(about),
      ],
      next: adviceFor(about, lasting),
    }),
  };
}

const isKnownFree = ({ holding, isWhole, permanent }: Deletion): boolean =>
  holding.length === 0 && isWhole && permanent !== undefined;

const permanentLock = ({ id, name }: KnownList): Lock => ({ kind: 'list', id, name, until: null });

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
          'The interface does not show which lists are in a folder. Tasks to any list are shown here; only tasks to a list of this folder lock it.',
        ]
      : [];
  return permanent === undefined
    ? [
        ...which,
        `The interface does not show whether ${isFolder ? 'one of its lists' : 'it'} is permanent: if so, it can never be deleted.`,
      ]
    : which;
}

function adviceFor(
  { holding, now, permanent, isFolder }: Deletion,
  lasting: readonly Lock[],
): readonly Advice[] {
  const scheduled = holding.find((each) => isScheduled(each, now));
  const move =
    isFolder && lasting.length > 0 ? [{ text: 'Move the permanent list to another folder first.' }] : [];
  if (scheduled !== undefined)
    return [
      ...move,
      {
        text: 'Wait, or cancel the scheduled task. A task that is cancelled before it starts locks nothing:',
        command: `task cancel ${String(idIn(scheduled.record))}`,
      },
    ];
  if (holding.length > 0) return [...move, { text: 'Wait. The 72 hours cannot be shortened.' }];
  if (permanent !== undefined) return move;
  return [
    {
      text: 'There is no known reason against deleting it. The service rejects the deletion if a list is permanent.',
    },
  ];
}
