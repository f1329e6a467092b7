import { compareNumbers } from '../../../kit/schema/integer.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import {
  CANCELLED_DUPLICATE_MARK_LETTER,
  type CampaignMarkInRecordName,
  parseCampaignMark,
  REPLACED_RECORD_MARK_LETTER,
} from '../../../service/resources/campaign-mark.ts';
import { RULE_KINDS, type RuleKind } from '../../../service/resources/rule-kinds.ts';
import { CHANNELS, type Channel } from '../../../service/resources/task.ts';
import {
  computePossibleHashesOfMessage,
  computeRuleRecordHash,
  computeTaskRecordHash,
  computeWantedMessageHash,
  type MessageIdentity,
  messageIdentityOfKey,
} from '../content.ts';
import { computeCampaignNameHash, computeFolderNameHash, computeItemKeyHash } from '../marks.ts';
import type {
  Campaign,
  ItemKind,
  MessageReference,
  NamedRecord,
  ObservedCompanyRecords,
  RecordsByKind,
  RenamedFrom,
  RuleRecord,
  TaskRecord,
  WantedItem,
} from '../model.ts';
import type { Plan } from '../plan-file/plan-parts.ts';
import { createEarlierIdentities, createOwnMarkReader, type OwnMarkReader } from '../renames.ts';
import type { CampaignSeries } from '../series.ts';
import {
  belongsToOtherCampaign,
  type ChannelOrRuleKind,
  computePossibleRecordHashes,
  createRecordTakeoverFinder,
  type RecordTakeover,
  readNameWithoutCampaignMark,
} from './adoption.ts';
import { identifyRecordsReferencedByRule } from './rule-references.ts';

interface RecordWithMark<K extends ItemKind> {
  readonly kind: K;
  readonly record: RecordsByKind[K];
  readonly name: string;
  /**
   * For an adopted record, the mark that apply would add: it has the hash of the current content, or the item's `hash` if a person has
   * changed the record since the export. `toOwnRecord` fills in this hash, which is empty before. For a record with the mark of an earlier
   * key, campaign or key of its message, the mark that it gets when it is renamed.
   */
  readonly mark: CampaignMarkInRecordName;
  readonly renamedFrom?: RenamedFrom | undefined;
  readonly isSetAside: boolean;
  /** Two runs created a record for the same item. */
  readonly isWithdrawn: boolean;
}

interface OwnRecord<K extends ItemKind> extends RecordWithMark<K> {
  readonly currentHash: string | undefined;
  readonly isAsWritten: boolean;
  readonly isTakenOver: boolean;
  /** The mark in the record's name is that of an earlier key, campaign or key of its message. */
  readonly hasEarlierMark: boolean;
  readonly channel?: Channel;
  readonly rule?: RuleKind;
}

export type RecordOwnedByCampaign<K extends ItemKind = ItemKind> = Extract<
  { [Each in ItemKind]: OwnRecord<Each> }[ItemKind],
  { readonly kind: K }
>;

export type PlanOptions = Plan['inputs']['options'] & {
  /** Relative times of the file count from that moment, not from the current run. */
  readonly madeAt?: number | undefined;
};

export interface PlanningSituation {
  readonly campaign: Campaign;
  readonly named: readonly WantedItem[];
  readonly observed: ObservedCompanyRecords;
  readonly options: PlanOptions;
  /** True if reasons of blocked duplicates name the other task or rule and its people, and leave out what to do. */
  readonly saysDoublesAlone?: true;
  /** Returns none if no record of the item was ever made. */
  readonly own: <K extends ItemKind>(kind: K, key: string) => readonly RecordOwnedByCampaign<K>[];
  readonly unowned: {
    readonly tasks: readonly RecordNotOwnedByCampaign<TaskRecord>[];
    readonly rules: Readonly<Partial<Record<RuleKind, readonly RecordNotOwnedByCampaign<RuleRecord>[]>>>;
  };
  readonly unnamed: readonly RecordOwnedByCampaign[];
  readonly readOwnMark: OwnMarkReader;
  /** Series of the file by their keys. The campaign has tasks of those of their occurrences that are planned. */
  readonly series: ReadonlyMap<string, CampaignSeries>;
  /** A message of the campaign has that of its key, even if the file no longer has the item. */
  readonly identityOf: (channel: Channel | undefined, id: Json | undefined) => MessageIdentity;
  /** Like `identityOf`, also for messages that this campaign has under a later name, which this file does not know. */
  readonly identityAfterRename: PlanningSituation['identityOf'];
}

