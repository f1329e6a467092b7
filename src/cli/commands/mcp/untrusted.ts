/**
 * Separates svc's own values from text that the service, subscribers or files contain. All keys that a tool does not declare as svc's own
 * move to the row's `untrusted` object.
 */
import { isObject } from '../../../kit/text/json-object.ts';
import { removeUnsafeCharacters } from '../../../kit/text/terminal.ts';
import { formatTime } from '../../../kit/text/timezone.ts';

/**
 * Kind of a trusted value: a value in a tool's output that svc itself wrote, such as an id or a time. svc moves all other values into an
 * object with the key `untrusted`. A value that does not have the form of its kind also moves into this
 * object. Null has the form of every kind.
 * - `value`: a number, a text of digits, true or false
 * - `id`: a number, or an id such as `12` or `click:3`, or a list of ids
 * - `word`: a word that svc chose, such as `email` or `too-close`
 * - `instant`: a time in Unix seconds; svc adds its ISO form
 * - `time`: a local time such as `2026-12-01 09:00`, or a month
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

export type TrustedProperties = Readonly<Record<string, TrustedValueKindOrChoices>>;

export const UNTRUSTED_TEXT_KEY = 'untrusted';

const FORMS = {
  value: /^-?[0-9]{1,40}$/,
  id: /^(?:[a-z][a-z-]{0,19}:)?[0-9]{1,40}$/,
  instant: /^-?[0-9]{1,40}$/,
  word: /^[a-zA-Z][a-zA-Z0-9:_-]{0,31}$/,
  time: /^[0-9]{4}-[0-9]{2}(?:-[0-9]{2} [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?$/,
  digest: /^[0-9a-f]{40,128}$/,
} as const;

/**
 * All text that svc did not write goes to objects with the key `untrusted`. @param ownKeys keys whose values svc writes, and their kinds
 * @param zone undefined if svc does not know it, and adds no ISO times @param maxLength in characters
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
    else kept.push([key, kind === 'part' ? inside(each) : kind === 'id' ? asNumber(each) : plain(each)]);
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
const MAX_LEVELS = 6;
const MAX_ITEMS = 200;

/** Shortens texts, and removes control characters and characters that change the direction of text. */
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

/** A note gives the length of a shortened text. */
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

/** Some commands print ids as numbers, and others as texts. */
const asNumber = (id: unknown): unknown =>
  typeof id === 'string' && /^[0-9]{1,15}$/.test(id) ? Number(id) : plain(id);

/** The protocol's JSON cannot represent numbers larger than a double. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}
