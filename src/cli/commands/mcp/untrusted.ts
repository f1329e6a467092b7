/**
 * Separates what svc itself says from text of the service and of subscribers. Each row keeps the keys that a tool declares as svc's own.
 * Everything else goes into the row's `untrusted` object, so an unknown key is untrusted, too.
 */
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { isObject } from '../../../text/json-object.ts';
import { withoutUnsafe } from '../../../text/terminal.ts';

/**
 * Kind of a value that stays outside of `untrusted`. A text that does not have the form of its kind goes into `untrusted` all the same.
 * - `value`: a number, true, false or null
 * - `id`: a number, or an id such as `12` or `click:3`, or a list of them
 * - `word`: a word that svc chose, such as `email` or `too-close`
 * - `time`: a local time such as `2026-12-01 09:00`
 * - `digest`: hexadecimal digits
 * - `part`: an object, or a list of objects, which is separated in the same way
 * - a list of texts: one of them
 */
export type OwnKind = 'value' | 'id' | 'word' | 'time' | 'digest' | 'part' | readonly string[];

/** Keys of a tool's output that are svc's own. */
export type OwnKeys = Readonly<Record<string, OwnKind>>;

/** Name of the object that holds foreign text. */
export const UNTRUSTED = 'untrusted';

/** Forms of texts, for checks and for JSON Schemas. */
export const FORMS = {
  value: '^-?[0-9]{1,40}$',
  id: '^(?:[a-z][a-z-]{0,19}:)?[0-9]{1,40}$',
  word: '^[a-zA-Z][a-zA-Z0-9:_-]{0,31}$',
  time: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2})?$',
  digest: '^[0-9a-f]{40,128}$',
} as const;

const COMPILED = Object.fromEntries(
  Object.entries(FORMS).map(([kind, form]) => [kind, new RegExp(form)]),
) as Readonly<Record<keyof typeof FORMS, RegExp>>;

/**
 * Returns the value with all foreign text moved to `untrusted` objects. @param longest the maximum length of a foreign text in characters;
 * a longer text is shortened and gets a note
 */
export function separateUntrusted(value: Json, own: OwnKeys, longest: number): Json {
  if (Array.isArray(value)) return value.map((each) => separateUntrusted(each, own, longest));
  if (typeof value === 'string')
    return COMPILED.id.test(value) ? value : { [UNTRUSTED]: { text: shortened(value, longest) } };
  if (!isObject(value)) return plain(value);
  const kept: [string, Json][] = [];
  const foreign: [string, Json][] = [];
  for (const [key, each] of Object.entries(value as JsonObject)) {
    const kind = Object.hasOwn(own, key) ? own[key] : undefined;
    if (kind === undefined || !fits(kind, each))
      foreign.push([shortened(key, LONGEST_KEY), cleanedValue(each, longest)]);
    else kept.push([key, kind === 'part' ? separateUntrusted(each, own, longest) : plain(each)]);
  }
  // An entry named __proto__ must become a key, which assignment would not do.
  return Object.fromEntries([
    ...kept,
    ...(foreign.length > 0 ? [[UNTRUSTED, Object.fromEntries(foreign)]] : []),
  ]);
}

const LONGEST_KEY = 64;
/** Maximum depth of a foreign value, and maximum number of items in its lists and objects. */
const MOST_LEVELS = 6;
const MOST_ITEMS = 200;

/** Returns a foreign value with shortened texts. Removes control characters and characters that change the direction of text. */
export function cleanedValue(value: Json, longest: number, levels = MOST_LEVELS): Json {
  if (typeof value === 'string') return shortened(value, longest);
  if (typeof value !== 'object' || value === null) return plain(value);
  if (levels === 0) return null;
  if (Array.isArray(value))
    return value.slice(0, MOST_ITEMS).map((each) => cleanedValue(each, longest, levels - 1));
  const entries = Object.entries(value).slice(0, MOST_ITEMS);
  return Object.fromEntries(
    entries.map(([key, each]) => [shortened(key, LONGEST_KEY), cleanedValue(each, longest, levels - 1)]),
  );
}

/** Returns the text if it has at most `longest` characters. Otherwise returns its beginning with a note about its length. */
export function shortened(text: string, longest: number): string {
  // Only the beginning of a long text is cleaned, because a message may have megabytes.
  const safe = withoutUnsafe(text.slice(0, 2 * longest));
  if (text.length <= 2 * longest && safe.length <= longest) return safe;
  return `${withoutUnsafe(safe.slice(0, longest))}… (${longest} of ${text.length} characters)`;
}

function fits(kind: OwnKind, value: Json): boolean {
  if (value === null) return true;
  if (kind === 'part') return typeof value === 'object';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return kind === 'value' || kind === 'id';
  if (Array.isArray(value))
    return kind === 'id' && value.every((each) => typeof each !== 'object' && fits('id', each));
  if (typeof value !== 'string') return false;
  return typeof kind === 'string' ? COMPILED[kind].test(value) : kind.includes(value);
}

/** Returns the value, but a bigint as its digits, because the protocol's JSON can't represent larger numbers than a double. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}
