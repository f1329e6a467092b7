/** See src/features/campaign/README.md. */

import type { AnyRecord } from '../../../kit/schema/resource.ts';
import { parseCampaignMark, removeMarks } from '../../../service/resources/campaign-mark.ts';
import type { RuleKind } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { computePossibleHashesOfMessage, computeTaskRecordHash } from '../content.ts';
import { computeItemKeyHash } from '../marks.ts';
import type {
  Adopted,
  Campaign,
  ItemKind,
  LinkRecord,
  NamedRecord,
  TaskRecord,
  WantedItem,
} from '../model.ts';
import { createCampaignHashTest, type OwnMarkReader } from '../renames.ts';
import { hashRuleRecord } from './rule-references.ts';

/** Ids are unique only among messages of one channel, or rules of one kind. Null for a task. */
export type ChannelOrRuleKind = Channel | RuleKind | null;

export interface RecordTakeover {
  readonly item: WantedItem;
  readonly takenOver: Adopted;
}

export const adoptedBy = (item: WantedItem): Adopted | undefined =>
  item.kind === 'folder' ? undefined : item.adopted;

/** @param idsByItem ids by the item's kind and key, such as `task spring`; for a rule, the value is kind and id: `click:3` */
export function assignRecordsToTakeOver<C extends Pick<Campaign, 'items'>>(
  campaign: C,
  idsByItem: Readonly<Record<string, string>> | undefined,
): C {
  if (idsByItem === undefined) return campaign;
  const items = campaign.items.map((item) => {
    const id = idsByItem[`${item.kind} ${item.key}`];
    if (id === undefined || item.kind === 'folder') return item;
    return { ...item, adopted: { id: id.replace(/^.*:/, ''), hash: null } };
  });
  return { ...campaign, items };
}

export const channelOrRuleKindOfItem = (item: WantedItem): ChannelOrRuleKind =>
  item.kind === 'message' ? item.channel : item.kind === 'automation' ? item.rule : null;

export function recordKindInWords(kind: ItemKind, channelOrRuleKind: ChannelOrRuleKind): string {
  if (kind === 'message') return `${channelOrRuleKind === 'email' ? 'e-mail' : 'SMS'} message`;
  return kind === 'automation' ? `rule ${channelOrRuleKind}` : kind;
}

export const readNameWithoutCampaignMark = ({ name }: AnyRecord): string => removeMarks(String(name));

/** No item adopts a record whose mark already names an item of this file. */
export function createRecordTakeoverFinder(
  { items }: Campaign,
  readOwnMark: OwnMarkReader,
): (kind: ItemKind, channelOrRuleKind: ChannelOrRuleKind, record: NamedRecord) => RecordTakeover | undefined {
  const byRecord = new Map<string, RecordTakeover>();
  for (const item of items) {
    const takenOver = adoptedBy(item);
    if (takenOver)
      byRecord.set(`${item.kind} ${channelOrRuleKindOfItem(item)} ${takenOver.id}`, { item, takenOver });
  }
  if (byRecord.size === 0) return () => undefined;
  const keys = new Set(items.map(({ kind, key }) => `${kind} ${computeItemKeyHash(kind, key)}`));
  return (kind, channelOrRuleKind, record) => {
    const mark = parseCampaignMark(record.name)?.mark;
    const own = mark && readOwnMark(kind, mark);
    if (own && keys.has(`${kind} ${own.mark.keyHash}`)) return undefined;
    return byRecord.get(`${kind} ${channelOrRuleKind} ${record.id}`);
  };
}

/** If an item adopted it, that campaign would create it again, and send a task twice. */
export function belongsToOtherCampaign({ name }: NamedRecord, campaign: Campaign): boolean {
  const mark = parseCampaignMark(name)?.mark;
  return mark !== undefined && !createCampaignHashTest(campaign)(mark.campaignHash);
}

/**
 * The record is unchanged since `svc export` if one of them is the item's `hash`. They cover ids and not keys, so that people can rename
 * keys. The first one is what `svc export` writes.
 */
export function computePossibleRecordHashes(
  kind: Exclude<ItemKind, 'folder'>,
  channelOrRuleKind: ChannelOrRuleKind,
  record: AnyRecord,
  links: readonly LinkRecord[],
): readonly string[] {
  const name = readNameWithoutCampaignMark(record);
  switch (kind) {
    case 'message':
      return computePossibleHashesOfMessage(channelOrRuleKind as Channel, name, record, links);
    case 'task': {
      const sent = record as TaskRecord;
      return [computeTaskRecordHash(name, sent, `id:${sent.message_id}`)];
    }
    case 'automation': {
      const rule = channelOrRuleKind as RuleKind;
      return [hashRuleRecord(rule, name, record, (_, id) => `id:${String(id)}`)];
    }
  }
}
