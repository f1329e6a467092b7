/** Finds tasks and rules that someone else created during this apply, and that do the same as an item's task or rule. */

import { createMessageContents, readComparableRule, readSend } from '../../../client/sends/rivals.ts';
import { hasSameEffect, ruleDelay } from '../../../client/sends/same-rule.ts';
import { isActiveTask, isSameSend } from '../../../client/sends/same-send.ts';
import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../../../service/resources/campaign-mark.ts';
import { RULE_DEFINITIONS, type RuleKind } from '../../../service/resources/rule-kinds.ts';
import { task } from '../../../service/resources/task.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { RuleRecord, TaskRecord, WantedRule, WantedTask } from '../model.ts';
import type { ApplyContext } from './context.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * A task without a mark counts at any time if it sends the same message record. Returns undefined if the user allows duplicates (`--both`).
 * @param ownTask task that this run has created for the item; tasks with a higher id are ignored
 */
export async function findSameSendOfOthers(
  { client, newRecords, situation }: ApplyContext,
  { key }: WantedTask,
  body: Body,
  ownTask?: TaskRecord,
): Promise<TaskRecord | undefined> {
  if (situation.options.both) return undefined;
  const contents = createMessageContents(client);
  for (const row of newRecords.recordsOfOtherItems(task, 'task', key)) {
    if (ownTask && row.id > ownTask.id) continue;
    const isSameRecord =
      !parseCampaignMark(row.name) && SAME.every((name) => String(row[name]) === String(body[name]));
    if (!isSameRecord && !isSameSend(await readSend(contents, row), await readSend(contents, body))) continue;
    const now = await client.get(task, row.id);
    if (now && isActiveTask(now)) return now;
  }
  return undefined;
}

const SAME = ['channel', 'message_id', 'list_id', 'search_id'];

/**
 * Ignores rules of this file's items. Returns undefined with `--both`.
 * @param ownRule rule of this run; paused rules with a higher id are ignored, because their own run deletes them
 */
export async function findSameRuleOfOthers(
  { client, newRecords, situation }: ApplyContext,
  { key, rule }: WantedRule,
  body: Body,
  ownRule?: RuleRecord,
): Promise<RuleRecord | undefined> {
  if (situation.options.both) return undefined;
  const contents = createMessageContents(client);
  const comparable = (values: Body) => readComparableRule(contents, rule, values);
  const keys = new Set(situation.campaign.items.map((item) => computeItemKeyHash(item.kind, item.key)));
  for (const row of newRecords.recordsOfOtherItems(RULE_DEFINITIONS[rule].resource, 'automation', key)) {
    const mark = parseCampaignMark(row.name)?.mark;
    if (mark?.contentHashOrReason === REPLACED_RECORD_MARK_LETTER) continue;
    // Rules of one file may differ by their delay alone, and rules of two campaigns may form a series.
    const own = mark && situation.readOwnMark('automation', mark);
    if (mark && (ruleDelay(row) !== ruleDelay(body) || (own && keys.has(own.mark.keyHash)))) continue;
    if (!hasSameEffect(rule, await comparable(row), await comparable(body))) continue;
    const now = await client.get(RULE_DEFINITIONS[rule].resource, row.id);
    const isFirst = !ownRule || row.id < ownRule.id;
    // The other run withdraws its rule if that has the higher id, unless the rule is already active.
    if (now && (isFirst || now.paused !== true)) return now;
  }
  return undefined;
}

export const isRuleActive = async (
  { client }: Pick<ApplyContext, 'client'>,
  rule: RuleKind,
  { id }: RuleRecord,
): Promise<boolean> => (await client.get(RULE_DEFINITIONS[rule].resource, id))?.paused === false;
