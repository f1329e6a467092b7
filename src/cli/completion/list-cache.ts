/** Caches ids and names of records for completion, in a folder that only this user can access. */
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { renameOver } from '../../kit/files/atomic-file.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';

export interface CompletionItem {
  readonly id: string;
  readonly name: string;
}

/** Milliseconds. */
const SHOWN_FOR_MS = 60_000;
/** Time in milliseconds without requests after the service refused a key, because three refusals in a row lock the user. */
const REFUSED_FOR_MS = 3_600_000;
/** Another process may then start a new refresh. */
const REFRESH_TIMEOUT_MS = 15_000;

/** @param folder a folder whose parent only this user can access */
export function openCompletionListCache(folder: string) {
  const pathOf = (text: string, ending: string): string => join(folder, `${hashForFileName(text)}.${ending}`);
  const put = (path: string, value: unknown): void => {
    makeFolders(folder);
    const beside = `${path}.${process.pid}`;
    writeFileSync(beside, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    renameOver(beside, path);
  };
  return {
    /** Empty if the request for the list failed. */
    read: (list: string, now: number) => {
      const { at, items } = valueIn(pathOf(list, 'list'));
      const ageMs = now - Number(at);
      if (!(ageMs >= 0 && ageMs < SHOWN_FOR_MS) || !Array.isArray(items)) return undefined;
      return { ageMs, items: items.filter(isItem) };
    },
    write: (list: string, items: readonly CompletionItem[], now: number): void => {
      put(pathOf(list, 'list'), { at: now, items });
      rmSync(pathOf(list, 'asking'), { force: true });
    },
    /** The service refused the key of this caller. */
    blockRequests: (who: string, now: number): void => put(pathOf(who, 'refused'), { at: now }),
    areRequestsBlocked: (who: string, now: number): boolean => {
      const ageMs = now - Number(valueIn(pathOf(who, 'refused')).at);
      return ageMs >= 0 && ageMs < REFUSED_FOR_MS;
    },
    /** Returns false if another process is refreshing the list. */
    startRefresh: (list: string, now: number): boolean => {
      const path = pathOf(list, 'asking');
      makeFolders(folder);
      if (ageOf(path, now) > REFRESH_TIMEOUT_MS) rmSync(path, { force: true });
      try {
        closeSync(openSync(path, 'wx', 0o600));
        return true;
      } catch {
        return false;
      }
    },
    deleteExpired: (now: number): void => {
      for (const name of existsSync(folder) ? readdirSync(folder) : []) {
        const path = join(folder, name);
        const most = name.endsWith('.refused') ? REFUSED_FOR_MS : SHOWN_FOR_MS;
        if (ageOf(path, now) > most) rmSync(path, { force: true });
      }
    },
  };
}

/** Empty for a file of another user or an incomplete file. */
function valueIn(path: string): { readonly at?: unknown; readonly items?: unknown } {
  try {
    if (!lstatSync(path).isFile()) return {};
    return parseJsonObject(readFileSync(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}

function isItem(value: unknown): value is CompletionItem {
  const { id, name }: { readonly id?: unknown; readonly name?: unknown } = Object(value);
  return typeof id === 'string' && typeof name === 'string';
}

function ageOf(path: string, now: number): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 0 : now - stats.mtimeMs;
}

/** Returns a hash of 106 bits, which is safe in a folder that only this user can write to, and needs no `node:crypto` (8 ms). */
function hashForFileName(text: string): string {
  return [0x9e3779b9, 0x85ebca6b].map((seed) => hashOf(text, seed).toString(36)).join('-');
}

/** Returns a hash of 53 bits: two multiplicative hashes over the code units, mixed at the end. */
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
