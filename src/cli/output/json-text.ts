/** Makes JSON and YAML texts safe for a terminal, and detects values that are nested too deeply to be written. */
import type { Json } from '../../protocol/envelope.ts';
import { UNSAFE_CHARACTER_CLASS } from '../../text/terminal.ts';

/**
 * Writes each unsafe character as `\uXXXX`. Unsafe characters are those that `terminal.ts` escapes and that JSON leaves unescaped: DEL, C1
 * controls, bidi controls, separators, and invisible and blank characters. The JSON value stays the same.
 */
export function escapeUnsafeCharactersInJson(text: string): string {
  return replaceUnsafe(text, (character) =>
    [...Array(character.length).keys()].map((unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(''),
  );
}

/**
 * Escapes unsafe characters in a double-quoted YAML text. These are the characters that `escapeUnsafeCharactersInJson` escapes in JSON.
 * Writes characters above U+FFFF as `\UXXXXXXXX`, because YAML has no surrogate pairs.
 */
export function escapeUnsafeCharactersInYaml(text: string): string {
  return replaceUnsafe(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Matches a text that has only ASCII characters and no DEL. Such a text contains no character that `replaceUnsafe` replaces. */
const PLAIN = /^[\0-\x7e]*$/;

let unsafe: RegExp | undefined;

/**
 * Replaces each unsafe character with the result of `escapeOne`. Creates the pattern at its first use, because creating it takes half a
 * millisecond and most responses are ASCII, which needs no pattern.
 */
function replaceUnsafe(text: string, escapeOne: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  // C0 controls and lone surrogates are not included: JSON.stringify escapes those itself.
  unsafe ??= new RegExp(`[${UNSAFE_CHARACTER_CLASS}]`, 'gv');
  return text.replace(unsafe, escapeOne);
}

/** Maximum depth of arrays and objects in a response. JSON.parse accepts more levels than JSON.stringify can write. */
export const MAX_JSON_DEPTH = 256;

/** Reports whether arrays and objects in the value are nested more than `MAX_DEPTH` levels deep. */
export function isJsonTooDeep(value: Json): boolean {
  if (typeof value !== 'object' || value === null || isFlat(value)) return false;
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

/** Reports whether the value holds no arrays or objects. This is the fast path: most rows are flat, and there are many rows. */
function isFlat(value: object): boolean {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) return false;
  return true;
}

function childrenOf(value: Json): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const children: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return children.filter((child) => typeof child === 'object' && child !== null);
}
