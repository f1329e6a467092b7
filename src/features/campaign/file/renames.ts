/** Reads `renamed-from`: the earlier keys of an item, or the earlier names of a campaign, the oldest first. */

import { computeItemKeyHash } from '../marks.ts';
import { formatStepItemKey, parseStepItemKey } from '../sequences.ts';
import {
  addItemFault,
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  type ValueOrFault,
} from './attributes.ts';
import type { FilePosition, YamlNode, YamlScalarNode } from './document.ts';
import { ITEM_KEY_PATTERN, RENAMED_FROM, STEP_NUMBER_PATTERN } from './parts.ts';

export interface EarlierName {
  readonly name: string;
  readonly place: FilePosition;
}

type AddFault = (place: FilePosition, message: string) => void;

/** @param read reads one name. Reports faults with `fault`. */
export function readEarlierNames(
  node: YamlNode | undefined,
  read: (node: YamlScalarNode) => ValueOrFault<string>,
  fault: AddFault,
): readonly EarlierName[] {
  if (node === undefined || node.kind === 'faulty') return [];
  const nodes = node.kind === 'list' ? node.entries : [node];
  if (nodes.length === 0) fault(node.place, `${RENAMED_FROM} must be a name or a list of names`);
  return nodes.flatMap((each): readonly EarlierName[] => {
    if (each.kind === 'faulty') return [];
    const found = each.kind === 'scalar' ? read(each) : { fault: `must be a name or a list of names` };
    if ('value' in found) return [{ name: found.value, place: each.place }];
    fault(each.place, `${RENAMED_FROM} ${found.fault}`);
    return [];
  });
}

export const readEarlierKey = ({ value, source, variables }: YamlScalarNode): ValueOrFault<string> =>
  typeof value === 'string' && variables === 'none' && ITEM_KEY_PATTERN.test(source)
    ? { value: source }
    : {
        fault: `must be an earlier key, not ${variables === 'none' ? JSON.stringify(source) : 'a variable'}${hintAtAdopt(source)}`,
      };

/** `svc plan` shows such keys, but a file has them nowhere. */
const hintAtAdopt = (source: string): string =>
  /^[^/@]+[/@][^/@]+$/.test(source)
    ? '; the record of a step of a sequence, or of a time of a series, keeps its life under another key with --adopt KEY=ID'
    : '';

const readEarlierStepKey = (node: YamlScalarNode): ValueOrFault<string> =>
  STEP_NUMBER_PATTERN.test(node.source) ? { value: node.source } : readEarlierKey(node);

/** Returns `{ renamedFrom }` to be spread into the item, or `{}`. A step has each combination of earlier keys of it and its sequence. */
export function readRenamedFrom(reading: ItemReading): { readonly renamedFrom?: readonly string[] } {
  const { item, given, earlierKeys } = reading;
  const { earlierSequences } = item;
  const own = readEarlierNames(
    given.get(RENAMED_FROM)?.node,
    earlierSequences ? readEarlierStepKey : readEarlierKey,
    (place, message) => addItemFault(reading, item, place, message),
  );
  const found = earlierSequences ? earlierKeysOfStep(item, earlierSequences, own) : own;
  for (const each of found) earlierKeys.push({ ...each, item });
  return found.length === 0 ? {} : { renamedFrom: found.map(({ name }) => name) };
}

function earlierKeysOfStep(
  { key, place }: ItemEntry,
  earlierSequences: readonly EarlierName[],
  own: readonly EarlierName[],
): readonly EarlierName[] {
  const { sequence = '', step = '' } = parseStepItemKey(key) ?? {};
  return [...earlierSequences, { name: sequence, place }]
    .flatMap((one) =>
      [...own, { name: step, place: one.place }].map((other) => ({
        name: formatStepItemKey(one.name, other.name),
        place: other.place,
      })),
    )
    .slice(0, -1);
}

/** Reports each earlier key that an item of the file has now, or that two items name. */
export function checkEarlierKeys(context: ItemReadContext, items: readonly ItemEntry[]): void {
  const hashOf = ({ kind }: ItemEntry, key: string): string => `${kind} ${computeItemKeyHash(kind, key)}`;
  const current = new Map(items.map((item) => [hashOf(item, item.key), item]));
  const named = new Map<string, { readonly name: string; readonly item: ItemEntry }>();
  const reported = checkEarlierSequences(context, items);
  for (const { name, place, item } of context.earlierKeys) {
    if (reported.has(place)) continue;
    const hash = hashOf(item, name);
    const there = current.get(hash);
    const other = named.get(hash);
    named.set(hash, other ?? { name, item });
    const fault = describeKeyInUse(item, name, there) ?? describeKeyNamedTwice(item, name, other);
    if (fault !== undefined) addItemFault(context, item, place, `${RENAMED_FROM}: ${fault}`);
  }
}

/** Returns the places of the faults: the keys of the steps follow from them. */
function checkEarlierSequences(
  context: ItemReadContext,
  items: readonly ItemEntry[],
): ReadonlySet<FilePosition> {
  const sequences = new Map<string, ItemEntry>();
  for (const item of items) {
    const { sequence } = parseStepItemKey(item.key) ?? {};
    if (sequence !== undefined && item.earlierSequences) sequences.set(sequence, item);
  }
  const named = new Map<string, string>();
  const reported = new Set<FilePosition>();
  for (const [key, item] of sequences)
    for (const { name, place } of item.earlierSequences ?? []) {
      const other = named.get(name);
      named.set(name, key);
      if (other === undefined && !sequences.has(name)) continue;
      reported.add(place);
      const fault =
        name === key
          ? `${name} is the key of this sequence itself; write the key that it had before`
          : sequences.has(name)
            ? `sequence ${name} is still in the file, so it cannot be the earlier key of another sequence; remove one of the two`
            : other === key
              ? `${name} is given twice`
              : `sequence ${other} also names ${name}; a record can belong to only one item`;
      addItemFault(context, item, place, `${RENAMED_FROM}: ${fault}`);
    }
  return reported;
}

function describeKeyInUse(item: ItemEntry, name: string, there: ItemEntry | undefined): string | undefined {
  if (there === undefined) return undefined;
  if (there === item) return `${name} is the key of this item itself; write the key that it had before`;
  return there.key === name
    ? `${item.kind} ${name} is still in the file, so it cannot be the earlier key of another item; remove one of the two`
    : `svc cannot distinguish the earlier key ${name} from ${item.kind} ${there.key}`;
}

function describeKeyNamedTwice(
  item: ItemEntry,
  name: string,
  other: { readonly name: string; readonly item: ItemEntry } | undefined,
): string | undefined {
  if (other === undefined) return undefined;
  if (other.name !== name) return `svc cannot distinguish the earlier keys ${name} and ${other.name}`;
  return other.item === item
    ? `${name} is given twice`
    : `${item.kind} ${other.item.key} also names ${name}; a record can belong to only one item`;
}
