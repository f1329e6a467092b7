/** Reads `id` and `hash` of an item, which name the existing record that the item adopts. */
import { CONTENT_HASH_PATTERN } from '../marks.ts';
import type { RecordTakenOverByItem } from '../model.ts';
import { readItemAttributeValue } from './bodies.ts';
import type { ScalarNode } from './document.ts';
import { formatItemFaultPrefix, type ItemAttribute, type ItemEntry, type ItemReadContext } from './given.ts';
import { readIdValue, type ValueOrFault } from './values.ts';

/**
 * Reads `id` and `hash` of the existing record that the item adopts: svc uses this record instead of creating one. Returns `{ adopted }`,
 * or an empty object if the item gives no `id`. The caller spreads the object into the item.
 * @param variant channel of a message, kind of a rule, or `task`. Ids are unique only within one variant.
 */
export function readRecordTakenOverByItem(
  reading: ItemReadContext,
  item: ItemEntry,
  given: ReadonlyMap<string, ItemAttribute>,
  variant: string,
): { readonly adopted?: RecordTakenOverByItem } {
  const id = readItemAttributeValue(reading, item, given.get('id'), (node) =>
    readIdValue(node, 'an existing record'),
  );
  const hash = readItemAttributeValue(reading, item, given.get('hash'), hashOf);
  const hashPlace = given.get('hash')?.node.place;
  if (hashPlace && typeof hash === 'string' && !given.has('id'))
    reading.faults.add(hashPlace, `${formatItemFaultPrefix(item)}hash needs id`);
  if (id === undefined || id === null) return {};
  const record = `${item.kind} ${variant} ${id}`;
  const other = reading.adopted.get(record);
  if (other !== undefined)
    reading.faults.add(
      given.get('id')?.node.place ?? item.place,
      `${formatItemFaultPrefix(item)}id ${id} is also used by ${item.kind} ${other}; remove one of the two ids`,
    );
  reading.adopted.set(record, item.key);
  return { adopted: { id, hash: hash ?? null } };
}

function hashOf({ value, source }: ScalarNode): ValueOrFault<string | null> {
  if (value === null) return { value: null };
  return CONTENT_HASH_PATTERN.test(source)
    ? { value: source }
    : { fault: 'is not a hash written by svc export; remove it to compare with the current record' };
}
