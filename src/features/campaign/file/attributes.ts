import {
  INVALID_NUMBER_RANGE_FAULT,
  type NumberRange,
  parseNumberRange,
} from '../../../client/sends/cost.ts';
import type { Field, Scalar } from '../../../kit/schema/field.ts';
import { readIdText } from '../../../kit/schema/integer.ts';
import { inWords, sayFinding, sayReason } from '../../../kit/schema/reason.ts';
import type { ContentMarkupNames, Finding, Resource, Values } from '../../../kit/schema/resource.ts';
import { parseFieldText } from '../../../kit/schema/text-value.ts';
import { checkPayload } from '../../../kit/schema/validator.ts';
import { parseDuration } from '../../../kit/text/duration.ts';
import { similarWords, unstorableTextReason } from '../../../kit/text/words.ts';
import { interfaceSpelling } from '../../../service/resources/automation.ts';
import { CONTENT_HASH_PATTERN, parseCampaignMark } from '../../../service/resources/campaign-mark.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { toValue } from '../content.ts';
import type { Adopted, ItemKind, MessageReference, Value } from '../model.ts';
import type { ChannelOrRuleKind } from '../plan/adoption.ts';
import type { ContentFileResult } from './content-files.ts';
import type { Faults, FilePosition, YamlMappingNode, YamlNode, YamlScalarNode } from './document.ts';
import type { AttributeSpec } from './parts.ts';

export interface ItemReadContext {
  readonly faults: Faults;
  readonly words: ContentMarkupNames;
  /** Channels by key. Undefined without a valid channel. */
  readonly messages: ReadonlyMap<string, Channel | undefined>;
  /** Positions by the keys of `itemPositionKey`. */
  readonly places: Map<string, FilePosition>;
  /** Names of the variables of an attribute, by the keys of `itemPositionKey`. */
  readonly variables: Map<string, readonly string[]>;
  /** `message email 7` → `welcome`. */
  readonly takenOver: Map<string, string>;
  /** Values of `renamed-from`, as keys of items. */
  readonly earlierKeys: { readonly name: string; readonly place: FilePosition; readonly item: ItemEntry }[];
  readonly readContent: (path: string) => Promise<ContentFileResult>;
  /** Names of variables that have a value. */
  readonly valueNames: ReadonlySet<string>;
}

export interface ItemEntry {
  readonly kind: ItemKind;
  readonly key: string;
  readonly place: FilePosition;
  readonly mapping: YamlMappingNode;
  /** For a step of a sequence, `sequence welcome`, to which faults belong. */
  readonly partOf?: string;
  /** For a step of a sequence, the earlier keys of the sequence. */
  readonly earlierSequences?: readonly { readonly name: string; readonly place: FilePosition }[];
}

export interface ItemAttribute {
  readonly spec: AttributeSpec;
  readonly spelling: string;
  readonly node: YamlNode;
}

/** `channel` and `kind` may also be attributes of the file alone. */
export interface ItemBody {
  name?: Scalar;
  channel?: Scalar;
  kind?: Scalar;
  rate?: Scalar;
  paused?: Scalar;
  actiontype?: Scalar;
  [attribute: string]: Scalar;
}

export interface ItemReading extends ItemReadContext {
  readonly item: ItemEntry;
  readonly resource: Resource;
  readonly specs: readonly AttributeSpec[];
  readonly given: ReadonlyMap<string, ItemAttribute>;
  /** Values that are not known yet have a placeholder that passes the checks. */
  readonly body: ItemBody;
  readonly faulty: Set<string>;
  readonly fault: (attribute: string, message: string) => void;
}

/** @param attribute name in the interface */
export const itemPositionKey = (kind: ItemKind, key: string, attribute?: string): string =>
  attribute === undefined ? `${kind} ${key}` : `${kind} ${key} ${attribute}`;

export function addItemFault(
  { faults }: ItemReadContext,
  { kind, key, partOf }: ItemEntry,
  place: FilePosition,
  message: string,
): void {
  faults.addInItem(place, partOf ?? `${kind} ${key}`, message);
}

