import type { Scalar } from '../../../kit/schema/field.ts';
import { NAMED_UNITS, parseDuration } from '../../../kit/text/duration.ts';
import { parseTimePhrase } from '../../../kit/text/time-phrase.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import { AUTOMATION_RULE_DEFAULTS } from '../../../service/resources/automation.ts';
import { EMAIL_EDITOR_NUMBERS } from '../../../service/resources/email-message.ts';
import { messageAttributesOfRule, type RuleKind } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import {
  type AttributeSpec,
  ITEM_KEY_PATTERN,
  messageAttributeSpecs,
  ruleAttributeSpecs,
} from '../file/parts.ts';
import type { CampaignFileItem, CampaignFileValue } from '../file/write.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { ItemKind, LinkRecord, MessageRecord, NamedRecord, RuleRecord, TaskRecord } from '../model.ts';
import { restoreOriginalContent } from '../original-links.ts';
import {
  type ChannelOrRuleKind,
  computePossibleRecordHashes,
  readNameWithoutCampaignMark,
} from '../plan/adoption.ts';
import { referenceAttributesOfRule } from '../plan/rule-references.ts';

/** Undefined if the file does not contain the message. */
export type MessageKeyLookup = (channel: Channel, id: string) => string | undefined;

/** An attribute whose value has no members. */
export type Attribute = readonly [string, CampaignFileValue];

export interface ExportedItemDraft {
  readonly kind: Exclude<ItemKind, 'folder'>;
  readonly channelOrRuleKind: ChannelOrRuleKind;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly comments: readonly string[];
  readonly warnings: readonly string[];
  readonly attributes: (keyOf: MessageKeyLookup) => CampaignFileItem['attributes'];
  readonly contents: ReadonlyMap<string, string>;
  /** Set if the file has the rule as a step of a sequence. */
  readonly step?: ExportedStep;
  /** Set if the file has several tasks as one series, with the drafts of these tasks alone. */
  readonly series?: { readonly alone: readonly ExportedItemDraft[] };
}

export interface ExportedStep {
  readonly sequence: {
    readonly key: string;
    readonly attributes: readonly Attribute[];
  };
  /** The same rule as an automation of its own. */
  readonly alone: ExportedItemDraft;
}

interface KeyedRecord<R extends NamedRecord = NamedRecord> {
  readonly record: R;
  readonly key: string;
}

const emptyDraft = (
  kind: ExportedItemDraft['kind'],
  channelOrRuleKind: ChannelOrRuleKind,
  { record, key }: KeyedRecord,
): Omit<ExportedItemDraft, 'attributes'> => ({
  kind,
  channelOrRuleKind,
  id: String(record.id),
  key,
  name: readNameWithoutCampaignMark(record),
  comments: [],
  warnings: [],
  contents: new Map(),
});

export function messageDraft(
  channel: Channel,
  { record, key }: KeyedRecord<MessageRecord>,
  links: readonly LinkRecord[],
): ExportedItemDraft {
  const contents = new Map<string, string>();
  const warnings: string[] = [];
  const values: Attribute[] = [];
  const files: Attribute[] = [];
  for (const spec of messageAttributeSpecs(channel)) {
    const spelling = spec.spellings[0] ?? spec.name;
    const value = scalarOf(record[spec.name]);
    if (spec.takes === 'file') {
      const path = `content/${key}.${spec.name === 'html' ? 'html' : 'txt'}`;
      const content = restoreOriginalContent(channel, spec.name, String(value ?? ''), links);
      contents.set(path, content.text);
      warnings.push(...content.warnings);
      files.push([spelling, path]);
    } else if (spec.name === 'tracktextlinks') {
      if (links.some(({ type }) => type === 'text')) values.push([spelling, true]);
    } else if (spec.takes === 'value' && !OWN_PARTS.includes(spec.name))
      if (spec.isRequired || !isDefault(spec, value)) values.push([spelling, value]);
  }
  const attributes: readonly Attribute[] = [
    ['channel', channel],
    ...adoptionAttributes('message', channel, record, links),
    ['name', readNameWithoutCampaignMark(record)],
    ...values,
    ...files,
  ];
  const comments = [...messageComments(channel, record), ...warnings.map(sentence)];
  const draft = emptyDraft('message', channel, { record, key });
  return { ...draft, comments, warnings, attributes: () => attributes, contents };
}

