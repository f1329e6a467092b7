/** Which texts were met before, in 12 octets each: a million in 25 MB. */
import { hash } from 'node:crypto';

export interface Fingerprints {
  /** The place of a text that is new, or -1 for one that was there. */
  readonly add: (text: string) => number;
  /** The place of a text, or -1. */
  readonly find: (text: string) => number;
  readonly size: () => number;
  /** Flags a place; says whether it was flagged before. Places hold until the next `add`. */
  readonly flag: (place: number) => boolean;
}

const FIRST_CAPACITY = 1 << 14;
const FULLEST = 0.7;

/**
 * A text is known by 95 bits of a salted SHA-1. That two of ten million texts share them has a chance of 1 in 10^15,
 * and nobody who doesn't know the salt can make such a pair: less than the chance of a disk that lies.
 * @param salt of a cryptographic source, 8 octets or more
 */
export function createFingerprints(salt: Uint8Array): Fingerprints {
  let capacity = FIRST_CAPACITY;
  let words = new Uint32Array(3 * capacity);
  let flags = new Uint8Array(capacity);
  let size = 0;
  const key = Buffer.from(salt).toString('hex');
  const print = new Uint32Array(3);

  const take = (text: string): void => {
    const digest = hash('sha1', key + text, 'buffer');
    // All zero stands for an empty place.
    print[0] = digest.readUInt32LE(0) | 1;
    print[1] = digest.readUInt32LE(4);
    print[2] = digest.readUInt32LE(8);
  };
  /** The place of `print`, or where it would go. */
  const placeOf = (): number => {
    const [a, b, c] = print;
    let place = (b ?? 0) & (capacity - 1);
    for (;;) {
      const at = 3 * place;
      if (words[at] === 0 || (words[at] === a && words[at + 1] === b && words[at + 2] === c)) return place;
      place = (place + 1) & (capacity - 1);
    }
  };
  const grow = (): void => {
    const [oldWords, oldFlags] = [words, flags];
    capacity *= 2;
    words = new Uint32Array(3 * capacity);
    flags = new Uint8Array(capacity);
    for (let place = 0; place < oldFlags.length; place += 1) {
      if (oldWords[3 * place] === 0) continue;
      print.set(oldWords.subarray(3 * place, 3 * place + 3));
      const to = placeOf();
      words.set(print, 3 * to);
      flags[to] = oldFlags[place] ?? 0;
    }
  };

  return {
    add: (text) => {
      take(text);
      let place = placeOf();
      if (words[3 * place] !== 0) return -1;
      if (size + 1 > FULLEST * capacity) {
        grow();
        take(text);
        place = placeOf();
      }
      words.set(print, 3 * place);
      size += 1;
      return place;
    },
    find: (text) => {
      take(text);
      const place = placeOf();
      return words[3 * place] === 0 ? -1 : place;
    },
    size: () => size,
    flag: (place) => {
      const was = flags[place] === 1;
      flags[place] = 1;
      return was;
    },
  };
}
