/** What the steps of an apply share. */
import type { Client } from '../../client/client.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { integerOf } from '../../schema/integer.ts';
import type { SendPorts } from '../../sends/ports.ts';
import {
  campaignPart,
  type GAVE_WAY,
  keyPart,
  type Mark,
  readMark,
  SET_ASIDE,
  withMark,
  wordsPart,
} from '../marks.ts';
import type { Channel, Observed, Step, WantedItem, WantedTask } from '../model.ts';
import type { Own, Situation } from '../plan/situation.ts';
import { wordsOf } from '../plan/task-time.ts';
import type { Newcomers } from './newcomers.ts';

export interface ApplyContext {
  /** Records what it changes in the journal, and looks for what a lost answer has made. */
  readonly client: Client;
  /** Tasks are made, changed and cancelled through these alone. */
  readonly sends: SendPorts;
  readonly situation: Situation;
  readonly observed: Observed;
  readonly newcomers: Newcomers;
  /** Changes by hand are written over. */
  readonly overwrite: boolean;
  /** The version in use of each message of the file, by key: the step of the message sets it. */
  readonly versions: Map<string, { readonly channel: Channel; readonly id: Json }>;
  /** Messages as written that nobody can change any more: `email 7`. */
  readonly locked: Set<string>;
  /** Told of what is done, for people: `two runs made it; task 8 is cancelled`. */
  readonly note: (line: string) => Promise<void>;
}

/** What a step has come to. */
export interface Done {
  /** Of the record; of a rule `click:3`; null where it is gone. */
  readonly id: string | null;
  readonly size?: number | null | undefined;
}

export function markOf(
  { situation }: Pick<ApplyContext, 'situation'>,
  item: Pick<WantedItem, 'kind' | 'key'> & Partial<Pick<WantedTask, 'at'>>,
  content: string,
): Mark {
  const said = item.at === undefined ? undefined : wordsOf({ at: item.at });
  return {
    ...(said === undefined ? {} : { words: wordsPart(said) }),
    campaign: campaignPart(situation.campaign.campaign),
    key: keyPart(item.kind, item.key),
    content,
  };
}

/**
 * What a record of the item's comes to unless somebody has changed it since: its mark says it, or, of one that bears none of the
 * item yet, the plan. Undefined where it is none of the item's, and where it has lost the mark that it bore.
 * @param record as it is now
 * @param of what it is of, where ids are not of all kinds together
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

/** The name of a record that apply takes out of use. */
export const setAsideName = (
  name: string,
  mark: Mark,
  as: typeof SET_ASIDE | typeof GAVE_WAY = SET_ASIDE,
): string => withMark(name, { ...mark, content: as });

/** The id of a record, as the client takes it. */
export const idIn = (record: JsonObject): number | bigint | string => {
  const { id } = record;
  return typeof id === 'number' || typeof id === 'bigint' ? id : String(id);
};

/** An id in digits, as the service takes it. */
export const idFrom = (digits: string): number | bigint => integerOf(digits);

export type StepOf<A extends Step['action'] = Step['action']> = Step & { readonly action: A };
