/**
 * Returns code with an escape for each character that is not ASCII. A single such character would make V8 store the whole file with two
 * octets for each character, and decode it at every start. Such characters occur only in strings, templates and patterns.
 */
export const inAscii = (code) => code.replaceAll(NOT_ASCII, escapeOf);

/** Returns the segments of a source map for a line after `inAscii`. */
export function segmentsInAscii(line, segments) {
  const places = [...line.matchAll(NOT_ASCII)].map(({ index }) => index);
  if (places.length === 0) return segments;
  return segments.map(([column, ...rest]) => [
    column + ADDED * places.filter((place) => place < column).length,
    ...rest,
  ]);
}

const NOT_ASCII = /[^\0-\x7f]/g;
const escapeOf = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** Number of characters by which an escape is longer than its character. */
const ADDED = 5;
