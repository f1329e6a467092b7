/** JSON as it may stand on a terminal, and no deeper than it can be written. */
import type { Json } from '../../protocol/envelope.ts';

/**
 * Writes what a terminal would obey or reorder, and JSON leaves as it is (DEL, C1, bidi controls, separators), as
 * `\uXXXX`: the same JSON value.
 */
export function escapeJson(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// As in text/terminal.ts, without C0 and lone surrogates: JSON.stringify escapes those itself.
const UNSAFE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Levels of arrays and objects in an answer that are taken; JSON.parse takes more than JSON.stringify can write. */
export const MAX_DEPTH = 256;

export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function childrenOf(value: Json): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const children: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return children.filter((child) => typeof child === 'object' && child !== null);
}
