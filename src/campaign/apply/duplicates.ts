/** Finds tasks and rules that someone else created during this apply, and that do the same as an item's task or rule. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { ruleResource } from '../../resources/rule-kinds.ts';
import { task } from '../../resources/task.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import {
  computeCampaignNameHash,
  computeItemKeyHash,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../marks.ts';
import type { WantedRule, WantedTask } from '../model.ts';
import { ruleEffectText } from '../plan/same-rules.ts';
import { convertSecondsToUnixMinutes, isActiveTask } from '../plan/same-sends.ts';
import { type ApplyContext, idOfRecord } from './context.ts';

/**
 * Returns a task that was created after svc read the service, and that sends the same message to the same recipients: in the same minute if
 * its name has a mark, at any time otherwise. Returns undefined if the user allows duplicates (`--both`).
 * @param ownTask task that this run has created for the item; tasks with a higher id are ignored
 */
export async function findDuplicateTaskCreatedMeanwhile(
  { client, newRecords, situation }: ApplyContext,
  { key }: WantedTask,
  body: Readonly<Record<string, unknown>>,
  ownTask?: JsonObject,
): Promise<JsonObject | undefined> {
  if (situation.options.both) return undefined;
  for (const row of newRecords.recordsOfOtherItems(task, 'task', key)) {
    if (ownTask && compareNumbers(idNumber(row), idNumber(ownTask)) > 0) continue;
    const isSame = SAME.every((attribute) => String(row[attribute]) === String(body[attribute]));
    if (!isSame) continue;
    if (!parseCampaignMark(row['name'])) return row;
    if (
      convertSecondsToUnixMinutes(Number(row['scheduledtime'])) !==
      convertSecondsToUnixMinutes(Number(body['scheduledtime']))
    )
      continue;
    const now = await client.get(task, idOfRecord(row));
    if (now && isActiveTask(now)) return now;
  }
  return undefined;
}

const SAME = ['channel', 'message_id', 'list_id', 'search_id'];

/**
 * Returns a rule that was created after svc read the service, and that has the same trigger, action and target. Ignores rules of this
 * file's items. Returns undefined if the user allows duplicates (`--both`).
 * @param ownRule rule of this run. Paused rules with a higher id are ignored, because their own run deletes them.
 */
export async function findDuplicateRuleCreatedMeanwhile(
  { client, newRecords, situation }: ApplyContext,
  { key, rule }: WantedRule,
  body: Readonly<Record<string, unknown>>,
  ownRule?: JsonObject,
): Promise<JsonObject | undefined> {
  if (situation.options.both) return undefined;
  const act = ruleEffectText(rule, body);
  const own = computeCampaignNameHash(situation.campaign.campaign);
  const keys = new Set(situation.campaign.items.map((item) => computeItemKeyHash(item.kind, item.key)));
  for (const row of newRecords.recordsOfOtherItems(ruleResource(rule), 'automation', key)) {
    const mark = parseCampaignMark(row['name'])?.mark;
    if (ruleEffectText(rule, row) !== act || mark?.contentHashOrReason === REPLACED_RECORD_MARK_LETTER)
      continue;
    // Rules of one file may differ by their delay alone.
    if (mark?.campaignHash === own && keys.has(mark.keyHash)) continue;
    const now = await client.get(ruleResource(rule), idOfRecord(row));
    const isFirst = !ownRule || compareNumbers(idNumber(row), idNumber(ownRule)) < 0;
    // The other run withdraws its rule if that has the higher id, unless the rule is already active.
    if (now && (isFirst || now['paused'] !== true)) return now;
  }
  return undefined;
}