const OWN_PARTS: readonly string[] = ['channel', 'name'];

function messageComments(
  channel: Channel,
  { editor, defaultoptin, editable }: MessageRecord,
): readonly string[] {
  if (channel === 'sms') return [];
  const editors: Readonly<Record<number, string>> = {
    [EMAIL_EDITOR_NUMBERS.classic]: 'the Classic Editor',
    [EMAIL_EDITOR_NUMBERS.designer]: 'Campaign Designer',
  };
  const editorName = editors[Number(editor)];
  const comments: string[] = [];
  if (editorName)
    comments.push(
      `The message was created with ${editorName}, so svc cannot change it. If you change the message in this file, svc creates a new version.`,
    );
  if (defaultoptin === true)
    comments.push(
      Number(editable) === 1
        ? 'The default opt-in message of the company.'
        : 'The default opt-in message of the company. If you change it in this file, svc creates a new version, which is not the default.',
    );
  return comments;
}

export function taskDraft({ record, key }: KeyedRecord<TaskRecord>, zone: string): ExportedItemDraft {
  const { channel, message_id, list_id, search_id, scheduledtime, rate } = record;
  return {
    ...emptyDraft('task', null, { record, key }),
    attributes: (keyOf) => {
      const known = keyOf(channel, String(message_id));
      return [
        ...adoptionAttributes('task', null, record, []),
        ['name', readNameWithoutCampaignMark(record)],
        ...(known === undefined ? ([['channel', channel]] as const) : []),
        ['message', known ?? message_id],
        ...(list_id == null ? [] : ([['list', list_id]] as const)),
        ...(search_id == null ? [] : ([['search', search_id]] as const)),
        ['at', timeIn(scheduledtime, zone)],
        ...(rate == null ? [] : ([['rate', rate]] as const)),
      ];
    },
  };
}

export function ruleDraft(
  rule: RuleKind,
  { record, key }: KeyedRecord<RuleRecord>,
  links: readonly LinkRecord[],
): ExportedItemDraft {
  const link = links.find(({ id }) => id === record.link_id);
  return {
    ...emptyDraft('automation', rule, { record, key }),
    comments: link ? [`Link ${link.id} leads to ${link.target}`] : [],
    attributes: (keyOf) => {
      const given: Attribute[] = [
        ['kind', rule],
        ...adoptionAttributes('automation', rule, record, []),
        ['name', readNameWithoutCampaignMark(record)],
      ];
      const seen = new Set(['kind', 'name', 'id', 'hash']);
      for (const spec of actionBeforeTarget(ruleAttributeSpecs(rule))) {
        const isRequired = spec.name.endsWith('actiononweekend') && isTimed(rule, record);
        if (seen.has(spec.name) || (!isRequired && isDefault(spec, scalarOf(record[spec.name])))) continue;
        const found = ruleAttribute(rule, spec, record, keyOf);
        if (!found) continue;
        seen.add(spec.name);
        given.push(found);
      }
      return given;
    },
  };
}

const actionBeforeTarget = (specs: readonly AttributeSpec[]): readonly AttributeSpec[] => {
  const type = specs.filter(({ name }) => name === 'actiontype');
  const at = specs.findIndex(({ name }) => name === 'actiontarget');
  const others = specs.filter(({ name }) => name !== 'actiontype');
  return at < 0 ? specs : [...others.slice(0, at), ...type, ...others.slice(at)];
};

/** A rule with an hour or a time offset requires `actiononweekend` (interface, "Automation rules" 1). */
function isTimed(rule: RuleKind, record: RuleRecord): boolean {
  const prefix = rule === 'sms' ? 'message_' : '';
  return record[`${prefix}actionhour`] != null || Number(record[`${prefix}actiontimediff`] ?? 0) !== 0;
}

