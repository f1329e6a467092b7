/** The service as one campaign sees it: which records are its own, by item. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import type { RuleKind } from '../../resources/automation.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import {
  foundMessageContents,
  foundRuleContent,
  foundTaskContent,
  type Identity,
  identityOfKey,
} from '../content.ts';
import {
  campaignPart,
  folderContentPart,
  GAVE_WAY,
  keyPart,
  type Mark,
  readMark,
  SET_ASIDE,
} from '../marks.ts';
import type { Campaign, Channel, ItemKind, Observed, Reference, WantedItem } from '../model.ts';

/** A record that bears a mark of the campaign. */
export interface Own {
  readonly record: JsonObject;
  /** Without its mark. */
  readonly name: string;
  readonly mark: Mark;
  /** Whether apply itself has set it aside, or taken it back. */
  readonly isSetAside: boolean;
  /** Whether it was one too many. */
  readonly hasGivenWay: boolean;
  /** What it comes to as it is found. */
  readonly found: string | undefined;
  /** Whether it is still what was written: nobody has changed it by hand. */
  readonly isAsWritten: boolean;
  /** Of a message. */
  readonly channel?: Channel;
  /** Of a rule. */
  readonly rule?: RuleKind;
}

export interface PlanOptions {
  /** Changes by hand are written over, and a task that was cancelled by hand is made again. */
  readonly overwrite: boolean;
  /** What the file made and no longer names is taken away. */
  readonly prune: boolean;
  /** Of local times in the file: a name of the TZ database. */
  readonly zone: string;
}

export interface Situation {
  readonly campaign: Campaign;
  readonly observed: Observed;
  readonly options: PlanOptions;
  /** Those of an item, by id; none where it was never made. */
  readonly own: (kind: ItemKind, key: string) => readonly Own[];
  /** Tasks without a mark that send a message of the campaign's, by whom they name and go to (`sendsTo`). */
  readonly unmarked: ReadonlyMap<string, readonly JsonObject[]>;
  /** Those that no item of the file names, by kind and id. */
  readonly unnamed: readonly (Own & { readonly kind: ItemKind })[];
  /** Whom a message id stands for: an item of the campaign, which the file may not name any more, or itself. */
  readonly identityOf: (channel: Channel | undefined, id: Json | undefined) => Identity;
}

