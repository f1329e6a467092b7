/** Reads the attributes of an item: finds the declaration and the value of each attribute in the file. */
import type { Channel } from '../../resources/task.ts';
import type { ContentMarkupNames, Finding } from '../../schema/resource.ts';
import { similarWords } from '../../text/words.ts';
import type { ItemKind } from '../model.ts';
import type { ContentFileResult } from './content-files.ts';
import type { MappingEntry, YamlMappingNode, YamlNode, YamlScalarNode } from './document.ts';
import type { Faults, FilePosition } from './faults.ts';
import type { AttributeSpec } from './parts.ts';

/** Data that all functions for reading the items of a campaign file use. */
export interface ItemReadContext {
  readonly faults: Faults;
  readonly words: ContentMarkupNames;
  /** Channel of each message of the file, by key. Undefined if the message has no valid channel. */
  readonly messages: ReadonlyMap<string, Channel | undefined>;
  /** Positions of items and attributes in the file, by the keys that `itemPositionKey` returns. */
  readonly places: Map<string, FilePosition>;
  /**
   * Maps existing records to the keys of the items that adopt these records: svc uses the existing record for the item instead of creating
   * one. For example, `message email 7` maps to `welcome`, the key of the item that adopts e-mail message 7.
   */
  readonly takenOver: Map<string, string>;
  readonly readContent: (path: string) => Promise<ContentFileResult>;
}

/** Item in a section of the campaign file. */
export interface ItemEntry {
  readonly kind: ItemKind;
  readonly key: string;
  /** Position of the item's key in the file. */
  readonly place: FilePosition;
  readonly mapping: YamlMappingNode;
}

/** Attribute that an item in the file gives. */
export interface ItemAttribute {
  readonly spec: AttributeSpec;
  /** Name of the attribute as the file writes it. */
  readonly spelling: string;
  readonly node: YamlNode;
}

/**
 * Returns the key under which `places` holds the position of an item or of one of its attributes.
 * @param attribute name of the attribute in the interface
 */
export const itemPositionKey = (kind: ItemKind, key: string, attribute?: string): string =>
  attribute === undefined ? `${kind} ${key}` : `${kind} ${key} ${attribute}`;

/**
 * Returns the attributes that the item gives, by their declared names. Reports attributes that such an item can't have, and attributes that
 * are given twice.
 * @param unwritable attributes that a POST does not accept; the checks of the body report them
 */
export function readItemAttributes(
  { faults, places }: ItemReadContext,
  item: ItemEntry,
  specs: readonly AttributeSpec[],
  unwritable: readonly string[] = [],
): ReadonlyMap<string, ItemAttribute> {
  const givenAttributes = new Map<string, ItemAttribute>();
  places.set(itemPositionKey(item.kind, item.key), item.place);
  for (const entry of item.mapping.entries) {
    const spec = specs.find(({ spellings }) => spellings.includes(entry.key));
    if (!spec) {
      const isKnown = unwritable.includes(entry.key);
      faults.add(
        entry.place,
        `${formatItemFaultPrefix(item)}${isKnown ? notWritable(entry) : unknown(entry, specs)}`,
      );
      continue;
    }
    const before = givenAttributes.get(spec.name);
    if (before) {
      faults.add(
        entry.place,
        `${formatItemFaultPrefix(item)}${entry.key} means the same as ${before.spelling}; remove one of them`,
      );
      continue;
    }
    givenAttributes.set(spec.name, { spec, spelling: entry.key, node: entry.value });
    places.set(itemPositionKey(item.kind, item.key, spec.name), entry.value.place);
  }
  return givenAttributes;
}

const notWritable = ({ key }: MappingEntry): string => `only the service sets ${key}; remove this line`;

function unknown({ key }: MappingEntry, specs: readonly AttributeSpec[]): string {
  const words = specs.flatMap(({ spellings }) => spellings);
  if (key === 'before' && words.includes('after'))
    return 'the attribute "before" is allowed only in date rules';
  const [near] = similarWords(key, words);
  const instead = near === undefined ? `it takes ${words.join(', ')}` : `did you mean ${near}?`;
  return `unknown attribute ${key}; ${instead}`;
}

/** Returns the prefix of texts that report faults of an item: `message spring: `. */
export const formatItemFaultPrefix = ({ kind, key }: Pick<ItemEntry, 'kind' | 'key'>): string =>
  `${kind} ${key}: `;

/** Reports a missing attribute, at the position of its item. */
export function addMissingAttributeFault(
  { faults }: ItemReadContext,
  item: ItemEntry,
  spec: AttributeSpec,
): void {
  faults.add(item.place, `${formatItemFaultPrefix(item)}${spec.spellings[0]} is required`);
}

/** Returns the single value of a node. Reports a mapping or a list as a fault. */
export function requireScalarValue(
  { faults }: ItemReadContext,
  item: ItemEntry,
  { node, spelling }: ItemAttribute,
): YamlScalarNode | undefined {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'faulty') return undefined;
  faults.add(
    node.place,
    `${formatItemFaultPrefix(item)}${spelling} must be a single value, not a ${node.kind}`,
  );
  return undefined;
}

/**
 * Reports a finding of the body checks at the position of the value. Replaces the interface's names of attributes with the names that the
 * file uses.
 */
export function addRequestBodyFault(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  { attribute, reason, value, instead }: Finding,
  specs: readonly AttributeSpec[],
): void {
  const found = givenAttributes.get(attribute);
  const spec = found?.spec ?? specs.find(({ name }) => name === attribute);
  const called = found?.spelling ?? spec?.spellings[0] ?? attribute;
  const words = (text: string): string => withFileSpellings(text, givenAttributes, specs);
  const isContent = spec?.takes === 'file';
  const isWhole = found?.node.kind === 'scalar' && /^must be /.test(reason) && !isContent;
  const shown = isWhole && value !== undefined ? shownValue(value) : '';
  const file = isContent && found?.node.kind === 'scalar' ? ` (${found.node.source})` : '';
  reading.faults.add(
    found?.node.place ?? item.place,
    `${formatItemFaultPrefix(item)}${called}${file} ${words(reason)}${shown}${instead === undefined ? '' : `; ${words(instead)}`}`,
  );
}

/**
 * Replaces the interface's attribute names in an error message with the names that the campaign file uses, such as `list_id` with `list`.
 */
function withFileSpellings(
  text: string,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  specs: readonly AttributeSpec[],
): string {
  // Replaces only names such as `list_id`. Other names, such as `name`, are also ordinary words of the message.
  return text.replaceAll(/\b(?:[a-z]+_[a-z_]+|action[a-z]+)\b/g, (word) => {
    const spec = specs.find(({ name }) => name === word);
    return givenAttributes.get(word)?.spelling ?? spec?.spellings[0] ?? word;
  });
}

/**
 * Returns the end of a message about an invalid value: `, not "clik"`. Used for attributes that decide which other attributes the item
 * takes.
 */
export function invalidValueMessageEnding(node: YamlNode): string {
  if (node.kind !== 'scalar') return node.kind === 'faulty' ? '' : `, not a ${node.kind}`;
  return node.variables === 'none' ? shownValue(node.source) : ', not a variable';
}

const MAX_SHOWN_LENGTH = 40;

/** Returns the value as text, shortened so that a person still recognizes it. */
function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > MAX_SHOWN_LENGTH ? '' : `, not ${text}`;
}
