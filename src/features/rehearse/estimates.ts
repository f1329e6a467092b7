/** Estimates sizes of lists and searches from the newest task to them, and shares of reactions from all completed tasks (interface, task). */

import type { AccountCopy, CopiedAudienceSize } from '../../sandbox/seed/copied-account.ts';
import type {
  RecipientReaction,
  RecipientReactionShares,
  SimulatedRecipientSettings,
} from '../../service/protocol/control/audience.ts';
import type { Channel, TaskRecord } from '../../service/resources/task.ts';
import { type AudienceKind, audienceKey, type CampaignAudiences } from './campaign-audiences.ts';

export type GivenListSize = Readonly<Partial<Record<Channel, number>>>;

export type ListSizesById = ReadonlyMap<number, GivenListSize>;

export interface AudienceSize {
  readonly id: number;
  readonly size: number;
  /** `task 12`, the flag `--list-size`, or `no task` if no task was sent to the list. */
  readonly from: string;
}

export interface EstimatedAudiences {
  readonly lists: readonly CopiedAudienceSize[];
  readonly searches: readonly CopiedAudienceSize[];
  readonly sizes: readonly AudienceSize[];
  /** Their size on a channel is that of the other channel; as `audienceKey` writes them. */
  readonly guessed: ReadonlySet<string>;
  /** They are empty in the copy. */
  readonly unknownSizes: ReadonlySet<string>;
  readonly unknown: readonly string[];
}

interface EstimateOptions {
  /** They take precedence. */
  readonly given: ListSizesById;
  /** If undefined, any list may get messages on any channel. */
  readonly campaigns: CampaignAudiences | undefined;
}

const CHANNELS = ['email', 'sms'] as const;

/**
 * If no task shows the number on one channel, and the rehearsal may send on it, the number of the other channel is taken. With 0, such
 * a send would seem to cost nothing.
 */
export function estimateAudiences(
  { tasks, rules }: Pick<AccountCopy, 'tasks' | 'rules'>,
  { given, campaigns }: EstimateOptions,
): EstimatedAudiences {
  const sizes: AudienceSize[] = [];
  const guessed = new Set<string>();
  const unknownSizes = new Set<string>();
  const hasSmsRule =
    campaigns?.hasSmsRule !== false ||
    timedRules(rules).some(({ actiontype, paused }) => actiontype === 'sms_autoresponder' && !paused);
  const mayReceive = (kind: AudienceKind, id: number, channel: Channel): boolean =>
    (channel === 'sms' && hasSmsRule) ||
    campaigns === undefined ||
    campaigns.sends.has(audienceKey(kind, id, channel)) ||
    (kind === 'list' && channel === 'email' && rules.subscription.some(({ list_id }) => list_id === id));
  const newest = (kind: AudienceKind, id: number, channel: Channel): TaskRecord | undefined =>
    tasks
      .filter((task) => task[`${kind}_id` as const] === id && task.channel === channel)
      .sort((a, b) => b.cdate - a.cdate || Number(b.id) - Number(a.id))[0];
  const audience = (kind: AudienceKind, id: number): CopiedAudienceSize => {
    const known = CHANNELS.flatMap((channel) => {
      const flag = kind === 'list' ? given.get(id)?.[channel] : undefined;
      if (flag !== undefined) return [{ channel, size: flag, from: '--list-size' }];
      const task = newest(kind, id, channel);
      return task ? [{ channel, size: task.size ?? 0, from: `task ${task.id}` }] : [];
    });
    const [largest] = known.toSorted((a, b) => b.size - a.size);
    if (kind === 'list') sizes.push({ id, size: largest?.size ?? 0, from: largest?.from ?? 'no task' });
    const sizeOn = (channel: Channel): number => {
      const found = known.find((each) => each.channel === channel);
      if (found) return found.size;
      if (!largest) unknownSizes.add(audienceKey(kind, id, channel));
      if (!largest || !mayReceive(kind, id, channel)) return 0;
      guessed.add(audienceKey(kind, id, channel));
      return largest.size;
    };
    return { id, email: sizeOn('email'), sms: sizeOn('sms') };
  };
  const all = (kind: AudienceKind, ids: ReadonlySet<number>): readonly CopiedAudienceSize[] =>
    [...ids].sort((a, b) => a - b).map((id) => audience(kind, id));
  const lists = all('list', new Set([...listIds(tasks, rules, given), ...(campaigns?.lists ?? [])]));
  const searches = all('search', new Set([...idsIn(tasks, 'search_id'), ...(campaigns?.searches ?? [])]));
  return {
    ...{ lists, searches, sizes, guessed, unknownSizes },
    unknown: [
      ...markedIds(unknownSizes, 'list', lists, 'email').map(
        (id) =>
          `list ${id}: the number of its subscribers is not known, because no task has been sent to this list; the rehearsal treats the list as empty, unless you set --list-size ${id}=N`,
      ),
      ...markedIds(unknownSizes, 'search', searches, 'email').map(
        (id) =>
          `search ${id}: the number of people that it finds is not known, because no task has been sent to this search; the rehearsal treats the search as empty`,
      ),
      ...CHANNELS.flatMap((channel) => guessedSentences(channel, { lists, searches, guessed })),
    ],
  };
}