function ruleAttribute(
  rule: RuleKind,
  { name, takes, spellings, field }: AttributeSpec,
  record: RuleRecord,
  keyOf: MessageKeyLookup,
): Attribute | undefined {
  const value = scalarOf(record[name]);
  const spelling = spellings[0] ?? name;
  if (takes === 'after' || takes === 'before') {
    const span =
      typeof value === 'number' && value >= 0 === (takes === 'after') ? Math.abs(value) : undefined;
    const words = span === undefined ? undefined : spanOf(span, field.unit === 'minutes' ? 60 : 1);
    return words === undefined ? undefined : [spelling, words];
  }
  if (!referenceAttributesOfRule(rule, record).includes(name)) return [spelling, value];
  const id = String(value);
  const channel = messageAttributesOfRule(rule, record)[name];
  return [spelling, (channel && keyOf(channel, id)) ?? numberOf(id)];
}

export function adoptionAttributes(
  kind: Exclude<ItemKind, 'folder'>,
  channelOrRuleKind: ChannelOrRuleKind,
  record: NamedRecord,
  links: readonly LinkRecord[],
): readonly Attribute[] {
  const [hash = null] = computePossibleRecordHashes(kind, channelOrRuleKind, record, links);
  return [
    ['id', record.id],
    ['hash', hash],
  ];
}

function isDefault({ name, field }: AttributeSpec, value: CampaignFileValue): boolean {
  if (value === null) return true;
  if (name === 'editor') return value === EMAIL_EDITOR_NUMBERS.html;
  const ofRules: Readonly<Record<string, Scalar>> = AUTOMATION_RULE_DEFAULTS;
  return value === (ofRules[name.replace(/^message_/, '')] ?? field.default);
}

const scalarOf = (value: unknown): CampaignFileValue =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean'
    ? value
    : null;

export const numberOf = (id: string): CampaignFileValue => (/^[0-9]{1,30}$/.test(id) ? BigInt(id) : id);

/** Returns the number if svc would read that text as another moment. */
function timeIn(seconds: number, zone: string): CampaignFileValue {
  const time = Math.floor(seconds);
  const [, date, clock, offset] =
    /^\S+ (\S+) (\S+) ([+-][0-9]{2}:[0-9]{2}) /.exec(formatTime(time, zone, 'long')) ?? [];
  const phrase = `${date}T${clock}${offset}`;
  const read = parseTimePhrase(phrase, { now: time, zone });
  return read.ok && read.time === time ? phrase : time;
}

/**
 * Undefined if none is exact.
 * @param unit seconds in one unit of `count`
 */
export function spanOf(count: number, unit: number): string | undefined {
  let rest = count * unit;
  let words = '';
  for (const { name, seconds } of NAMED_UNITS) {
    const many = Math.floor(rest / seconds);
    rest -= many * seconds;
    if (many > 0) words += `${many}${name.charAt(0)}`;
  }
  return parseDuration(words) === count * unit ? words : undefined;
}

const sentence = (text: string): string => `${capitalizeFirstLetter(text)}.`;

const MAX_KEY_LENGTH = 40;

/** Device names on Windows. Keys become file names, so no key may be one of these. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * All keys of one kind differ.
 * @param isTaken returns whether the mark of a record already contains the hash of a key
 */
export function createItemKeyGenerator(isTaken: (kind: ItemKind, hash: string) => boolean) {
  const given = new Set<string>();
  return (kind: ItemKind, name: string, id: string): string => {
    const plain = slugOf(name);
    const isUsable = ITEM_KEY_PATTERN.test(plain) && !DEVICE.test(plain);
    const base = isUsable ? plain : slugOf(plain === '' ? `${kind}-${id}` : `${kind}-${plain}`);
    for (let count = 1; ; count += 1) {
      const ending = count === 1 ? '' : `-${count}`;
      const key = `${base.slice(0, MAX_KEY_LENGTH - ending.length).replace(/-+$/, '')}${ending}`;
      const part = `${kind} ${computeItemKeyHash(kind, key)}`;
      if (given.has(part) || isTaken(kind, computeItemKeyHash(kind, key))) continue;
      given.add(part);
      return key;
    }
  };
}

function slugOf(name: string): string {
  const letters = name
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  return letters
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_KEY_LENGTH)
    .replace(/-+$/, '');
}