interface RecordNotOwnedByCampaign<R> {
  readonly record: R;
  readonly isMarked: boolean;
}

interface Marked<K extends ItemKind> extends RecordWithMark<K> {
  readonly adoption: RecordTakeover | undefined;
}

/** @param siblingItems other items of the campaign, such as those of its other files; records that they name are not orphaned */
export function createPlanningSituation(
  campaign: Campaign,
  observed: ObservedCompanyRecords,
  options: PlanOptions,
  siblingItems: readonly WantedItem[] = [],
  series: PlanningSituation['series'] = new Map(),
): PlanningSituation {
  const named = [...campaign.items, ...siblingItems];
  const readOwnMark = createOwnMarkReader(campaign, named);
  const earlierIdentities = createEarlierIdentities(named);
  const marked = markedIn(campaign, readOwnMark);
  const messages = new Map<string, string>();
  const keys = new Map(named.map(({ kind, key }) => [`${kind} ${computeItemKeyHash(kind, key)}`, key]));
  for (const channel of CHANNELS)
    for (const { record, mark } of marked('message', channel, observed.messages[channel]))
      messages.set(`${channel} ${record.id}`, mark.keyHash);
  const identityOf = createIdentityOf(messages);
  const all = new Map<string, RecordOwnedByCampaign[]>();
  const unnamed: RecordOwnedByCampaign[] = [];
  const add = (own: RecordOwnedByCampaign): void => {
    const key = `${own.kind} ${own.mark.keyHash}`;
    if (keys.has(key)) all.set(key, [...(all.get(key) ?? []), own]);
    else unnamed.push(own);
  };
  for (const each of marked('folder', null, observed.folders))
    add(toOwnRecord(each, [computeFolderNameHash(each.name)], () => []));
  for (const channel of CHANNELS)
    for (const each of marked('message', channel, observed.messages[channel])) {
      const links = observed.links.get(String(each.record.id)) ?? [];
      const contents = computePossibleHashesOfMessage(channel, each.name, each.record, links);
      add({ ...toOwnRecord(each, contents, () => contents), channel });
    }
  const tasks = marked('task', null, observed.tasks);
  for (const each of tasks) {
    const { record, name } = each;
    const message = { message: identityOf(record.channel, record.message_id) };
    const [content = '', ...earlier] = [message, ...earlierIdentities(message)].map(({ message: identity }) =>
      computeTaskRecordHash(name, record, identity),
    );
    const hashes = (): readonly string[] => computePossibleRecordHashes('task', null, record, []);
    add(toOwnRecord(each, [content], hashes, earlier));
  }
  const rules: Partial<Record<RuleKind, readonly RecordNotOwnedByCampaign<RuleRecord>[]>> = {};
  for (const rule of RULE_KINDS) {
    const rows = observed.rules[rule];
    const own = marked('automation', rule, rows);
    rules[rule] = foreignIn(own, rows);
    for (const each of own) {
      const { record, name } = each;
      const identities = identifyRecordsReferencedByRule(rule, record, identityOf);
      const [content = '', ...earlier] = [identities, ...earlierIdentities(identities)].map((all) =>
        computeRuleRecordHash(rule, name, record, all),
      );
      const hashes = (): readonly string[] => computePossibleRecordHashes('automation', rule, record, []);
      add({ ...toOwnRecord(each, [content], hashes, earlier), rule });
    }
  }
  return {
    campaign,
    named,
    observed,
    options,
    unowned: { tasks: foreignIn(tasks, observed.tasks), rules },
    own: recordsByItem(all, campaign),
    unnamed,
    readOwnMark,
    series,
    identityOf,
    identityAfterRename: createIdentityOf(
      new Map([...listMessagesAfterRename(campaign, observed), ...messages]),
    ),
  };
}