/** Reports attributes that the item can't have or gives twice. */
export function startReadingItem(
  context: ItemReadContext,
  item: ItemEntry,
  resource: Resource,
  specs: readonly AttributeSpec[],
): ItemReading {
  const given = new Map<string, ItemAttribute>();
  context.places.set(itemPositionKey(item.kind, item.key), item.place);
  for (const { key, place, value } of item.mapping.entries) {
    const spec = specs.find(({ spellings }) => spellings.includes(key));
    const before = spec && given.get(spec.name);
    if (!spec) addItemFault(context, item, place, unknownAttribute(key, resource, specs));
    else if (before)
      addItemFault(context, item, place, `${key} means the same as ${before.spelling}; remove one of them`);
    else {
      given.set(spec.name, { spec, spelling: key, node: value });
      const position = itemPositionKey(item.kind, item.key, spec.name);
      context.places.set(position, value.place);
      if (value.kind === 'scalar') context.variables.set(position, value.names ?? []);
    }
  }
  const reading: ItemReading = {
    ...context,
    item,
    resource,
    specs,
    given,
    body: Object.create(null),
    faulty: new Set(),
    fault: (attribute, message) =>
      addItemFault(context, item, given.get(attribute)?.node.place ?? item.place, message),
  };
  for (const [name, { spec }] of given)
    if (spec.takes === 'value') readIntoBody(reading, name, (node) => readAttributeValue(spec.field, node));
  return reading;
}

function unknownAttribute(key: string, { fields }: Resource, specs: readonly AttributeSpec[]): string {
  // A POST does not accept these fields, so no spec has them.
  if (Object.hasOwn(fields, key)) return `only the service sets ${key}; remove this line`;
  const words = specs.flatMap(({ spellings }) => spellings);
  if (key === 'before' && words.includes('after'))
    return 'the attribute "before" is allowed only in date rules';
  return sayUnknownAttribute(key, words);
}

/** Names the nearest attribute, else all of them. */
export function sayUnknownAttribute(key: string, attributes: readonly string[], has = 'it takes'): string {
  const [near] = similarWords(key, attributes);
  const instead = near === undefined ? `${has} ${attributes.join(', ')}` : `did you mean ${near}?`;
  return `unknown attribute ${key}; ${instead}`;
}

/** Reports a mapping or a list as a fault. */
function scalarOfAttribute({ given, fault }: ItemReading, name: string): YamlScalarNode | undefined {
  const attribute = given.get(name);
  if (!attribute || attribute.node.kind === 'faulty') return undefined;
  const { node, spelling } = attribute;
  if (node.kind === 'scalar') return node;
  fault(name, `${spelling} must be a single value, not a ${node.kind}`);
  return undefined;
}

export type ValueOrFault<T> = { readonly value: T } | { readonly fault: string };

/** Returns undefined if the item does not give it, or after reporting a fault. */
export function readAttribute<T>(
  reading: ItemReading,
  name: string,
  read: (node: YamlScalarNode) => ValueOrFault<T>,
): T | undefined {
  const node = scalarOfAttribute(reading, name);
  if (!node) return undefined;
  const found = read(node);
  if ('value' in found) return found.value;
  reading.fault(name, `${reading.given.get(name)?.spelling} ${found.fault}`);
  return undefined;
}

export function readIntoBody(
  reading: ItemReading,
  name: string,
  read: (node: YamlScalarNode) => ValueOrFault<Scalar>,
): void {
  const value = readAttribute(reading, name, read);
  if (value === undefined) reading.faulty.add(name);
  else reading.body[name] = value;
}

