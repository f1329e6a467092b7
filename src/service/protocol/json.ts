/**
 * Reads and writes JSON so that every whole number keeps its digits (contract, "Numbers, ids and names, once more"). A number that a double
 * can't hold becomes a `bigint`. JSON.parse and JSON.stringify handle everything else and do nearly all of the work.
 */
import { parseIntegerDigits } from '../../kit/schema/integer.ts';
import type { Json, JsonObject } from '../../kit/schema/resource.ts';

/** Maximum octets of a body. The service answers a larger body with 413 (wire, "Responses"). */
export const MAX_BODY_OCTETS = 10 * 1024 * 1024;

export type { Json, JsonObject };

/**
 * Maximum number of digits of a whole number. All valid values are shorter. Without this limit, parsing a very long number would take too
 * much time.
 */
const MAX_DIGITS = 1000;

/** Maximum nesting of a value. Functions that read a value call themselves for each level, and must not run out of stack. */
const MAX_LEVELS = 1000;

/**
 * Parses JSON.
 * @throws SyntaxError for invalid JSON, too many levels, or a number that is too large. A stack overflow while
 * parsing becomes a SyntaxError too
 */
export function parseJson(text: string): unknown {
  try {
    checkLevels(text);
    return parseUnbounded(text);
  } catch (error) {
    if (error instanceof RangeError)
      throw new SyntaxError('the text is too long to be read', { cause: error });
    throw error;
  }
}

/** @throws SyntaxError for too many levels */
function checkLevels(text: string): void {
  if (text.length <= MAX_LEVELS) return;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case CODES.quote:
        at = afterString(text, at) - 1;
        break;
      case CODES.bracket:
      case CODES.brace:
        levels += 1;
        if (levels > MAX_LEVELS) throw new SyntaxError(`the text nests deeper than ${MAX_LEVELS} levels`);
        break;
      case CODES.closingBracket:
      case CODES.closingBrace:
        levels -= 1;
        break;
      default:
    }
  }
}

const CODES = { quote: 0x22, bracket: 0x5b, brace: 0x7b, closingBracket: 0x5d, closingBrace: 0x7d } as const;

function parseUnbounded(text: string): unknown {
  if (!mayHoldLargeNumber(text)) return JSON.parse(text);
  const tag = findUnusedCharacter(text);
  const tagged = tagLargeIntegers(text, tag);
  if (tagged === text) return JSON.parse(text);
  return restoreTaggedIntegers(JSON.parse(tagged), tag);
}

export function formatJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  const plain = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? 0 : each));
  const tag = findUnusedCharacter(plain);
  const tagged = JSON.stringify(
    value,
    (_key, each: unknown) => (typeof each === 'bigint' ? tag + String(each) : each),
    space,
  );
  return tagged.replaceAll(new RegExp(`"${tag}(-?[0-9]+)"`, 'g'), '$1');
}

/**
 * Reports whether the text may contain a number above 2^53, which JavaScript cannot represent exactly: 16
 * digits or, as in `1e16`, an exponent of two digits. Digits inside strings count too.
 */
export const mayHoldLargeNumber = (text: string): boolean => hasLongDigits(text) || LARGE_EXPONENT.test(text);

const LARGE_EXPONENT = /[0-9][eE]\+?[0-9]{2}/;
const LARGE_DIGITS = 16;

/** Reports whether the text has 16 digits in a row. It checks every 16th character first, and so skips most of a text. */
function hasLongDigits(text: string): boolean {
  for (let at = LARGE_DIGITS - 1; at < text.length; at += LARGE_DIGITS) {
    if (!isDigit(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigit(text, first - 1)) first -= 1;
    while (isDigit(text, last + 1)) last += 1;
    if (last - first >= LARGE_DIGITS - 1) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** Returns a character that this JSON text does not contain, as the character itself or as an escape. */
export function findUnusedCharacter(text: string): string {
  const used = new Set<number>();
  for (const [found] of text.matchAll(PRIVATE))
    used.add(found.length === 1 ? found.charCodeAt(0) : Number.parseInt(found.slice(2), 16));
  for (let code = FIRST_PRIVATE; code <= LAST_PRIVATE; code += 1)
    if (!used.has(code)) return String.fromCharCode(code);
  throw new SyntaxError(
    'cannot parse this JSON: svc needs one character of the Unicode private use area that the text does not contain',
  );
}

const PRIVATE = /[\ue000-\uf8ff]|\\u(?:e[0-9a-f]{3}|f[0-8][0-9a-f]{2})/gi;
const FIRST_PRIVATE = 0xe000;
const LAST_PRIVATE = 0xf8ff;

export function tagLargeIntegers(text: string, tag: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    const outside = text.slice(at, end);
    parts.push(
      mayHoldLargeNumber(outside) ? outside.replace(NUMBER, (token) => taggedNumber(token, tag)) : outside,
    );
    at = quote === -1 ? end : afterString(text, quote);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
}

function afterString(text: string, quote: number): number {
  for (let at = quote + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let before = at - 1;
    while (text[before] === '\\') before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

/** JSON.parse rejects the invalid ones. */
const NUMBER = /[-+.0-9eE]+/g;
const JSON_NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

function taggedNumber(token: string, tag: string): string {
  if (token.length > 2 * MAX_DIGITS) {
    if (Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER) throw tooLong();
    // It is a small number with many digits, or not a number at all. JSON.parse tells them apart.
    return token;
  }
  const [whole, sign = '', digits = '', fraction = '', exponent = '0'] = JSON_NUMBER.exec(token) ?? [];
  if (whole === undefined || Math.abs(Number(token)) <= Number.MAX_SAFE_INTEGER) return token;
  const zeros = Number(exponent) - fraction.length;
  const all = `${digits}${fraction}`.replace(/^0+/, '');
  if (all.length + Math.max(0, zeros) > MAX_DIGITS) throw tooLong();
  if (zeros >= 0) return `"${tag}${sign}${all}${'0'.repeat(zeros)}"`;
  // If digits other than 0 follow the decimal point, it is not a whole number and stays a double.
  return /^0*$/.test(all.slice(zeros)) ? `"${tag}${sign}${all.slice(0, zeros)}"` : token;
}

const tooLong = (): SyntaxError => new SyntaxError(`a number has more than ${MAX_DIGITS} digits`);

/** Replaces each text `"<tag><digits>"` in the value by its integer. Changes the value itself. */
export function restoreTaggedIntegers(value: unknown, tag: string): unknown {
  const holder: Record<string, unknown> = { '': value };
  const open: object[] = [holder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (typeof value === 'object' && value !== null) open.push(value);
      else if (typeof value === 'string' && value.startsWith(tag))
        Object.defineProperty(next, key, {
          value: parseIntegerDigits(value.slice(1)),
          writable: true,
          enumerable: true,
          configurable: true,
        });
    }
  }
  return holder[''];
}
