/** Ids and names that were listed a moment ago, in a folder of this user's alone. */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Item {
  readonly id: string;
  readonly name: string;
}

export interface KeptList {
  /** Milliseconds since it was listed. */
  readonly age: number;
  /** None where it could not be listed. */
  readonly items: readonly Item[];
}

/** Older than this it is not shown. */
const SHOWN_FOR_MS = 60_000;
/** Of a key that the service refused: three times in a row would lock the user. */
const REFUSED_FOR_MS = 3_600_000;
/** As long as whoever lists can take, and a little longer. */
const LISTING_FOR_MS = 15_000;

export interface Kept {
  readonly read: (list: string, now: number) => KeptList | undefined;
  readonly write: (list: string, items: readonly Item[], now: number) => void;
  /** @param who what all lists have in common that are asked for with the same key */
  readonly refuse: (who: string, now: number) => void;
  readonly isRefused: (who: string, now: number) => boolean;
  /** Whether the caller is the one to list it now; another may be about it. */
  readonly begin: (list: string, now: number) => boolean;
  /** What is too old goes, of this list or another. */
  readonly clear: (now: number) => void;
}

/** @param folder its parent is known to be this user's alone */
export function keptIn(folder: string): Kept {
  const pathOf = (text: string, ending: string): string => join(folder, `${digestOf(text)}.${ending}`);
  const put = (path: string, value: unknown): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const beside = `${path}.${process.pid}`;
    writeFileSync(beside, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    renameSync(beside, path);
  };
  return {
    read: (list, now) => {
      const { at, items } = valueIn(pathOf(list, 'list'));
      const age = now - Number(at);
      if (!(age >= 0 && age < SHOWN_FOR_MS) || !Array.isArray(items)) return undefined;
      return { age, items: items.filter(isItem) };
    },
    write: (list, items, now) => {
      put(pathOf(list, 'list'), { at: now, items });
      rmSync(pathOf(list, 'asking'), { force: true });
    },
    refuse: (who, now) => put(pathOf(who, 'refused'), { at: now }),
    isRefused: (who, now) => {
      const age = now - Number(valueIn(pathOf(who, 'refused')).at);
      return age >= 0 && age < REFUSED_FOR_MS;
    },
    begin: (list, now) => {
      const path = pathOf(list, 'asking');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (ageOf(path, now) > LISTING_FOR_MS) rmSync(path, { force: true });
      try {
        closeSync(openSync(path, 'wx', 0o600));
        return true;
      } catch {
        return false;
      }
    },
    clear: (now) => {
      for (const name of existsSync(folder) ? readdirSync(folder) : []) {
        const path = join(folder, name);
        const most = name.endsWith('.refused') ? REFUSED_FOR_MS : SHOWN_FOR_MS;
        if (ageOf(path, now) > most) rmSync(path, { force: true });
      }
    },
  };
}

/** What another program put there, or half a file, is nothing. */
function valueIn(path: string): { readonly at?: unknown; readonly items?: unknown } {
  try {
    if (!lstatSync(path).isFile()) return {};
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof name === 'string';
}

function ageOf(path: string, now: number): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 0 : now - stats.mtimeMs;
}

/**
 * A name of a file, another one for every text; 106 bits are enough where nobody else can put a file, and `node:crypto`
 * takes 8 ms to load.
 */
export function digestOf(text: string): string {
  return [0x9e3779b9, 0x85ebca6b].map((seed) => hashOf(text, seed).toString(36)).join('-');
}

/** 53 bits: two multiplicative hashes over the code units, mixed at the end. */
function hashOf(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  const mixed = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const other = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & other) + (mixed >>> 0);
}