/** @param messages hashes of keys by channel and id */
const createIdentityOf =
  (messages: ReadonlyMap<string, string>): PlanningSituation['identityOf'] =>
  (channel, id) => {
    const channels: readonly Channel[] = channel ? [channel] : CHANNELS;
    const key = channels
      .map((each) => messages.get(`${each} ${String(id)}`))
      .find((each) => each !== undefined);
    return key === undefined ? `id:${String(id)}` : `key:${key}`;
  };

/** Lists the messages of campaigns that had the name of this one earlier. Records that svc has written since the rename say so. */
function listMessagesAfterRename(
  { campaign }: Campaign,
  { messages, tasks, rules }: ObservedCompanyRecords,
): readonly (readonly [channelAndId: string, keyHash: string])[] {
  const own = computeCampaignNameHash(campaign);
  const markOf = ({ name }: NamedRecord) => parseCampaignMark(name)?.mark;
  const later = new Set<string>();
  for (const record of [...tasks, ...Object.values(messages).flat(), ...Object.values(rules).flat()]) {
    const mark = markOf(record);
    if (mark?.earlierCampaignHashes?.includes(own)) later.add(mark.campaignHash);
  }
  if (later.size === 0) return [];
  return CHANNELS.flatMap((channel) =>
    messages[channel].flatMap((record) => {
      const mark = markOf(record);
      return mark !== undefined && later.has(mark.campaignHash)
        ? [[`${channel} ${record.id}`, mark.keyHash] as const]
        : [];
    }),
  );
}

function foreignIn<R extends NamedRecord>(
  own: readonly { readonly record: R }[],
  rows: readonly R[],
): readonly RecordNotOwnedByCampaign<R>[] {
  const taken = new Set(own.map(({ record }) => record));
  return rows
    .filter((record) => !taken.has(record))
    .map((record) => ({ record, isMarked: parseCampaignMark(record.name) !== undefined }));
}

function markedIn(campaign: Campaign, readOwnMark: OwnMarkReader) {
  const adoptionOf = createRecordTakeoverFinder(campaign, readOwnMark);
  return <K extends ItemKind>(
    kind: K,
    channelOrRuleKind: ChannelOrRuleKind,
    rows: readonly RecordsByKind[K][],
  ): readonly Marked<K>[] =>
    rows.flatMap((record): Marked<K>[] => {
      const found = parseCampaignMark(record.name);
      const own = found && readOwnMark(kind, found.mark);
      const isWithdrawn = own?.mark.contentHashOrReason === CANCELLED_DUPLICATE_MARK_LETTER;
      const isSetAside = isWithdrawn || own?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER;
      const adoption = adoptionOf(kind, channelOrRuleKind, record);
      const about = { kind, record, isSetAside, isWithdrawn, adoption };
      if (!adoption) return found && own ? [{ ...about, name: found.name, ...own }] : [];
      const mark = {
        campaignHash: computeCampaignNameHash(campaign.campaign),
        keyHash: computeItemKeyHash(kind, adoption.item.key),
        contentHashOrReason: '',
      };
      return [{ ...about, name: readNameWithoutCampaignMark(record), mark }];
    });
}

/**
 * @param markHashes possible hashes of the current content, as marks have them
 * @param exportHashes returns the possible hashes of the current content, as `svc export` writes them
 * @param earlierHashes hashes of the current content, as marks have them that were written when a message had an earlier key
 */
