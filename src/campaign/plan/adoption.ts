/** Finds the existing records that items of a file adopt. See src/campaign/README.md. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';
import type { Channel } from '../../resources/task.ts';
import { computePossibleHashesOfMessage, computeRuleRecordHash, computeTaskRecordHash } from '../content.ts';
import { computeCampaignNameHash, computeItemKeyHash, parseCampaignMark } from '../marks.ts';
import type { Campaign, ItemKind, RecordTakenOverByItem, WantedItem } from '../model.ts';
import { identifyRecordsReferencedByRule } from './rule-references.ts';

/** Channel of a message, or kind of a rule. Ids are unique only among messages of one channel, or rules of one kind. Null for a task. */
export type ChannelOrRuleKind = Channel | RuleKind | null;

/** Item that adopts an existing record, and the data about that record from the file or from `--adopt`. */
export interface RecordTakeover {
  readonly item: WantedItem;
  readonly takenOver: RecordTakenOverByItem;
}

/**
 * Finds the item that adopts an existing record, so that svc uses the record for the item instead of creating one. Returns undefined if no
 * item adopts the record.
 */
export type RecordTakeoverFinder = (
  kind: ItemKind,
  channelOrRuleKind: ChannelOrRuleKind,
  record: JsonObject,
) => RecordTakeover | undefined;

/**
 * Returns the existing record that svc uses for the item instead of creating one. Returns undefined if the item adopts no record. An item
 * of kind `folder` can't adopt a record.
 */
export const findRecordTakenOverByItem = (item: WantedItem): RecordTakenOverByItem | undefined =>
  item.kind === 'folder' ? undefined : item.adopted;

/**
 * Returns the campaign with the records of `--adopt` added to its items. Each named item adopts its record, whatever the record's current
 * content is.
 * @param idsByItem ids by the item's kind and key, such as `task spring`; for a rule, the value is kind and id: `click:3`
 */
export function assignRecordsToTakeOver(
  campaign: Campaign,
  idsByItem: Readonly<Record<string, string>> | undefined,
): Campaign {
  if (idsByItem === undefined) return campaign;
  const items = campaign.items.map((item) => {
    const id = Object.hasOwn(idsByItem, `${item.kind} ${item.key}`)
      ? idsByItem[`${item.kind} ${item.key}`]
      : undefined;
    if (id === undefined || item.kind === 'folder') return item;
    return {
      ...item,
      adopted: { id: id.replace(/^.*:/, ''), hash: null, isNamedByAdoptFlag: true as const },
    };
  });
  return { ...campaign, items };
}

/** Returns the channel of a message, or the kind of a rule. Returns null for any other item. */
export const channelOrRuleKindOfItem = (item: WantedItem): ChannelOrRuleKind =>
  item.kind === 'message' ? item.channel : item.kind === 'automation' ? item.rule : null;

/** Returns the name of a record without the mark at its end, if it has one. */
export const readNameWithoutCampaignMark = (record: JsonObject): string =>
  parseCampaignMark(record['name'])?.name ?? String(record['name']);

/**
 * Returns a function that finds the item that takes over (adopts) an existing record. The function returns undefined if no item adopts
 * the record. No item adopts a record that already belongs to an item of this campaign file, even if another item gives the record's id.
 * The mark, a tag at the end of the record's name, shows to which item the record belongs.
 */
export function createRecordTakeoverFinder({ campaign, items }: Campaign): RecordTakeoverFinder {
  const byRecord = new Map<string, RecordTakeover>();
  for (const item of items) {
    const takenOver = findRecordTakenOverByItem(item);
    if (takenOver)
      byRecord.set(`${item.kind} ${channelOrRuleKindOfItem(item)} ${takenOver.id}`, { item, takenOver });
  }
  if (byRecord.size === 0) return () => undefined;
  const own = computeCampaignNameHash(campaign);
  const keys = new Set(items.map(({ kind, key }) => `${kind} ${computeItemKeyHash(kind, key)}`));
  return (kind, channelOrRuleKind, record) => {
    const mark = parseCampaignMark(record['name'])?.mark;
    if (mark?.campaignHash === own && keys.has(`${kind} ${mark.keyHash}`)) return undefined;
    return byRecord.get(`${kind} ${channelOrRuleKind} ${String(record['id'])}`);
  };
}

/**
 * Returns whether a record has the mark of another campaign. No item may adopt such a record: the other campaign would create the record
 * again, so a task would be sent twice.
 */
export function belongsToOtherCampaign(record: JsonObject, { campaign }: Campaign): boolean {
  const mark = parseCampaignMark(record['name'])?.mark;
  return mark !== undefined && mark.campaignHash !== computeCampaignNameHash(campaign);
}

/**
 * Returns the possible hashes of a record's content. If the `hash` of an item equals one of these hashes, the record has not changed
 * since `svc export` wrote the campaign file. The hashes are computed from ids, not from the file's keys, so people can rename keys in the
 * file. A message can have several hashes (`computePossibleHashesOfMessage`). Any other record has one hash. `svc export` writes the first
 * hash to the file.
 * @param links links of an e-mail message
 */
export function computePossibleRecordHashes(
  kind: Exclude<ItemKind, 'folder'>,
  channelOrRuleKind: ChannelOrRuleKind,
  record: JsonObject,
  links: readonly JsonObject[],
): readonly string[] {
  const name = readNameWithoutCampaignMark(record);
  switch (kind) {
    case 'message':
      return computePossibleHashesOfMessage(channelOrRuleKind as Channel, name, record, links);
    case 'task':
      return [computeTaskRecordHash(name, record, `id:${String(record['message_id'])}`)];
    case 'automation': {
      const rule = channelOrRuleKind as RuleKind;
      const identities = identifyRecordsReferencedByRule(rule, record, (_, id) => `id:${String(id)}`);
      return [computeRuleRecordHash(rule, name, record, identities)];
    }
  }
}
