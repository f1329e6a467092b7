/** Reads `id` and `hash` of an item, which name the existing record that the item adopts. */
import { CONTENT_HASH_PATTERN } from '../marks.ts';
import type { RecordTakenOverByItem } from '../model.ts';
import type { ChannelOrRuleKind } from '../plan/adoption.ts';
import { readItemAttributeValue } from './bodies.ts';
import type { YamlScalarNode } from './document.ts';
import { formatItemFaultPrefix, type ItemAttribute, type ItemEntry, type ItemReadContext } from './given.ts';
import { readIdValue, type ValueOrFault } from './values.ts';

/**
 * Reads the attributes `id` and `hash` of an item. These attributes name an existing record that the item adopts: svc uses this record for
 * the item instead of creating one. Returns `{ adopted }`, which the caller spreads into the item. Returns an empty object if the item
 * gives no `id`.
 * @param channelOrRuleKind channel of a message, kind of a rule, or null for a task
 */
export function readRecordTakenOverByItem(
  reading: ItemReadContext,
  item: ItemEntry,
  givenAttributes: ReadonlyMap<string, ItemAttribute>,
  channelOrRuleKind: ChannelOrRuleKind,
): { readonly adopted?: RecordTakenOverByItem } {
  const id = readItemAttributeValue(reading, item, givenAttributes.get('id'), (node) =>
    readIdValue(node, 'an existing record'),
  );
  const hash = readItemAttributeValue(reading, item, givenAttributes.get('hash'), hashOf);
  const hashPlace = givenAttributes.get('hash')?.node.place;
  if (hashPlace && typeof hash === 'string' && !givenAttributes.has('id'))
    reading.faults.add(hashPlace, `${formatItemFaultPrefix(item)}hash needs id`);
  if (id === undefined || id === null) return {};
  const record = `${item.kind} ${channelOrRuleKind} ${id}`;
  const other = reading.takenOver.get(record);
  if (other !== undefined)
    reading.faults.add(
      givenAttributes.get('id')?.node.place ?? item.place,
      `${formatItemFaultPrefix(item)}id ${id} is also used by ${item.kind} ${other}; remove one of the two ids`,
    );
  reading.takenOver.set(record, item.key);
  return { adopted: { id, hash: hash ?? null } };
}

function hashOf({ value, source }: YamlScalarNode): ValueOrFault<string | null> {
  if (value === null) return { value: null };
  return CONTENT_HASH_PATTERN.test(source)
    ? { value: source }
    : { fault: 'is not a hash written by svc export; remove it to compare with the current record' };
}
