/** Defines the data that all steps of an apply share. */
import type { Client } from '../../client/client.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import type { Channel } from '../../resources/task.ts';
import { parseIntegerDigits } from '../../schema/integer.ts';
import type { SendDependencies } from '../../sends/ports.ts';
import {
  appendCampaignMark,
  type CANCELLED_DUPLICATE_MARK_LETTER,
  type CampaignMarkInRecordName,
  computeCampaignNameHash,
  computeItemKeyHash,
  computeRelativeTimeHash,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../marks.ts';
import type { ObservedCompanyRecords, Step, WantedItem, WantedTask } from '../model.ts';
import type { PlanningSituation, RecordOwnedByCampaign } from '../plan/situation.ts';
import { relativeTimeText } from '../plan/task-time.ts';
import type { NewRecordTracker } from './new-records.ts';

export interface ApplyContext {
  /**
   * Client that writes every change to the journal, the log that `svc undo` reads. If the response to a request is lost, the client
   * searches the service for the record that the request may have created.
   */
  readonly client: Client;
  /** Client, clock and output that the code in `sends/` uses to create, change and cancel tasks. */
  readonly sends: SendDependencies;
  readonly situation: PlanningSituation;
  readonly observed: ObservedCompanyRecords;
  readonly newRecords: NewRecordTracker;
  /** True if svc overwrites changes that people made by hand. */
  readonly overwrite: boolean;
  /**
   * Version of each message that tasks and rules must use, by the message's key in the file. The step that creates or changes a message
   * adds the version of that message.
   */
  readonly versions: Map<string, { readonly channel: Channel; readonly id: Json }>;
  /**
   * Messages that can no longer be changed, and that still have the content that apply last wrote. Each value is a channel and an id, such
   * as `email 7`.
   */
  readonly locked: Set<string>;
  /** Prints a line for people about what apply did: `task 8 is cancelled, because another run has created task 7`. */
  readonly note: (line: string) => Promise<void>;
}

/** Result of performing one step of a plan. */
export interface StepResult {
  /** Id of the record, or `click:3` for a rule. Null if the record is gone. */
  readonly id: string | null;
  readonly size?: number | null | undefined;
}

/**
 * Creates the mark for an item's record. svc adds the mark, a tag such as ` [svc-…]`, to the end of the record's name, and later finds the
 * record by this tag.
 * @param content hash of the record's content, or `REPLACED_RECORD_MARK_LETTER` or `CANCELLED_DUPLICATE_MARK_LETTER`
 */
export function createCampaignMarkForItem(
  { situation }: Pick<ApplyContext, 'situation'>,
  item: Pick<WantedItem, 'kind' | 'key'> & Partial<Pick<WantedTask, 'at'>>,
  content: string,
): CampaignMarkInRecordName {
  const said = item.at === undefined ? undefined : relativeTimeText({ at: item.at });
  return {
    ...(said === undefined ? {} : { relativeTimeHash: computeRelativeTimeHash(said) }),
    campaignHash: computeCampaignNameHash(situation.campaign.campaign),
    keyHash: computeItemKeyHash(item.kind, item.key),
    contentHashOrReason: content,
  };
}

/**
 * Returns the hash of the content that svc apply last wrote to a record. The hash is in the mark, a tag that apply adds to the record's
 * name. A record without a mark may be an existing record that the item adopts, because the file or `--adopt` names the record. In that
 * case, returns the hash from the plan. Returns undefined if the hash is unknown.
 * @param record the record as it is now
 * @param variant channel of a message or kind of a rule; ids are unique only within one channel or kind
 */
export function findLastWrittenHash(
  { situation }: ApplyContext,
  item: Pick<WantedItem, 'kind' | 'key'>,
  record: JsonObject,
  variant: Pick<RecordOwnedByCampaign, 'channel' | 'rule'> = {},
): string | undefined {
  const mark = parseCampaignMark(record['name'])?.mark;
  const { campaignHash, keyHash } = createCampaignMarkForItem({ situation }, item, '');
  if (mark?.campaignHash === campaignHash && mark.keyHash === keyHash) return mark.contentHashOrReason;
  if (mark !== undefined && mark.campaignHash !== campaignHash) return undefined;
  const own = situation.own(item.kind, item.key);
  const isThis = (each: RecordOwnedByCampaign): boolean =>
    String(each.record['id']) === String(record['id']) &&
    each.channel === variant.channel &&
    each.rule === variant.rule;
  const observed = own.find(isThis);
  const before = parseCampaignMark(observed?.record['name'])?.mark;
  return before?.campaignHash === campaignHash && before.keyHash === keyHash
    ? undefined
    : observed?.mark.contentHashOrReason;
}

/** Returns a new name for a record that apply cancels or pauses. The mark in the name gives the reason. */
export const nameOfRetiredRecord = (
  name: string,
  mark: CampaignMarkInRecordName,
  reason:
    | typeof REPLACED_RECORD_MARK_LETTER
    | typeof CANCELLED_DUPLICATE_MARK_LETTER = REPLACED_RECORD_MARK_LETTER,
): string => appendCampaignMark(name, { ...mark, contentHashOrReason: reason });

/** Returns the id of a record in the form that the client's methods accept. */
export const idOfRecord = (record: JsonObject): number | bigint | string => {
  const { id } = record;
  return typeof id === 'number' || typeof id === 'bigint' ? id : String(id);
};

/** Converts decimal digits to an id in the form that the client's methods accept. */
export const idFromDigits = (digits: string): number | bigint => parseIntegerDigits(digits);

/** Step whose action is one of `A`. */
export type StepOf<A extends Step['action'] = Step['action']> = Step & { readonly action: A };