/** The checks of the body find all other faults later. */
export function readAttributeValue(field: Field, node: YamlScalarNode): ValueOrFault<Scalar> {
  const { value, source, variables } = node;
  if (value === '' && (field.nullable || field.kind !== 'string'))
    return { fault: field.nullable ? 'is empty; write null if you mean null' : 'is empty' };
  if (typeof value === 'string' && variables === 'whole' && field.kind !== 'string') {
    const parsed = parseFieldText(field, value);
    return parsed.ok
      ? { value: parsed.value }
      : { fault: `${sayReason(parsed.reason)}, not ${JSON.stringify(value)}` };
  }
  if (field.kind === 'string') {
    // Keeps the written digits, because a sender may begin with a zero.
    if (typeof value === 'number' || typeof value === 'bigint')
      return { value: interfaceSpelling(field, source) };
    if (typeof value === 'boolean') return { fault: `must be text; put ${source} in quotes` };
  }
  if (typeof value === 'string') return { value: interfaceSpelling(field, value) };
  if (typeof value === 'bigint') return { fault: `is too large: ${source}` };
  return { value };
}

export function readIdValue(node: YamlScalarNode, noun: string): ValueOrFault<string | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  if (source.trim() === '') return { fault: `is empty; give the id of ${noun}` };
  const id = typeof value === 'boolean' ? undefined : readIdText(source.trim());
  return id === undefined
    ? { fault: `must be the id of ${noun}, not ${JSON.stringify(source)}` }
    : { value: String(id) };
}

export function readMessageReference(
  node: YamlScalarNode,
  messages: ReadonlyMap<string, Channel | undefined>,
  channel: Channel | undefined,
): ValueOrFault<MessageReference | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  if (source.trim() === '')
    return { fault: 'is empty; give a key of the file, an id or the name of a message' };
  if (typeof value === 'boolean') return { fault: `must be a message; put ${source} in quotes` };
  if (messages.has(source)) {
    const found = messages.get(source);
    return channel !== undefined && found !== undefined && found !== channel
      ? { fault: `is message ${source}, which is for ${found}; ${channel} is needed` }
      : { value: { key: source } };
  }
  const id = readIdText(source);
  if (id !== undefined) return { value: { id: String(id) } };
  if (typeof value !== 'string' || /^[0-9]+$/.test(source)) return { fault: `${source} is not an id` };
  const broken = unstorableTextReason(source);
  return broken === undefined ? { value: { name: source } } : { fault: broken };
}

export function readDurationValue(
  node: YamlScalarNode,
  unit: 'seconds' | 'minutes',
): ValueOrFault<number | null> {
  const { value, source } = node;
  if (value === null) return { value: null };
  const seconds = typeof value === 'boolean' ? undefined : parseDuration(source);
  if (seconds === undefined)
    return { fault: `is not a duration: ${JSON.stringify(source)}; write 2d, 3h or 90m` };
  const number = unit === 'minutes' ? seconds / 60 : seconds;
  return Number.isInteger(number) ? { value: number } : { fault: `is not a whole number of ${unit}` };
}

/** `447`, or a range such as `9000..11000`. */
export function readSizeRange({ value, source }: YamlScalarNode): ValueOrFault<NumberRange | null> {
  if (value === null) return { value: null };
  const range = parseNumberRange(source.trim());
  return range === undefined
    ? { fault: `${INVALID_NUMBER_RANGE_FAULT.reason}; ${INVALID_NUMBER_RANGE_FAULT.instead}` }
    : { value: range };
}

/** Omitted required attributes that may be null are null (contract, "Forms"), because checks across attributes need them. */
export function checkItemBody(
  reading: ItemReading,
  body: Readonly<ItemBody> = reading.body,
): Readonly<ItemBody> {
  const { resource, faulty, words } = reading;
  const filled: Record<string, unknown> = { ...body };
  for (const name of resource.methods.post?.required ?? [])
    if (!Object.hasOwn(filled, name) && resource.fields[name]?.nullable) filled[name] = null;
  // Undefined makes the checks report a fault of their own, and so skip the rules that use the attribute.
  for (const name of faulty) filled[name] = undefined;
  const { values: checked, findings } = checkPayload(resource, 'POST', 'company', filled, words);
  for (const finding of findings) if (!faulty.has(finding.attribute)) addFinding(reading, finding);
  return Object.fromEntries(Object.entries(checked).filter(([name]) => Object.hasOwn(body, name)));
}

