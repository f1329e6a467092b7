/** Texts of any characters, for random tests. */
import fc from 'fast-check';

/**
 * Returns texts as `fc.string({ unit: 'binary' })` does, including dangerous names such as `__proto__`. fast-check's own unit keeps a map
 * of all 1,112,064 characters in memory, which takes 85 MB and a second in each worker.
 */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...constraints, unit: character });

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10ffff - SURROGATES;

/** Generates every code point except surrogates. */
const character = fc.nat({ max: LAST }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (value) => indexOf(value),
);

/** @throws Error for a value that is not one character, as fast-check requires of an unmapper */
function indexOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== value) throw new Error('not one character');
  if (code < FIRST_SURROGATE) return code;
  if (code < FIRST_SURROGATE + SURROGATES) throw new Error('a surrogate is no character');
  return code - SURROGATES;
}
