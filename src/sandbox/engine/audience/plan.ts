/**
 * Plans which recipients of a sent task react, and when. Each person has a fixed place in the order of reacting, which depends only on the
 * person's id and the seed. So whoever clicks also clicks if other people are added or left out, unless the rounded share ends before them.
 */
import {
  RECIPIENT_REACTIONS,
  type RecipientReaction,
  type RecipientReactionShares,
  type SimulatedRecipientSettings,
} from '../../../service/protocol/control/audience.ts';
import { createConflictError, createNotFoundError } from '../../../service/protocol/service-errors.ts';
import { seededRandom } from '../../seeded-random.ts';
import { type LinkRow, linksOf } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { listTaskRecipients, type ReactionRow } from '../../store/recipients.ts';
import { findRowOfAccount, insertRows } from '../../store/rows.ts';
import type { TaskRow } from '../../store/tasks.ts';

export type UnsavedReaction = Omit<ReactionRow, 'id'>;

/** Plans the reactions to a task that has ended, none before `now` (Unix seconds). SMS only get bounces and unsubscriptions. */
export async function planSimulatedReactions(
  db: Db,
  task: TaskRow,
  { shares, seed, silent }: SimulatedRecipientSettings,
  now: number,
): Promise<void> {
  const { ids, times } = await listTaskRecipients(db, task.id);
  const links = task.channel === 'email' ? clickableLinks(await linksOf(db, task.message_id)) : [];
  const rows = scheduleSimulatedReactions(ids, shares, seed)
    .filter(
      ({ reaction, recipientRank }) =>
        canHappen(reaction, task, links) && !silent?.has(ids[recipientRank] ?? 0),
    )
    .map((each) => {
      const due = Math.max(now, (times[each.recipientRank] ?? now) + each.delay);
      return reactionRow(task, ids[each.recipientRank] ?? 0, each, { due, links });
    });
  await insertRows(db, 'reaction', rows.sort(byTime));
}

interface SimulatedReactionOptions {
  readonly reaction: RecipientReaction;
  /** Share of the recipients, from 0 to 1. */
  readonly share: number;
  readonly seed: number;
  /** Seconds over which the reactions are spread; 0 for all at once. */
  readonly span: number;
  /** Link that every person clicks. If omitted, each person chooses a link. */
  readonly linkId?: number | undefined;
}

/**
 * Returns the reactions of a share of the recipients, in order of time, without storing them.
 * @throws ServiceError 409 if the task is not sent yet, or if its recipients can't react in this way; 404 for a link of another message
 */
export async function createReactionsOfSomeRecipients(
  db: Db,
  task: TaskRow,
  { reaction, share, seed, span, linkId }: SimulatedReactionOptions,
  now: number,
): Promise<{ readonly recipients: number; readonly rows: readonly UnsavedReaction[] }> {
  if (task.completed !== 1)
    throw createConflictError(
      `Task ${task.id} has not been sent, so it has no recipients who could ${VERBS[reaction]}`,
    );
  const { ids } = await listTaskRecipients(db, task.id);
  if (ids.length === 0) throw createConflictError(`Task ${task.id} was not delivered to anyone`);
  const links = reaction === 'click' ? await clickable(db, task, linkId) : [];
  if (!canHappen(reaction, task, links)) {
    const why =
      task.channel === 'email'
        ? `E-mail message ${task.message_id} has no link`
        : `Task ${task.id} sends SMS`;
    throw createConflictError(`${why}: no one can ${VERBS[reaction]}`);
  }
  const scheduled = scheduleReactionsOfKind(reaction, { recipients: ids, share, seed, span });
  const rows = scheduled.map((each) =>
    reactionRow(task, ids[each.recipientRank] ?? 0, each, { due: now + each.delay, links }),
  );
  return { recipients: ids.length, rows: rows.sort(byTime) };
}

const VERBS: Readonly<Record<RecipientReaction, string>> = {
  open: 'open it',
  click: 'click',
  unsubscribe: 'unsubscribe',
  complaint: 'complain',
  bounce: 'bounce',
};

async function clickable(db: Db, task: TaskRow, linkId: number | undefined): Promise<readonly LinkRow[]> {
  if (task.channel !== 'email') return [];
  if (linkId === undefined) return clickableLinks(await linksOf(db, task.message_id));
  const link = await findRowOfAccount(db, 'email_message_link', task.account_id, linkId);
  if (link?.message_id !== task.message_id)
    throw createNotFoundError(`emailMessageLink ${linkId} in task ${task.id}`);
  return [link];
}

/** Returns the links that people may click: of the HTML part, otherwise of the text part, without those to unsubscribe. */
export function clickableLinks(links: readonly LinkRow[]): readonly LinkRow[] {
  const wanted = links.filter(({ target }) => !/unsubscri|opt-?out/i.test(target));
  const html = wanted.filter(({ type }) => type === 'html');
  return html.length > 0 ? html : wanted;
}

/** Recipients of an SMS can only bounce or unsubscribe. */
function canHappen(reaction: RecipientReaction, { channel }: TaskRow, links: readonly LinkRow[]): boolean {
  if (reaction === 'click') return links.length > 0;
  return channel === 'email' || reaction === 'bounce' || reaction === 'unsubscribe';
}

const reactionRow = (
  task: TaskRow,
  subscriberId: number,
  { reaction, linkSelector }: ScheduledRecipientReaction,
  { due, links }: { readonly due: number; readonly links: readonly LinkRow[] },
): UnsavedReaction => ({
  account_id: task.account_id,
  task_id: task.id,
  subscriber_id: subscriberId,
  kind: reaction,
  // The first links of a message are clicked most.
  link_id:
    reaction === 'click' ? (links[Math.floor(linkSelector * linkSelector * links.length)]?.id ?? null) : null,
  due,
});