function addFinding({ given, specs, fault }: ItemReading, finding: Finding): void {
  const { attribute, reason, value } = finding;
  const found = given.get(attribute);
  const specOf = (name: string): AttributeSpec | undefined => specs.find((spec) => spec.name === name);
  const nameOf = (name: string): string => given.get(name)?.spelling ?? specOf(name)?.spellings[0] ?? name;
  const source = found?.node.kind === 'scalar' ? found.node.source : undefined;
  const isContent = (found?.spec ?? specOf(attribute))?.takes === 'file';
  const isWhole =
    source !== undefined && typeof reason !== 'string' && reason.kind !== 'phrase' && !isContent;
  const shown = isWhole && value !== undefined ? shownValue(value) : '';
  const file = isContent && source !== undefined ? ` (${source})` : '';
  const sayAmount = (name: string, amount: number): string => {
    const { takes, field } = given.get(name)?.spec ?? {};
    return takes === 'after' || takes === 'before' ? sayDuration(amount, field?.unit) : String(amount);
  };
  const said = inWords(finding, { nameOf, unset: (name) => `remove ${nameOf(name)}`, sayAmount });
  const sentence = sayFinding({ ...said, attribute: `${said.attribute}${file}` });
  fault(attribute, `${sentence}${shown}${said.instead === undefined ? '' : `; ${said.instead}`}`);
}

/** Returns a duration as the file has it: 1d, 24m. */
function sayDuration(amount: number, unit: Field['unit']): string {
  const minutes = Math.abs(unit === 'minutes' ? amount : amount / 60);
  const days = minutes / (24 * 60);
  return days > 0 && Number.isInteger(days) ? `${days}d` : `${minutes}m`;
}

/** Returns the end of a message about an invalid kind or channel: `, not "clik"`. */
export function invalidValueMessageEnding(node: YamlNode): string {
  if (node.kind !== 'scalar') return node.kind === 'faulty' ? '' : `, not a ${node.kind}`;
  return node.variables === 'none' ? shownValue(node.source) : ', not a variable';
}

const MAX_SHOWN_LENGTH = 40;

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > MAX_SHOWN_LENGTH ? '' : `, not ${text}`;
}

/** The interface allows it, but a campaign finds its records by name. */
export function rejectEmptyItemName({ given, fault }: ItemReading, name: unknown): void {
  const attribute = given.get('name');
  if (!attribute || typeof name !== 'string') return;
  const { spelling } = attribute;
  if (name.trim() === '') fault('name', `${spelling} is empty`);
  if (parseCampaignMark(name) !== undefined)
    fault('name', `${spelling} ends with a mark ([svc-…]); remove the mark, because svc adds it`);
}

export const castToJsonValues = (values: Values): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toValue(value)]));

/**
 * Returns `{ adopted }` to be spread into the item, or `{}`.
 * @param channelOrRuleKind channel of a message, kind of a rule, or null for a task
 */
export function readAdopted(
  reading: ItemReading,
  channelOrRuleKind: ChannelOrRuleKind,
): { readonly adopted?: Adopted } {
  const { item, given, takenOver, fault } = reading;
  const id = readAttribute(reading, 'id', (node) => readIdValue(node, 'an existing record'));
  const hash = readAttribute(reading, 'hash', hashOf);
  if (typeof hash === 'string' && !given.has('id')) fault('hash', 'hash needs id');
  if (id === undefined || id === null) return {};
  const record = `${item.kind} ${channelOrRuleKind} ${id}`;
  const other = takenOver.get(record);
  if (other !== undefined)
    fault('id', `id ${id} is also used by ${item.kind} ${other}; remove one of the two ids`);
  takenOver.set(record, item.key);
  return { adopted: { id, hash: hash ?? null } };
}

function hashOf({ value, source }: YamlScalarNode): ValueOrFault<string | null> {
  if (value === null) return { value: null };
  return CONTENT_HASH_PATTERN.test(source)
    ? { value: source }
    : { fault: 'is not a hash written by svc export; remove it to compare with the current record' };
}