const markedIds = (
  marked: ReadonlySet<string>,
  kind: AudienceKind,
  sizes: readonly CopiedAudienceSize[],
  channel: Channel,
): readonly number[] => sizes.map(({ id }) => id).filter((id) => marked.has(audienceKey(kind, id, channel)));

function guessedSentences(
  channel: Channel,
  { lists, searches, guessed }: Pick<EstimatedAudiences, 'lists' | 'searches' | 'guessed'>,
): readonly string[] {
  const [noun, has, others] =
    channel === 'sms'
      ? ['SMS', 'a phone number', 'e-mail task']
      : ['e-mail', 'an e-mail address', 'SMS task'];
  const sentence = (kind: AudienceKind, ids: readonly number[], advice: string): readonly string[] =>
    ids.length === 0
      ? []
      : [
          `${kind} ${ids.join(', ')}: no ${noun} task shows how many of its people have ${has}; the rehearsal takes the size of the newest ${others}${advice}`,
        ];
  const ofLists = markedIds(guessed, 'list', lists, channel);
  return [
    ...sentence('list', ofLists, `, unless you set --list-size ${ofLists[0] ?? ''}:${channel}=N`),
    ...sentence('search', markedIds(guessed, 'search', searches, channel), ''),
  ];
}

const timedRules = ({ click, open, subscription, date }: AccountCopy['rules']) =>
  [click, open, subscription, date].flat();

const idsIn = <A extends string>(
  records: readonly { readonly [attribute in A]: unknown }[],
  ...names: readonly A[]
): Set<number> =>
  new Set(
    records.flatMap((record) =>
      names.flatMap((name) => (typeof record[name] === 'number' && record[name] > 0 ? [record[name]] : [])),
    ),
  );

function listIds(
  tasks: readonly TaskRecord[],
  rules: AccountCopy['rules'],
  given: ListSizesById,
): Set<number> {
  const targets = timedRules(rules).flatMap(({ actiontype, actiontarget }) =>
    /list$/.test(actiontype) && Number(actiontarget) > 0 ? [Number(actiontarget)] : [],
  );
  return new Set([
    ...idsIn(tasks, 'list_id'),
    ...idsIn(rules.subscription, 'list_id'),
    ...idsIn(rules.sms, 'list_id', 'email_list_id'),
    ...targets,
    ...given.keys(),
  ]);
}

export interface RehearsedRecipients extends SimulatedRecipientSettings {
  readonly source: 'account' | 'flag' | 'none';
}

const COUNTERS = {
  open: 'emailuniqueopens',
  click: 'emailuniqueclicks',
  unsubscribe: 'emailuniqueunsubscriptions',
  complaint: 'emailuniquecomplaints',
  bounce: 'emailuniquebounces',
} as const satisfies Record<RecipientReaction, keyof TaskRecord>;

/** The share is from 0 to 1. Counters that are null count as 0. */
export function computeReactionSharesOfTasks(
  tasks: readonly TaskRecord[],
): RecipientReactionShares | undefined {
  const done = tasks.filter(
    ({ channel, completed, cancelled, size }) => channel === 'email' && completed && !cancelled && size > 0,
  );
  const people = sum(done, 'size');
  if (people === 0) return undefined;
  const share = (reaction: RecipientReaction): number => Math.min(1, sum(done, COUNTERS[reaction]) / people);
  const shares = {
    open: share('open'),
    click: share('click'),
    unsubscribe: share('unsubscribe'),
    complaint: share('complaint'),
  };
  // A message that bounced can't be opened.
  return { ...shares, bounce: Math.min(share('bounce'), 1 - Math.max(...Object.values(shares))) };
}

const sum = (
  tasks: readonly TaskRecord[],
  attribute: 'size' | (typeof COUNTERS)[RecipientReaction],
): number => tasks.reduce((total, task) => total + (task[attribute] ?? 0), 0);
