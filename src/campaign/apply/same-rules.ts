/** Finds rules that someone else created during this apply, and that do the same as an item's rule. */

import type { JsonObject } from '../../protocol/envelope.ts';
import { ruleResource } from '../../resources/rule-kinds.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import {
  computeCampaignNameHash,
  computeItemKeyHash,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../marks.ts';
import type { WantedRule } from '../model.ts';
import { ruleEffectText } from '../plan/same-rules.ts';
import { type ApplyContext, idOfRecord } from './context.ts';

/**
 * Returns a rule that someone created after svc read the service's records, and that has the same trigger, action and target as the wanted
 * rule. Ignores all rules that svc created for items of this campaign file. Returns undefined if there is no such rule, or if the user
 * allows duplicates (`--both`).
 * @param body request body of the wanted rule
 * @param ownRule rule that this run has created for the item, if any. Paused rules with a higher id are ignored, because the run that
 * created such a rule deletes it.
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
