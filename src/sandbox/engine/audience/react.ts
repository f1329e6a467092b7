/** Performs the planned reactions of recipients: records them, updates statistics and Do Not Contact, and triggers rules. */
import { assertNever } from '../../../kit/schema/resource.ts';
import { removeDueRowsUpTo } from '../../store/due-work.ts';
import {
  findTaskRecipient,
  listDueRecipientReactions,
  recordRecipientReactions,
  recordTaskClicks,
  type TaskClick,
} from '../../store/recipients.ts';
import { findRowById } from '../../store/rows.ts';
import type { TaskRow } from '../../store/tasks.ts';
import { createRuleActionRunner, nextTaskOrSmsTime, type RuleActionRunner } from '../automations/actions.ts';
import {
  findTriggeredRules,
  queueTriggeredRuleActions,
  type RuleOutcome,
  type TimedRuleEvent,
} from '../automations/triggers.ts';
import type { DueWorkHandler } from '../due.ts';
import { REACTION_COLUMNS } from '../events.ts';
import { AccountWorkStep } from '../step.ts';
import type { UnsavedReaction } from './plan.ts';

export const REACTIONS_PER_STEP = 2_000;

/** Creates the handler that applies at most `batch` planned reactions, each after the queued actions of rules that are due by then. */
export const createDueReactionHandler = (batch: number): DueWorkHandler => ({
  table: 'reaction',
  runItem: async (db, { accountId, due }, _now, { until = due, reached }) => {
    const horizon = Math.max(due, Math.min(until, (await nextTaskOrSmsTime(db)) - 1));
    const rows = await listDueRecipientReactions(db, accountId, horizon, batch);
    const step = new AccountWorkStep(db, accountId, rows.at(-1)?.due);
    const { done } = await applyReactions(step, rows, createRuleActionRunner(step, reached, batch));
    await step.write();
    const last = rows[done - 1];
    if (last === undefined) return;
    await removeDueRowsUpTo(db, 'reaction', accountId, last);
    reached?.(last.due);
  },
});

/**
 * Applies reactions in order. A reaction of a deleted subscriber counts, but triggers no rule. Stops before a reaction if
 * `runActionsUntil` can't perform all actions of rules that are due before it: the first `done` items of `rows` are applied.
 * `newRecipients` counts those who had not had this reaction before.
 */
export async function applyReactions(
  step: AccountWorkStep,
  rows: readonly UnsavedReaction[],
  runActionsUntil?: RuleActionRunner,
) {
  const { db } = step;
  const tasks = new Map<number, TaskRow | undefined>();
  const marks = new Map<
    string,
    {
      row: UnsavedReaction;
      task: TaskRow;
      people: { subscriberId: number; time: number }[];
      clicks: TaskClick[];
    }
  >();
  const outcomes: RuleOutcome[] = [];
  let arePeopleRead = false;
  let done = 0;
  for (const row of rows) {
    if (runActionsUntil && !(await runActionsUntil(row.due))) break;
    done += 1;
    if (!tasks.has(row.task_id)) tasks.set(row.task_id, await findRowById(db, 'task', row.task_id));
    const task = tasks.get(row.task_id);
    if (task === undefined) continue;
    const key = `${row.task_id} ${row.kind}`;
    const marked = marks.get(key) ?? { row, task, people: [], clicks: [] };
    const mark = { subscriberId: row.subscriber_id, time: row.due };
    marked.people.push(mark);
    if (row.link_id !== null) marked.clicks.push({ ...mark, linkId: row.link_id });
    marks.set(key, marked);
    if (row.kind === 'unsubscribe') await putOnDoNotContact(step, row);
    const trigger = triggerOf(row, task);
    if (trigger === undefined) continue;
    if ((await findTriggeredRules(step, trigger)).length === 0) continue;
    if (!arePeopleRead) await step.readPeople(rows.map(({ subscriber_id }) => subscriber_id));
    arePeopleRead = true;
    if (!(await step.person(row.subscriber_id))) continue;
    outcomes.push(...(await queueTriggeredRuleActions({ step, now: row.due }, trigger, row.subscriber_id)));
  }
  let newRecipients = 0;
  for (const { row, task, people, clicks } of marks.values()) {
    await recordTaskClicks(db, task.id, clicks);
    const { mark, email, sms } = REACTION_COLUMNS[row.kind];
    newRecipients += await recordRecipientReactions(
      db,
      task.id,
      people,
      mark,
      task.channel === 'email' ? email : sms,
    );
  }
  return { done, newRecipients, outcomes };
}

/** Interface, doNotContact: "Subscribers who unsubscribe are added automatically". */
async function putOnDoNotContact(step: AccountWorkStep, row: UnsavedReaction): Promise<void> {
  const recipient = await findTaskRecipient(step.db, row.task_id, row.subscriber_id);
  if (recipient) await step.block(recipient.address, row.due);
}

function triggerOf(
  { kind: reaction, link_id }: UnsavedReaction,
  { message_id: messageId }: TaskRow,
): TimedRuleEvent | undefined {
  switch (reaction) {
    case 'open':
      return { kind: 'open', messageId };
    case 'click':
      return { kind: 'click', linkId: link_id ?? 0, messageId };
    case 'unsubscribe':
    case 'complaint':
    case 'bounce':
      return undefined;
    default:
      return assertNever(reaction);
  }
}
