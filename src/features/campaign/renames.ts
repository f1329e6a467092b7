/** Finds the records that a campaign made under an earlier name or under earlier keys of its items (`renamed-from`). */

import { type CampaignMarkInRecordName, parseCampaignMark } from '../../service/resources/campaign-mark.ts';
import { type MessageIdentity, messageIdentityOfKey } from './content.ts';
import { computeCampaignNameHash, computeItemKeyHash } from './marks.ts';
import type { Campaign, ItemKind, RenamedFrom, WantedItem } from './model.ts';

type NamedCampaign = Pick<Campaign, 'campaign' | 'renamedFrom'>;
type KeyedItem = Pick<WantedItem, 'kind' | 'key' | 'renamedFrom'>;

export interface OwnedMark {
  /** The mark with the hashes of the campaign's name and of the item's key as they are now. */
  readonly mark: CampaignMarkInRecordName;
  /** Undefined if the record has these hashes already. */
  readonly renamedFrom?: RenamedFrom;
}

/** Returns undefined for a mark of another campaign. */
export type OwnMarkReader = (kind: ItemKind, mark: CampaignMarkInRecordName) => OwnedMark | undefined;

export function createOwnMarkReader(campaign: NamedCampaign, items: readonly KeyedItem[]): OwnMarkReader {
  const campaignHash = computeCampaignNameHash(campaign.campaign);
  const names = new Map((campaign.renamedFrom ?? []).map((name) => [computeCampaignNameHash(name), name]));
  const keys = new Map<string, { readonly keyHash: string; readonly from: string }>();
  for (const { kind, key, renamedFrom = [] } of items)
    for (const from of renamedFrom)
      keys.set(`${kind} ${computeItemKeyHash(kind, from)}`, { keyHash: computeItemKeyHash(kind, key), from });
  return (kind, mark) => {
    const name = names.get(mark.campaignHash);
    if (name === undefined && mark.campaignHash !== campaignHash) return undefined;
    const key = keys.get(`${kind} ${mark.keyHash}`);
    if (name === undefined && key === undefined) return { mark };
    return {
      mark: { ...mark, campaignHash, keyHash: key?.keyHash ?? mark.keyHash },
      renamedFrom: {
        ...(key === undefined ? {} : { key: key.from }),
        ...(name === undefined ? {} : { campaign: name }),
      },
    };
  };
}

/** Returns a function that finds the item of a record by the mark in the record's name. */
export function createItemFinder(
  campaign: Campaign,
): (kind: ItemKind, recordName: unknown) => WantedItem | undefined {
  const readOwnMark = createOwnMarkReader(campaign, campaign.items);
  const items = new Map(
    campaign.items.map((item) => [`${item.kind} ${computeItemKeyHash(item.kind, item.key)}`, item]),
  );
  return (kind, recordName) => {
    const found = parseCampaignMark(recordName)?.mark;
    const own = found && readOwnMark(kind, found);
    return own && items.get(`${kind} ${own.mark.keyHash}`);
  };
}

export type MarkedItem = Pick<CampaignMarkInRecordName, 'campaignHash' | 'keyHash'> & {
  readonly kind: ItemKind;
};

/**
 * Returns a function that returns the same text for two marks if they are of one item, whichever of its keys and of the names of its campaign
 * they have. The files may be of different times: any of them may know a key as an earlier one.
 */
export function createSameItemTexts(campaigns: readonly Campaign[]): (mark: MarkedItem) => string {
  const current = new Map<string, string>();
  const of = (text: string): string => {
    const next = current.get(text);
    return next === undefined ? text : of(next);
  };
  const join = (earlier: string, now: string): void => {
    if (of(earlier) !== of(now)) current.set(of(earlier), of(now));
  };
  for (const { campaign, renamedFrom = [] } of campaigns)
    for (const name of renamedFrom) join(computeCampaignNameHash(name), computeCampaignNameHash(campaign));
  const textOf = ({ kind, campaignHash, keyHash }: MarkedItem): string =>
    `${kind} ${of(campaignHash)} ${keyHash}`;
  for (const { campaign, items } of campaigns)
    for (const { kind, key, renamedFrom = [] } of items)
      for (const name of renamedFrom)
        join(textOf(markedItem(campaign, kind, name)), textOf(markedItem(campaign, kind, key)));
  return (mark) => of(textOf(mark));
}

export const markedItem = (campaign: string, kind: ItemKind, key: string): MarkedItem => ({
  kind,
  campaignHash: computeCampaignNameHash(campaign),
  keyHash: computeItemKeyHash(kind, key),
});

/** Returns whether a mark has the name of the campaign, or an earlier one. */
export function createCampaignHashTest({
  campaign,
  renamedFrom = [],
}: NamedCampaign): (hash: string) => boolean {
  const hashes = new Set([campaign, ...renamedFrom].map(computeCampaignNameHash));
  return (hash) => hashes.has(hash);
}

/**
 * A mark covers the key of the message that its task or rule refers to. Returns the identities that the messages had under earlier keys, in
 * each combination, without the present one.
 */
export function createEarlierIdentities(items: readonly KeyedItem[]) {
  const earlier = new Map<MessageIdentity, readonly MessageIdentity[]>();
  for (const { kind, key, renamedFrom = [] } of items)
    if (kind === 'message' && renamedFrom.length > 0)
      earlier.set(messageIdentityOfKey(key), renamedFrom.map(messageIdentityOfKey));
  return <I extends Readonly<Record<string, MessageIdentity>>>(identities: I): readonly I[] => {
    if (earlier.size === 0) return [];
    const all: I[] = [identities];
    for (const [attribute, identity] of Object.entries(identities))
      all.push(
        ...(earlier.get(identity) ?? []).flatMap((each) => all.map((one) => ({ ...one, [attribute]: each }))),
      );
    return all.slice(1);
  };
}
