/** Which records that are there the items of a file name for their own; src/campaign/README.md says more. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/automation.ts';
import { foundMessageContents, foundRuleContent, foundTaskContent } from '../content.ts';
import { campaignPart, keyPart, readMark } from '../marks.ts';
import type { Adopted, Campaign, Channel, ItemKind, WantedItem } from '../model.ts';
import { identitiesIn } from './rule-references.ts';

/** The channel of a message, the kind of a rule; null of a task. */
export type Variant = Channel | RuleKind | null;

export interface Adoption {
  readonly item: WantedItem;
  readonly adopted: Adopted;
}

export type Adoptions = (kind: ItemKind, variant: Variant, record: JsonObject) => Adoption | undefined;

export const adoptedBy = (item: WantedItem): Adopted | undefined =>
  item.kind === 'folder' ? undefined : item.adopted;

/**
 * Returns the campaign with the records that `--adopt` names: each item is taken to be its record, however that is now.
 * @param adopt ids by `kind key`, of rules as `click:3`
 */
export function withAdoptions(
  campaign: Campaign,
  adopt: Readonly<Record<string, string>> | undefined,
): Campaign {
  if (adopt === undefined) return campaign;
  const items = campaign.items.map((item) => {
    const id = Object.hasOwn(adopt, `${item.kind} ${item.key}`)
      ? adopt[`${item.kind} ${item.key}`]
      : undefined;
    if (id === undefined || item.kind === 'folder') return item;
    return { ...item, adopted: { id: id.replace(/^.*:/, ''), hash: null, isClaimed: true as const } };
  });
  return { ...campaign, items };
}

export const variantOf = (item: WantedItem): Variant =>
  item.kind === 'message' ? item.channel : item.kind === 'automation' ? item.rule : null;

/** Of a record's name: the mark says whose it is already. */
export const bareName = (record: JsonObject): string =>
  readMark(record['name'])?.name ?? String(record['name']);

/** What bears the mark of an item of this file is that item's, whatever another says. */
export function adoptionsIn({ campaign, items }: Campaign): Adoptions {
  const byRecord = new Map<string, Adoption>();
  for (const item of items) {
    const adopted = adoptedBy(item);
    if (adopted) byRecord.set(`${item.kind} ${variantOf(item)} ${adopted.id}`, { item, adopted });
  }
  if (byRecord.size === 0) return () => undefined;
  const own = campaignPart(campaign);
  const keys = new Set(items.map(({ kind, key }) => `${kind} ${keyPart(kind, key)}`));
  return (kind, variant, record) => {
    const mark = readMark(record['name'])?.mark;
    if (mark?.campaign === own && keys.has(`${kind} ${mark.key}`)) return undefined;
    return byRecord.get(`${kind} ${variant} ${String(record['id'])}`);
  };
}

/** Whether it bears the mark of another campaign: that one would make it anew, and a task would be sent twice. */
export function isOfAnother(record: JsonObject, { campaign }: Campaign): boolean {
  const mark = readMark(record['name'])?.mark;
  return mark !== undefined && mark.campaign !== campaignPart(campaign);
}

/**
 * What a record comes to by itself, whatever a file calls it and its messages: an item's `hash`. Of a message there are
 * several, the first of which is written.
 * @param links of an e-mail message
 */
export function adoptedHashes(
  kind: Exclude<ItemKind, 'folder'>,
  variant: Variant,
  record: JsonObject,
  links: readonly JsonObject[],
): readonly string[] {
  const name = bareName(record);
  switch (kind) {
    case 'message':
      return foundMessageContents(variant as Channel, name, record, links);
    case 'task':
      return [foundTaskContent(name, record, `id:${String(record['message_id'])}`)];
    case 'automation': {
      const rule = variant as RuleKind;
      const identities = identitiesIn(rule, record, (_, id) => `id:${String(id)}`);
      return [foundRuleContent(rule, name, record, identities)];
    }
  }
}
