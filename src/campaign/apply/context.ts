/** Defines the data that all steps of an apply share. */
import type { Client } from '../../client/client.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { integerOf } from '../../schema/integer.ts';
import type { SendPorts } from '../../sends/ports.ts';
import {
  type CampaignMark,
  campaignPart,
  keyPart,
  readMark,
  SET_ASIDE,
  type SUPERSEDED,
  timeWordsHash,
  withMark,
} from '../marks.ts';
import type { Channel, Observed, Step, WantedItem, WantedTask } from '../model.ts';
import type { Own, Situation } from '../plan/situation.ts';
import { relativeTimeText } from '../plan/task-time.ts';
import type { NewRecords } from './new-records.ts';

export interface ApplyContext {
  /** Client that records its changes in the journal, and looks for records that a request with a lost response created. */
  readonly client: Client;
  /** Ports through which every task is created, changed and cancelled. */
  readonly sends: SendPorts;
  readonly situation: Situation;
  readonly observed: Observed;
  readonly newRecords: NewRecords;
  /** True if changes made by hand are overwritten. */
  readonly overwrite: boolean;
  /** Version in use of each message of the file, by the message's key. The step of a message sets its version. */
  readonly versions: Map<string, { readonly channel: Channel; readonly id: Json }>;
  /** Messages that have the wanted content and can no longer be changed: `email 7`. */
  readonly locked: Set<string>;
  /** Prints for people what was done: `two runs made it; task 8 is cancelled`. */
  readonly note: (line: string) => Promise<void>;
}

/** Result of a step. */
export interface StepResult {
  /** Id of the record, or `click:3` for a rule. Null if the record is gone. */
  readonly id: string | null;
  readonly size?: number | null | undefined;
}

export function markOf(
  { situation }: Pick<ApplyContext, 'situation'>,
  item: Pick<WantedItem, 'kind' | 'key'> & Partial<Pick<WantedTask, 'at'>>,
  content: string,
): CampaignMark {
  const said = item.at === undefined ? undefined : relativeTimeText({ at: item.at });
  return {
    ...(said === undefined ? {} : { words: timeWordsHash(said) }),
    campaign: campaignPart(situation.campaign.campaign),
    key: keyPart(item.kind, item.key),
    content,
  };
}

/**
 * Returns the content that was last written to a record of the item. The record's mark says it, or the plan for a record without the item's
 * mark. Returns undefined for a record of another item, and for a record that has lost its mark.
 * @param record the record as it is now
 * @param of channel or rule kind, for records whose ids are unique only within it
 */
export function writtenContent(
  { situation }: ApplyContext,
  item: Pick<WantedItem, 'kind' | 'key'>,
  record: JsonObject,
  of: Pick<Own, 'channel' | 'rule'> = {},
): string | undefined {
  const mark = readMark(record['name'])?.mark;
  const { campaign, key } = markOf({ situation }, item, '');
  if (mark?.campaign === campaign && mark.key === key) return mark.content;
  if (mark !== undefined && mark.campaign !== campaign) return undefined;
  const own = situation.own(item.kind, item.key);
  const isThis = (each: Own): boolean =>
    String(each.record['id']) === String(record['id']) &&
    each.channel === of.channel &&
    each.rule === of.rule;
  const observed = own.find(isThis);
  const before = readMark(observed?.record['name'])?.mark;
  return before?.campaign === campaign && before.key === key ? undefined : observed?.mark.content;
}

/** Returns a name for a record that apply retires. A mark in the name says that apply retired the record. */
export const setAsideName = (
  name: string,
  mark: CampaignMark,
  as: typeof SET_ASIDE | typeof SUPERSEDED = SET_ASIDE,
): string => withMark(name, { ...mark, content: as });

/** Returns the id of a record as the methods of the client take it. */
export const idIn = (record: JsonObject): number | bigint | string => {
  const { id } = record;
  return typeof id === 'number' || typeof id === 'bigint' ? id : String(id);
};

/** Converts decimal digits to an id as the service takes it. */
export const idFrom = (digits: string): number | bigint => integerOf(digits);

export type StepOf<A extends Step['action'] = Step['action']> = Step & { readonly action: A };
