/** Decides which recipients of a sent task react, and writes down their reactions with the time of each. */
import type { RecipientReaction, SimulatedRecipientSettings } from '../../../protocol/control/audience.ts';
import { createConflictError, createNotFoundError } from '../../../protocol/service-errors.ts';
import { type LinkRow, linksOf } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { addReactions, listTaskRecipients, type ReactionRow } from '../../store/recipients.ts';
import { findRowOfAccount } from '../../store/rows.ts';
import type { TaskRow } from '../../store/tasks.ts';
import {
  type ScheduledRecipientReaction,
  scheduleReactionsOfKind,
  scheduleSimulatedReactions,
} from './schedule.ts';

export type UnsavedReaction = Omit<ReactionRow, 'id'>;

/**
 * Plans the reactions of an audience to a task that has ended. Recipients of an SMS only bounce or unsubscribe. A message without links
 * gets no clicks.
 * @param now Unix seconds; no reaction is planned for an earlier time
 */
export async function planSimulatedReactions(
  db: Db,
  task: TaskRow,
  { shares, seed }: SimulatedRecipientSettings,
  now: number,
): Promise<void> {
  const { ids, times } = await listTaskRecipients(db, task.id);
  const links = task.channel === 'email' ? clickableLinks(await linksOf(db, task.message_id)) : [];
  const rows = scheduleSimulatedReactions(ids.length, shares, seed)
    .filter(({ reaction }) => canHappen(reaction, task, links))
    .map((each) => {
      const due = Math.max(now, (times[each.recipientRank] ?? now) + each.delay);
      return reactionRow(task, ids[each.recipientRank] ?? 0, each, { due, links });
    });
  await addReactions(db, rows.sort(byTime));
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
 * Returns the reactions of a share of the recipients, in order of time. Does not store them.
 * @throws ServiceError 409 if the task is not sent yet, or if its recipients can't react in this way; 404 if the link belongs to another
 * message
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
  const scheduled = scheduleReactionsOfKind(reaction, { recipients: ids.length, share, seed, span });
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

/**
 * Returns the links that simulated recipients can click. Leaves out links to unsubscribe. If the HTML part has other links, returns only
 * these. Otherwise, returns the links of the text part.
 */
function clickableLinks(links: readonly LinkRow[]): readonly LinkRow[] {
  const wanted = links.filter(({ target }) => !/unsubscri|opt-?out/i.test(target));
  const html = wanted.filter(({ type }) => type === 'html');
  return html.length > 0 ? html : wanted;
}

/** Reports whether recipients can react to the task in this way. Recipients of an SMS can only bounce or unsubscribe. */
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