const byTime = (a: UnsavedReaction, b: UnsavedReaction): number => a.due - b.due;

interface ScheduledRecipientReaction {
  readonly reaction: RecipientReaction;
  /** Place of the recipient among all recipients of the task, from 0. */
  readonly recipientRank: number;
  /** Seconds after the delivery. */
  readonly delay: number;
  readonly linkSelector: number;
}

/** Seconds from the delivery to the last open. The curve of `readingDelay` puts 99 % of the opens into the first day. */
const READING_SPAN = 30 * 3600;

/** Seconds from the delivery to the last bounce. */
const BOUNCE_SPAN = 15 * 60;

/** Maximum seconds between an open and a click, unsubscription or complaint of the same person. */
const FOLLOW_SPAN = 20 * 60;

/** Ids of the recipients of one send, ascending. */
type RecipientIds = ArrayLike<number>;

/** Returns all simulated reactions to one send. Their number is not random: it is the share of the recipients, rounded. */
export function scheduleSimulatedReactions(
  recipients: RecipientIds,
  shares: RecipientReactionShares,
  seed: number,
): readonly ScheduledRecipientReaction[] {
  const { order, place, pick } = peopleOf(recipients, seed);
  const opens = countOf(recipients.length, shares.open);
  const all: ScheduledRecipientReaction[] = [];
  for (const reaction of RECIPIENT_REACTIONS) {
    const slots = positionsOf(reaction, recipients.length, shares);
    for (const position of slots) {
      const rank = order[position] ?? 0;
      const at = place[rank] ?? 0;
      const picked = pick[rank] ?? 0;
      const delay =
        reaction === 'bounce'
          ? 1 + Math.round(at * BOUNCE_SPAN)
          : readingDelay(at, READING_SPAN) +
            (reaction === 'open' || position >= opens ? 0 : followDelay(reaction, picked));
      all.push({ reaction, recipientRank: rank, delay, linkSelector: picked });
    }
  }
  return all;
}

/**
 * Returns the reactions of one kind, spread over `span` seconds. With the same seed, opens and clicks choose recipients in the same order as
 * in `scheduleSimulatedReactions`, so everyone who clicks also opens.
 */
export function scheduleReactionsOfKind(
  reaction: RecipientReaction,
  {
    recipients,
    share,
    seed,
    span,
  }: {
    readonly recipients: RecipientIds;
    readonly share: number;
    readonly seed: number;
    readonly span: number;
  },
): readonly ScheduledRecipientReaction[] {
  const { order, place, pick } = peopleOf(recipients, seed);
  const shares: RecipientReactionShares = {
    open: 0,
    click: 0,
    unsubscribe: 0,
    complaint: 0,
    bounce: 0,
    [reaction]: share,
  };
  return positionsOf(reaction, recipients.length, shares).map((position) => {
    const rank = order[position] ?? 0;
    return {
      reaction,
      recipientRank: rank,
      delay: span === 0 ? 0 : Math.min(span, readingDelay(place[rank] ?? 0, span)),
      linkSelector: pick[rank] ?? 0,
    };
  });
}

const countOf = (recipients: number, share: number): number => Math.round(recipients * share);

/**
 * Returns the positions of the people who react, as indexes of `order`. `open` and `click` have the first ones. `unsubscribe` has the last
 * ones of `open`, and `complaint` those before. `bounce` has the last of all, because such people cannot open.
 */
function positionsOf(
  reaction: RecipientReaction,
  recipients: number,
  shares: RecipientReactionShares,
): readonly number[] {
  const count = countOf(recipients, shares[reaction]);
  const opens = countOf(recipients, shares.open);
  const unsubscribes = countOf(recipients, shares.unsubscribe);
  switch (reaction) {
    case 'open':
    case 'click':
      return range(0, count);
    case 'unsubscribe':
      return range(Math.max(0, opens - count), count);
    case 'complaint':
      return range(Math.max(0, opens - unsubscribes - count), count);
    case 'bounce':
      return range(recipients - count, count);
  }
}

const range = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => first + at);

/** Returns the seconds until a reader opens the message. `at` is the place in the order of opening, from 0 to 1; most open early. */
function readingDelay(at: number, span: number): number {
  const steepness = 5;
  const curve = -Math.log(1 - at * (1 - Math.exp(-steepness))) / steepness;
  return Math.max(1, Math.round(curve * span));
}

const followDelay = (reaction: RecipientReaction, pick: number): number =>
  5 + Math.round(pick * FOLLOW_SPAN) + (reaction === 'click' ? 0 : 30);

/**
 * Returns the ranks of the recipients in the order of reacting (`order`). By rank, `place` is how early the recipient reacts, and `pick` is a
 * number for other choices. Both are from 0 to 1, and depend on the person alone.
 */
function peopleOf(recipients: RecipientIds, seed: number) {
  const count = recipients.length;
  const salt = Math.floor(seededRandom(seed)() * 2 ** 32);
  const place = new Float64Array(count);
  const pick = new Float64Array(count);
  // Numbers sort fast, so each has the random value of a person in its upper digits, and the rank in its lower ones.
  const ranks = 2 ** Math.ceil(Math.log2(count + 1));
  const order = new Float64Array(count);
  for (let rank = 0; rank < count; rank += 1) {
    const id = recipients[rank] ?? 0;
    const random = seededRandom(salt ^ Math.imul(id, 0x9e3779b1) ^ Math.floor(id / 2 ** 32));
    order[rank] = Math.floor(random() * (2 ** 53 / ranks)) * ranks + rank;
    place[rank] = random();
    pick[rank] = random();
  }
  order.sort();
  for (let position = 0; position < count; position += 1) order[position] = (order[position] ?? 0) % ranks;
  return { order, place, pick };
}
