/** Finds rules that someone else created during this apply, and that do the same as an item's rule. */

import type { JsonObject } from '../../protocol/envelope.ts';
import { ruleResource } from '../../resources/rule-kinds.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import { campaignHash, keyHash, parseCampaignMark, REPLACED_RECORD_MARK } from '../marks.ts';
import type { WantedRule } from '../model.ts';
import { ruleEffectText } from '../plan/same-rules.ts';
import { type ApplyContext, idOfRecord } from './context.ts';

/**
 * Returns a rule that was created since the service was observed and has the same trigger, action and target as the wanted rule. Rules that
 * are versions of the item don't count.
 * @param body body of the rule that is about to be created
 * @param ownRule the item's own rule, if it exists; a paused rule that was created after it is not returned
 */
export async function findNewDuplicateRule(
  { client, newRecords, situation }: ApplyContext,
  { key, rule }: WantedRule,
  body: Readonly<Record<string, unknown>>,
  ownRule?: JsonObject,
): Promise<JsonObject | undefined> {
  if (situation.options.both) return undefined;
  const act = ruleEffectText(rule, body);
  const own = campaignHash(situation.campaign.campaign);
  const keys = new Set(situation.campaign.items.map((item) => keyHash(item.kind, item.key)));
  for (const row of newRecords.otherRecords(ruleResource(rule), 'automation', key)) {
    const mark = parseCampaignMark(row['name'])?.mark;
    if (ruleEffectText(rule, row) !== act || mark?.content === REPLACED_RECORD_MARK) continue;
    // Rules of one file may differ by their delay alone.
    if (mark?.campaign === own && keys.has(mark.key)) continue;
    const now = await client.get(ruleResource(rule), idOfRecord(row));
    const isFirst = !ownRule || compareNumbers(idNumber(row), idNumber(ownRule)) < 0;
    // The other run withdraws its rule if that has the higher id, unless the rule is already active.
    if (now && (isFirst || now['paused'] !== true)) return now;
  }
  return undefined;
}
