/** Creates keys of campaign items from the names of records. */
import { ITEM_KEY_PATTERN } from '../file/shape.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { ItemKind } from '../model.ts';

const MAX_KEY_LENGTH = 40;

/** Device names on Windows. Keys become file names, so no key may be one of these. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * Returns a function that creates a key for an item from the name and the id of a record. The keys of one kind of item are all different.
 * The function skips a key if the mark of a record, the tag that svc adds to the record's name, already contains the key's hash.
 * @param isTaken returns whether the mark of a record contains `hash`, the hash of a key
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

/** Returns the Latin letters and digits of a name in lower case, such as `spring-sale` for `Spring sale!`; '' if the name has none. */
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
