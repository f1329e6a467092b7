/**
 * Estimates facts about recipients that the interface does not show: sizes of lists and searches from the newest task to them, and shares
 * of reactions from all completed tasks (interface, task).
 */

import {
  RECIPIENT_REACTIONS,
  type RecipientReaction,
  type RecipientReactionShares,
  type SimulatedRecipientSettings,
} from '../protocol/control/audience.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import type { Channel } from '../resources/task.ts';
import type { AccountCopy, CopiedAudienceSize } from '../sandbox/seed/copied-account.ts';

/** Estimated number of people on each list, by the id of the list. */
export type ListSizesById = ReadonlyMap<number, number>;

export interface AudienceSize {
  readonly id: number;
  readonly size: number;
  /** Source of `size`: `task 12`, the flag `--list-size`, or `no task` if no task was sent to the list. */
  readonly from: string;
}

export interface EstimatedAudiences {
  readonly lists: readonly CopiedAudienceSize[];
  readonly searches: readonly CopiedAudienceSize[];
  /** Sizes of the lists, with their source, for the user to read. */
  readonly sizes: readonly AudienceSize[];
  readonly unknown: readonly string[];
}

/** Returns the number of people on each list and in each search. @param givenSizes sizes from the user, which take precedence */
export function estimateAudiences(
  { tasks, rules }: Pick<AccountCopy, 'tasks' | 'rules'>,
  givenSizes: ListSizesById,
): EstimatedAudiences {
  const unknown: string[] = [];
  const sizes: AudienceSize[] = [];
  const newest = (attribute: 'list_id' | 'search_id', id: number, channel: string): JsonObject | undefined =>
    tasks
      .filter((task) => task[attribute] === id && task['channel'] === channel)
      .sort((a, b) => Number(b['cdate']) - Number(a['cdate']) || Number(b['id']) - Number(a['id']))[0];
  const audience = (attribute: 'list_id' | 'search_id', id: number): CopiedAudienceSize => {
    const tasksOf = { email: newest(attribute, id, 'email'), sms: newest(attribute, id, 'sms') };
    const size = (channel: Channel): number => Number(tasksOf[channel]?.['size'] ?? 0);
    return { id, email: size('email'), sms: size('sms') };
  };
  const lists = [...listIds(tasks, rules, givenSizes)]
    .sort((a, b) => a - b)
    .map((id): CopiedAudienceSize => {
      const found = audience('list_id', id);
      const size = givenSizes.get(id);
      if (size !== undefined) {
        sizes.push({ id, size, from: '--list-size' });
        return { id, email: size, sms: found.sms === 0 && found.email > 0 ? 0 : size };
      }
      const largest = found.sms > found.email ? 'sms' : 'email';
      const task = newest('list_id', id, largest);
      sizes.push({ id, size: found[largest], from: task ? `task ${String(task['id'])}` : 'no task' });
      if (!task)
        unknown.push(
          `list ${id}: the number of its subscribers is not known, because no task has been sent to this list; the rehearsal treats the list as empty, unless you set --list-size ${id}=N`,
        );
      return found;
    });
  const searches = [...idsIn(tasks, 'search_id')]
    .sort((a, b) => a - b)
    .map((id) => audience('search_id', id));
  return { lists, searches, sizes, unknown };
}

const idsIn = (records: readonly JsonObject[], ...names: readonly string[]): Set<number> =>
  new Set(
    records.flatMap((record) =>
      names.flatMap((name) => (typeof record[name] === 'number' && record[name] > 0 ? [record[name]] : [])),
    ),
  );

/** Returns the ids of the lists that tasks and rules name. */
function listIds(
  tasks: readonly JsonObject[],
  rules: AccountCopy['rules'],
  given: ListSizesById,
): Set<number> {
  const timed = [...rules.click, ...rules.open, ...rules.subscription, ...rules.date];
  const targets = timed.flatMap(({ actiontype, actiontarget }) =>
    /list$/.test(String(actiontype)) && Number(actiontarget) > 0 ? [Number(actiontarget)] : [],
  );
  return new Set([
    ...idsIn(tasks, 'list_id'),
    ...idsIn(rules.subscription, 'list_id'),
    ...idsIn(rules.sms, 'list_id', 'email_list_id'),
    ...targets,
    ...given.keys(),
  ]);
}

/** Shares of simulated recipients who open, click, unsubscribe, complain or bounce, and the source of these settings. */
export interface RehearsedRecipients extends SimulatedRecipientSettings {
  readonly source: 'account' | 'flag' | 'none';
}

const COUNTERS: Readonly<Record<RecipientReaction, string>> = {
  open: 'emailuniqueopens',
  click: 'emailuniqueclicks',
  unsubscribe: 'emailuniqueunsubscriptions',
  complaint: 'emailuniquecomplaints',
  bounce: 'emailuniquebounces',
};

/** Returns the share (0 to 1) of recipients with each reaction in all completed e-mail tasks. Counters that are null count as 0. */
export function computeReactionSharesOfTasks(
  tasks: readonly JsonObject[],
): RecipientReactionShares | undefined {
  const done = tasks.filter(
    ({ channel, completed, cancelled, size }) =>
      channel === 'email' && completed === true && cancelled !== true && Number(size) > 0,
  );
  const people = sum(done, 'size');
  if (people === 0) return undefined;
  const share = (reaction: RecipientReaction): number => Math.min(1, sum(done, COUNTERS[reaction]) / people);
  const shares = Object.fromEntries(RECIPIENT_REACTIONS.map((each) => [each, share(each)])) as Record<
    RecipientReaction,
    number
  >;
  // A message that bounced can't be opened.
  const most = Math.max(
    ...RECIPIENT_REACTIONS.filter((each) => each !== 'bounce').map((each) => shares[each]),
  );
  return { ...shares, bounce: Math.min(shares.bounce, 1 - most) };
}

const sum = (tasks: readonly JsonObject[], attribute: string): number =>
  tasks.reduce((total, task) => total + Number(task[attribute] ?? 0), 0);
