/** Data that all steps share, and the records that other runs of apply have created since svc read the service. */
import type { Client } from '../../../client/requests/client.ts';
import type { SendDependencies } from '../../../client/sends/ports.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import {
  appendCampaignMark,
  type CANCELLED_DUPLICATE_MARK_LETTER,
  type CampaignMarkInRecordName,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../service/resources/campaign-mark.ts';
import type { Channel, task } from '../../../service/resources/task.ts';
import { computeCampaignNameHash, computeItemKeyHash, computeRelativeTimeHash } from '../marks.ts';
import type { ItemKind, NamedRecord, RuleResource, WantedItem, WantedTask } from '../model.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from '../plan/situation.ts';
import { relativeTimeText } from '../plan/task-time.ts';
import type { OwnMarkReader } from '../renames.ts';

export interface ApplyContext {
  /** Records every change in the journal, and looks for the record after a lost response. */
  readonly client: Client;
  readonly sends: SendDependencies;
  readonly situation: PlanningSituation;
  readonly newRecords: ReturnType<typeof createNewRecordTracker>;
  readonly overwrite: boolean;
  readonly versions: Map<string, { readonly channel: Channel; readonly id: number | bigint }>;
  /** Messages, such as `email 7`, that can no longer be changed and have the content that apply last wrote. */
  readonly locked: Set<string>;
  readonly note: (line: string) => Promise<void>;
}

export interface StepResult {
  /** Id of the record, or `click:3` for a rule. Null if the record is gone. */
  readonly id: string | null;
  readonly size?: number | null | undefined;
}

/** @param content content hash, or one of the two letters for retired records */
export function createCampaignMarkForItem(
  { situation }: Pick<ApplyContext, 'situation'>,
  item: Pick<WantedItem, 'kind' | 'key'> & Partial<Pick<WantedTask, 'at'>>,
  content: string,
): CampaignMarkInRecordName {
  const { campaign, renamedFrom = [] } = situation.campaign;
  const said = item.at === undefined ? undefined : relativeTimeText({ at: item.at });
  return {
    ...(said === undefined ? {} : { relativeTimeHash: computeRelativeTimeHash(said) }),
    campaignHash: computeCampaignNameHash(campaign),
    keyHash: computeItemKeyHash(item.kind, item.key),
    contentHashOrReason: content,
    // The name of a folder has no space for them.
    ...(item.kind === 'folder' ? {} : { earlierCampaignHashes: renamedFrom.map(computeCampaignNameHash) }),
  };
}

export const nameWithMark = (
  context: Pick<ApplyContext, 'situation'>,
  item: Parameters<typeof createCampaignMarkForItem>[1] & { readonly name: string },
  content: string,
): string => appendCampaignMark(item.name, createCampaignMarkForItem(context, item, content));

/** @param variant channel of a message or kind of a rule, because ids are unique only within one of them */
export function findLastWrittenHash(
  { situation }: ApplyContext,
  item: Pick<WantedItem, 'kind' | 'key'>,
  record: NamedRecord,
  variant: Pick<RecordOwnedByCampaign, 'channel' | 'rule'> = {},
): string | undefined {
  const mark = parseCampaignMark(record.name)?.mark;
  const { campaignHash, keyHash } = createCampaignMarkForItem({ situation }, item, '');
  const own = situation.own(item.kind, item.key);
  const isThis = (each: RecordOwnedByCampaign): boolean =>
    each.record.id === record.id && each.channel === variant.channel && each.rule === variant.rule;
  const observed = own.find(isThis);
  const before = parseCampaignMark(observed?.record.name)?.mark;
  // The hash in such a mark covers the earlier key of a message.
  if (observed?.hasEarlierMark && haveSameHashes(mark, before)) return observed.mark.contentHashOrReason;
  // Somebody has removed the mark since the plan was made, so that svc leaves the record alone.
  if (observed?.hasEarlierMark && mark === undefined) return undefined;
  if (mark?.campaignHash === campaignHash && mark.keyHash === keyHash) return mark.contentHashOrReason;
  if (mark !== undefined && mark.campaignHash !== campaignHash) return undefined;
  return before?.campaignHash === campaignHash && before.keyHash === keyHash
    ? undefined
    : observed?.mark.contentHashOrReason;
}

const haveSameHashes = (
  a: CampaignMarkInRecordName | undefined,
  b: CampaignMarkInRecordName | undefined,
): boolean =>
  a?.campaignHash === b?.campaignHash &&
  a?.keyHash === b?.keyHash &&
  a?.contentHashOrReason === b?.contentHashOrReason;

export type RetiredMarkLetter = typeof REPLACED_RECORD_MARK_LETTER | typeof CANCELLED_DUPLICATE_MARK_LETTER;

export const nameOfRetiredRecord = (
  name: string,
  mark: CampaignMarkInRecordName,
  reason: RetiredMarkLetter = REPLACED_RECORD_MARK_LETTER,
): string => appendCampaignMark(name, { ...mark, contentHashOrReason: reason });

type TrackedResource = typeof task | RuleResource;

/**
 * Another run may have made a record under an earlier key of the item.
 * @param observed returns the records of a resource that svc read at first
 */
export function createNewRecordTracker(
  client: Pick<Client, 'list'>,
  readOwnMark: OwnMarkReader,
  observed: (resource: TrackedResource) => readonly NamedRecord[],
) {
  interface Seen {
    highest: number | bigint;
    readonly rows: NamedRecord[];
  }
  const seen = new Map<string, Seen>();
  const stateOf = (resource: TrackedResource) => {
    const state: Seen = seen.get(resource.name) ?? {
      highest: observed(resource).reduce<number | bigint>(higher, 0),
      rows: [],
    };
    seen.set(resource.name, state);
    return state;
  };
  const isRecordOfItem = (row: NamedRecord, kind: ItemKind, key: string): boolean => {
    const mark = parseCampaignMark(row.name)?.mark;
    const own = mark && readOwnMark(kind, mark);
    return own?.mark.keyHash === computeItemKeyHash(kind, key);
  };
  return {
    /** Sends one GET for each 200 records, with the client of this run by default. */
    refresh: async (resource: TrackedResource, by: Pick<Client, 'list'> = client): Promise<void> => {
      const state = stateOf(resource);
      const before = state.highest;
      for await (const row of by.list(resource, { sort: 'id', from: after(before) })) {
        if (row.id <= before) continue;
        state.highest = higher(state.highest, row);
        state.rows.push(row);
      }
    },
    isRecordOfItem,
    /** The records may be out of date, because each is read only once. */
    recordsOfItem: (resource: TrackedResource, kind: ItemKind, key: string): readonly NamedRecord[] =>
      stateOf(resource).rows.filter((row) => isRecordOfItem(row, kind, key)),
    recordsOfOtherItems: (resource: TrackedResource, kind: ItemKind, key: string): readonly NamedRecord[] =>
      stateOf(resource).rows.filter((row) => !isRecordOfItem(row, kind, key)),
    highestId: (resource: TrackedResource): number | bigint => stateOf(resource).highest,
  };
}

const higher = (most: number | bigint, { id }: NamedRecord): number | bigint => (id > most ? id : most);

const after = (id: number | bigint): number | bigint => parseIntegerDigits(String(BigInt(id) + 1n));
