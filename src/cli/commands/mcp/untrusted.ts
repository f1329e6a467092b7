/**
 * Separates svc's own values from text that the service, subscribers or files contain. Each row keeps the keys that a tool declares as
 * svc's own. All other keys, including unknown ones, move to the row's `untrusted` object.
 */
import { isObject } from '../../../text/json-object.ts';
import { removeUnsafeCharacters } from '../../../text/terminal.ts';
import { formatTime } from '../../../text/timezone.ts';

/**
 * Kind of a trusted value: a value in a tool's output that svc itself wrote, such as an id or a time. svc moves all other values into an
 * object with the key `untrusted`. A value that does not have the form of its kind also moves into this
 * object. Null has the form of every kind.
 * - `value`: a number, a text of digits, true or false
 * - `id`: a number, or an id such as `12` or `click:3`, or a list of ids
 * - `word`: a word that svc chose, such as `email` or `too-close`
 * - `instant`: a time in Unix seconds; svc adds its ISO form
 * - `time`: a local time such as `2026-12-01 09:00`
 * - `digest`: hexadecimal digits
 * - `part`: an object or a list of objects, in which svc separates trusted and untrusted values in the same way
 * - a list of texts: the value must be one of the texts in the list
 */
export type TrustedValueKindOrChoices =
  | 'value'
  | 'id'
  | 'word'
  | 'instant'
  | 'time'
  | 'digest'
  | 'part'
  | readonly string[];

/** Keys of a tool's output with values that svc itself writes, and the kind of each value. */
export type TrustedProperties = Readonly<Record<string, TrustedValueKindOrChoices>>;

/** Name of the object that holds text from the service, subscribers or files. */
export const UNTRUSTED_TEXT_KEY = 'untrusted';

/** Form of each kind of trusted text. */
const FORMS = {
  value: /^-?[0-9]{1,40}$/,
  id: /^(?:[a-z][a-z-]{0,19}:)?[0-9]{1,40}$/,
  instant: /^-?[0-9]{1,40}$/,
  word: /^[a-zA-Z][a-zA-Z0-9:_-]{0,31}$/,
  time: /^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2})?$/,
  digest: /^[0-9a-f]{40,128}$/,
} as const;

/**
 * Returns a copy of the value that separates trusted from untrusted text. All text that svc did not write is in objects with the key
 * `untrusted`.
 * @param ownKeys the keys whose values svc writes, and the kind of each value
 * @param zone the time zone of ISO times; undefined if svc does not know it, and adds none
 * @param maxLength the maximum length of an untrusted text in characters; a longer text is shortened and gets a note
 */
export function separateUntrustedText(
  value: unknown,
  ownKeys: TrustedProperties,
  maxLength: number,
  zone: string | undefined,
): unknown {
  const inside = (part: unknown): unknown => separateUntrustedText(part, ownKeys, maxLength, zone);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value === 'string')
    return FORMS.id.test(value) ? value : { [UNTRUSTED_TEXT_KEY]: { text: shortenText(value, maxLength) } };
  if (!isObject(value)) return plain(value);
  const kept: [string, unknown][] = [];
  const foreign: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) {
    const kind = Object.hasOwn(ownKeys, key) ? ownKeys[key] : undefined;
    if (kind === undefined || !fits(kind, each))
      foreign.push([shortenText(key, MAX_KEY_LENGTH), cleanUntrustedValue(each, maxLength)]);
    else kept.push([key, kind === 'part' ? inside(each) : plain(each)]);
    if (kind === 'instant' && typeof each === 'number' && zone !== undefined)
      kept.push([`${key}_iso`, formatTime(each, zone, 'iso')]);
  }
  // An entry named __proto__ must become a key, which assignment would not do.
  return Object.fromEntries([
    ...kept,
    ...(foreign.length > 0 ? [[UNTRUSTED_TEXT_KEY, Object.fromEntries(foreign)]] : []),
  ]);
}

const MAX_KEY_LENGTH = 64;
/** Maximum depth of an untrusted value. */
const MAX_LEVELS = 6;
/** Maximum number of items in each list and object of an untrusted value. */
const MAX_ITEMS = 200;

/** Returns an untrusted value with shortened texts, without control characters and without characters that change the direction of text. */
export function cleanUntrustedValue(value: unknown, maxLength: number, levels = MAX_LEVELS): unknown {
  if (typeof value === 'string') return shortenText(value, maxLength);
  if (typeof value !== 'object' || value === null) return plain(value);
  if (levels === 0) return null;
  if (Array.isArray(value))
    return value.slice(0, MAX_ITEMS).map((each) => cleanUntrustedValue(each, maxLength, levels - 1));
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.map(([key, each]) => [
      shortenText(key, MAX_KEY_LENGTH),
      cleanUntrustedValue(each, maxLength, levels - 1),
    ]),
  );
}

/** Returns the text if it has at most `maxLength` characters. Otherwise returns its beginning with a note about its length. */
export function shortenText(text: string, maxLength: number): string {
  // Only the beginning of a long text is cleaned, because a message may have megabytes.
  const safe = removeUnsafeCharacters(text.slice(0, 2 * maxLength));
  if (text.length <= 2 * maxLength && safe.length <= maxLength) return safe;
  return `${removeUnsafeCharacters(safe.slice(0, maxLength))}… (${maxLength} of ${text.length} characters)`;
}

function fits(kind: TrustedValueKindOrChoices, value: unknown): boolean {
  if (value === null) return true;
  if (kind === 'part') return typeof value === 'object';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return kind === 'value' || kind === 'id' || kind === 'instant';
  if (Array.isArray(value))
    return kind === 'id' && value.every((each) => typeof each !== 'object' && fits('id', each));
  if (typeof value !== 'string') return false;
  return typeof kind === 'string' ? FORMS[kind].test(value) : kind.includes(value);
}

/** Converts bigints to strings of digits, because the protocol's JSON cannot represent numbers larger than a double. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}