function toOwnRecord<K extends ItemKind>(
  { adoption, mark, ...about }: Marked<K>,
  markHashes: readonly string[],
  exportHashes: () => readonly string[],
  earlierHashes: readonly string[] = [],
): OwnRecord<K> {
  if (!adoption) {
    const [content] = markHashes;
    const isEarlier = content !== undefined && earlierHashes.includes(mark.contentHashOrReason);
    const written = isEarlier ? content : markHashes.find((each) => each === mark.contentHashOrReason);
    return {
      ...about,
      mark: isEarlier ? { ...mark, contentHashOrReason: content } : mark,
      currentHash: written ?? content,
      isAsWritten: written !== undefined,
      isTakenOver: false,
      hasEarlierMark: isEarlier || about.renamedFrom !== undefined,
    };
  }
  const { item, takenOver } = adoption;
  const wanted = item.kind === 'message' ? computeWantedMessageHash(item) : undefined;
  const currentHash = markHashes.find((content) => content === wanted) ?? markHashes[0] ?? '';
  const isAsWritten = takenOver.hash === null || exportHashes().includes(takenOver.hash);
  const content = isAsWritten ? currentHash : (takenOver.hash ?? '');
  return {
    ...about,
    mark: { ...mark, contentHashOrReason: content },
    currentHash,
    isAsWritten,
    isTakenOver: true,
    hasEarlierMark: false,
  };
}

function recordsByItem(
  all: ReadonlyMap<string, readonly RecordOwnedByCampaign[]>,
  campaign: Campaign,
): PlanningSituation['own'] {
  return <K extends ItemKind>(kind: K, key: string) => {
    const some = all.get(`${kind} ${computeItemKeyHash(kind, key)}`) ?? [];
    const own = some.filter(({ record }) => !belongsToOtherCampaign(record, campaign));
    const isOfKind = (each: RecordOwnedByCampaign): each is RecordOwnedByCampaign<K> => each.kind === kind;
    return (own.length === 0 ? some : own)
      .filter(isOfKind)
      .toSorted((a, b) => compareNumbers(a.record.id, b.record.id));
  };
}

export type ResolvedMessageOrFault =
  | { readonly key: string; readonly channel: Channel }
  | { readonly id: string; readonly channel: Channel | undefined }
  | { readonly fault: string };

export const findIdentityOfResolvedMessage = (
  { identityOf }: Pick<PlanningSituation, 'identityOf'>,
  message: Exclude<ResolvedMessageOrFault, { readonly fault: string }>,
): MessageIdentity =>
  'key' in message ? messageIdentityOfKey(message.key) : identityOf(message.channel, message.id);

/** The service hides deleted messages, although tasks and rules still send them (interface, "States"). */
export const messageExists = (
  { messages }: Pick<ObservedCompanyRecords, 'messages'>,
  channel: Channel,
  id: Json | undefined,
): boolean => messages[channel].some((row) => String(row.id) === String(id));

/** @param channel set if the message must be of that channel */
export function resolveMessage(
  { campaign, observed }: Pick<PlanningSituation, 'campaign' | 'observed'>,
  reference: MessageReference,
  channel: Channel | undefined,
): ResolvedMessageOrFault {
  if ('key' in reference) {
    const wanted = campaign.items.find(
      (item): item is Extract<WantedItem, { kind: 'message' }> =>
        item.kind === 'message' && item.key === reference.key,
    );
    if (!wanted) return { fault: `the file has no message ${reference.key}` };
    if (channel && wanted.channel !== channel)
      return { fault: `message ${reference.key} is for ${wanted.channel}, but must be for ${channel}` };
    return { key: wanted.key, channel: wanted.channel };
  }
  const channels: readonly Channel[] = channel ? [channel] : CHANNELS;
  const matches = channels.flatMap((each) =>
    observed.messages[each]
      .filter((row) => ('id' in reference ? String(row.id) === reference.id : row.name === reference.name))
      .map((row) => ({ id: String(row.id), channel: each })),
  );
  const called = 'id' in reference ? reference.id : `"${reference.name}"`;
  const [first, second] = matches;
  if (!first) return { fault: `the service has no message ${called}` };
  if (!second) return first;
  const which = matches.map((each) => `${each.channel} ${each.id}`).join(', ');
  return { fault: `the service has more than one message ${called}: ${which}` };
}
