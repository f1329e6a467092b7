/** The JSON Canonicalization Scheme (RFC 8785): one text for one value, which a digest can be taken of. */

/**
 * Members sorted by the UTF-16 units of their names, numbers and strings as ECMAScript writes them, no blanks.
 * @param value JSON, nested no deeper than a call stack
 * @throws RangeError for what has no canonical form: a number that is none or endless, half of a surrogate pair, `undefined`,
 *   a bigint
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      // RFC 8785, section 3.2.2.3. -0 is written as 0.
      if (!Number.isFinite(value)) throw new RangeError(`${value} is no number of JSON`);
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
      throw new RangeError(`a value of type ${typeof value} is no JSON`);
  }
}

/** Section 3.2.3: by the units of UTF-16, which is how ECMAScript compares strings. */
export const sortedEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** Section 3.2.2.2: escaped as JSON.stringify does; half of a surrogate pair is an error. */
function canonicalString(text: string): string {
  if (/\p{Cs}/u.test(text)) throw new RangeError('a text holds half of a surrogate pair');
  return JSON.stringify(text);
}
