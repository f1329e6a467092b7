/** Contract, "Output": JSON values stay equal, and no hidden character reaches a terminal, not even inside JSON. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { escapeUnsafeCharactersInJson } from '../../../src/cli/output/json.ts';
import { isJsonTooDeep, MAX_JSON_DEPTH } from '../../../src/cli/output/view.ts';
import { formatYamlText } from '../../../src/cli/output/yaml.ts';
import type { Json } from '../../../src/service/protocol/envelope.ts';

describe.each([
  ['a soft hyphen', 'so\xadft', '\\u00ad'],
  ['U+180E', 'a\u180eb', '\\u180e'],
  ['a zero-width space', 'a\u200bb', '\\u200b'],
  ['a byte order mark', 'a\ufeffb', '\\ufeff'],
  ['tags', 'Sale\u{e0041}', '\\udb40\\udc41'],
  ['an override', 'a\u202eb', '\\u202e'],
])('%s', (_, text, escaped) => {
  it('is escaped in JSON, including names of attributes, and reads back as the same value', () => {
    const value = { [text]: [text] };
    const shown = escapeUnsafeCharactersInJson(JSON.stringify(value));
    expect(shown.split(escaped)).toHaveLength(3);
    expect(JSON.parse(shown)).toEqual(value);
  });

  it('is escaped in YAML, which has no surrogate pairs', () => {
    const shown = formatYamlText({ name: text });
    expect(shown).not.toContain(text);
    expect(shown).not.toContain('\\ud');
    expect(parseYaml(shown)).toEqual({ name: text });
  });
});

it('keeps emoji, joiners and variants of ideographs', () => {
  const text = JSON.stringify('👩‍👩‍👧 ❤️ 葛\u{e0100} می‌خواهم');
  expect(escapeUnsafeCharactersInJson(text)).toBe(text);
});

it('rejects flat and nested rows with more levels than can be written', () => {
  const depthOf = (value: Json): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...(Object.values(value) as readonly Json[]).map(depthOf))
      : 0;
  const inner = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(
      inner,
      fc.integer({ min: 0, max: MAX_JSON_DEPTH + 4 }),
      fc.boolean(),
      (value, levels, inRow) => {
        let nested: Json = value;
        for (let level = 0; level < levels; level += 1)
          nested = level % 2 === 0 ? [nested] : { a: 1, nested };
        const row: Json = inRow ? { id: 1, __proto__: null, nested } : nested;
        expect(isJsonTooDeep(row)).toBe(depthOf(row) - 1 > MAX_JSON_DEPTH);
      },
    ),
  );
});
