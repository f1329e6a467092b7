/** Implements the JSON Canonicalization Scheme (RFC 8785): each value has exactly one text, so that equal values have equal digests. */

/**
 * Returns the canonical JSON text of a value. Members are sorted by the UTF-16 units of their names. Numbers and strings are written as in
 * ECMAScript, without white space.
 * @param value JSON that is not nested deeper than the call stack allows
 * @throws RangeError for a value without a canonical form: NaN, infinity, a lone surrogate, `undefined`, a bigint
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      // RFC 8785, section 3.2.2.3. -0 is written as 0.
      if (!Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
      return `{${sortedEntries(value)
        .map(([name, each]) => `${canonicalString(name)}:${canonicalJson(each)}`)
        .join(',')}}`;
    default:
      throw new RangeError(`a value of type ${typeof value} cannot be written as JSON`);
  }
}

/** Returns the members, sorted by the UTF-16 units of their names, as ECMAScript compares strings (RFC 8785, section 3.2.3). */
export const sortedEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** Returns the text as JSON.stringify escapes it. @throws RangeError for a lone surrogate (RFC 8785, section 3.2.2.2) */
function canonicalString(text: string): string {
  if (/\p{Cs}/u.test(text)) throw new RangeError('the text contains half of a Unicode surrogate pair');
  return JSON.stringify(text);
}