/** Attributes that hold the id of a message, with its channel where the rule says it. */
export function messageAttributes(
  rule: RuleKind,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Channel>> {
  if (rule === 'sms') return { message_id: 'sms' };
  const { actiontype } = values;
  return {
    ...(rule === 'click' || rule === 'open' ? { message_id: 'email' as const } : {}),
    ...(actiontype === 'email_autoresponder' ? { actiontarget: 'email' as const } : {}),
    ...(actiontype === 'sms_autoresponder' ? { actiontarget: 'sms' as const } : {}),
  };
}

/** All attributes of a rule that name something. */
const REFERRING: Readonly<Record<RuleKind, readonly string[]>> = {
  click: ['link_id', 'message_id'],
  open: ['message_id'],
  subscription: ['list_id'],
  date: [],
  sms: ['email_list_id', 'list_id', 'message_id'],
};

export function refersIn(rule: RuleKind, values: Readonly<Record<string, unknown>>): readonly string[] {
  const { actiontype } = values;
  const hasTarget = rule !== 'sms' && actiontype !== 'notify' && actiontype !== 'removefromlist';
  return [...REFERRING[rule], ...(hasTarget ? ['actiontarget'] : [])];
}

export function createSituation(campaign: Campaign, observed: Observed, options: PlanOptions): Situation {
  const own = campaignPart(campaign.campaign);
  const messages = new Map<string, string>();
  const keys = new Map(campaign.items.map(({ kind, key }) => [`${kind} ${keyPart(kind, key)}`, key]));
  const marked = (rows: readonly JsonObject[]) =>
    rows.flatMap((record) => {
      const found = readMark(record['name']);
      return found?.mark.campaign === own ? [{ record, ...found }] : [];
    });
  for (const channel of ['email', 'sms'] as const)
    for (const { record, mark } of marked(observed.messages[channel]))
      messages.set(`${channel} ${String(record['id'])}`, mark.key);
  const identityOf = (channel: Channel | undefined, id: Json | undefined): Identity => {
    const channels: readonly Channel[] = channel ? [channel] : ['email', 'sms'];
    const key = channels
      .map((each) => messages.get(`${each} ${String(id)}`))
      .find((each) => each !== undefined);
    return key === undefined ? `id:${String(id)}` : `key:${key}`;
  };
  const all = new Map<string, Own[]>();
  const unnamed: (Own & { kind: ItemKind })[] = [];
  const add = (kind: ItemKind, found: Omit<Own, 'isSetAside' | 'hasGivenWay'>): void => {
    const hasGivenWay = found.mark.content === GAVE_WAY;
    const each = { ...found, isSetAside: hasGivenWay || found.mark.content === SET_ASIDE, hasGivenWay };
    const key = `${kind} ${found.mark.key}`;
    if (keys.has(key)) all.set(key, [...(all.get(key) ?? []), each]);
    else unnamed.push({ ...each, kind });
  };
  for (const each of marked(observed.folders)) {
    const found = folderContentPart(each.name);
    add('folder', { ...each, found, isAsWritten: found === each.mark.content });
  }
  for (const channel of ['email', 'sms'] as const)
    for (const each of marked(observed.messages[channel])) {
      const links = observed.links.get(String(each.record['id'])) ?? [];
      const contents = foundMessageContents(channel, each.name, each.record, links);
      const found = contents.find((content) => content === each.mark.content) ?? contents[0];
      add('message', { ...each, channel, found, isAsWritten: found === each.mark.content });
    }
  for (const each of marked(observed.tasks)) {
    const channel = each.record['channel'] as Channel;
    const content = foundTaskContent(each.name, each.record, identityOf(channel, each.record['message_id']));
    add('task', { ...each, found: content, isAsWritten: content === each.mark.content });
  }
  const unmarked = new Map<string, JsonObject[]>();
  for (const record of observed.tasks) {
    if (readMark(record['name'])) continue;
    const { channel, message_id, list_id, search_id } = record;
    const identity = identityOf(channel as Channel, message_id);
    const to = sendsTo(identity, list_id, search_id);
    if (identity.startsWith('key:')) unmarked.set(to, [...(unmarked.get(to) ?? []), record]);
  }
  for (const [rule, rows] of Object.entries(observed.rules) as [RuleKind, readonly JsonObject[]][])
    for (const each of marked(rows)) {
      const identities = identitiesIn(rule, each.record, identityOf);
      const content = foundRuleContent(rule, each.name, each.record, identities);
      add('automation', { ...each, rule, found: content, isAsWritten: content === each.mark.content });
    }
  for (const some of all.values())
    some.sort((a, b) => compareNumbers(idNumber(a.record), idNumber(b.record)));
  return {
    campaign,
    observed,
    options,
    own: (kind, key) => all.get(`${kind} ${keyPart(kind, key)}`) ?? [],
    unmarked,
    unnamed,
    identityOf,
  };
}

/** Which message goes to whom. */
export const sendsTo = (message: Identity, list: Json | undefined, search: Json | undefined): string =>
  `${message} ${String(list ?? '')} ${String(search ?? '')}`;

export function identitiesIn(
  rule: RuleKind,
  record: JsonObject,
  identityOf: Situation['identityOf'],
): Readonly<Record<string, Identity>> {
  const channels = messageAttributes(rule, record);
  const named = refersIn(rule, record).filter((attribute) => record[attribute] != null);
  return Object.fromEntries(
    named.map((attribute) => {
      const channel = channels[attribute];
      const id = record[attribute];
      return [attribute, channel ? identityOf(channel, id) : `id:${String(id)}`];
    }),
  );
}

/** What a reference names, as far as the service shows it. */
export type Resolved =
  | { readonly key: string; readonly channel: Channel }
  | { readonly id: string; readonly channel: Channel | undefined }
  | { readonly fault: string };

/** Whom a resolved reference names: a message of the campaign's own by its item, however the file refers to it. */
export const identityOfResolved = (
  { identityOf }: Pick<Situation, 'identityOf'>,
  found: Exclude<Resolved, { readonly fault: string }>,
): Identity => ('key' in found ? identityOfKey(found.key) : identityOf(found.channel, found.id));

/** Whether a message is to be seen: one that was deleted is hidden, and what uses it still has it (interface, "States"). */
export const isThere = (
  { messages }: Pick<Observed, 'messages'>,
  channel: Channel,
  id: Json | undefined,
): boolean => messages[channel].some((row) => String(row['id']) === String(id));

/** @param channel where the reference can only be to a message of that channel */
export function resolveMessage(
  { campaign, observed }: Pick<Situation, 'campaign' | 'observed'>,
  reference: Reference,
  channel: Channel | undefined,
): Resolved {
  if ('key' in reference) {
    const wanted = campaign.items.find(
      (item): item is Extract<WantedItem, { kind: 'message' }> =>
        item.kind === 'message' && item.key === reference.key,
    );
    if (!wanted) return { fault: `the file has no message ${reference.key}` };
    if (channel && wanted.channel !== channel)
      return { fault: `message ${reference.key} is for ${wanted.channel}, and ${channel} is needed` };
    return { key: wanted.key, channel: wanted.channel };
  }
  const channels: readonly Channel[] = channel ? [channel] : ['email', 'sms'];
  const matches = channels.flatMap((each) =>
    observed.messages[each]
      .filter((row) =>
        'id' in reference ? String(row['id']) === reference.id : row['name'] === reference.name,
      )
      .map((row) => ({ id: String(row['id']), channel: each })),
  );
  const called = 'id' in reference ? reference.id : `"${reference.name}"`;
  const [first, second] = matches;
  if (!first) return { fault: `there is no message ${called}` };
  if (!second) return first;
  const which = matches.map((each) => `${each.channel} ${each.id}`).join(', ');
  return { fault: `more than one message is called ${called}: ${which}` };
}
