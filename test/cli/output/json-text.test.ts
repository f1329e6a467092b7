/** Contract, "Output": JSON values stay equal, and nothing hidden reaches a terminal (also inside JSON). */
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { escapeJson } from '../../../src/cli/output/json-text.ts';
import { yamlText } from '../../../src/cli/output/yaml.ts';

describe.each([
  ['a soft hyphen', 'so\xadft', '\\u00ad'],
  ['U+180E', 'a\u180eb', '\\u180e'],
  ['a zero-width space', 'a\u200bb', '\\u200b'],
  ['a byte order mark', 'a\ufeffb', '\\ufeff'],
  ['tags', 'Sale\u{e0041}', '\\udb40\\udc41'],
  ['an override', 'a\u202eb', '\\u202e'],
])('%s', (_, text, escaped) => {
  it('is escaped in JSON, names of attributes included, to the same value', () => {
    const value = { [text]: [text] };
    const shown = escapeJson(JSON.stringify(value));
    expect(shown.split(escaped)).toHaveLength(3);
    expect(JSON.parse(shown)).toEqual(value);
  });

  it('is escaped in YAML, which knows no pairs of surrogates', () => {
    const shown = yamlText({ name: text });
    expect(shown).not.toContain(text);
    expect(shown).not.toContain('\\ud');
    expect(parseYaml(shown)).toEqual({ name: text });
  });
});

it('emoji, joiners and variants of ideographs stay as they are', () => {
  const text = JSON.stringify('👩‍👩‍👧 ❤️ 葛\u{e0100} می‌خواهم');
  expect(escapeJson(text)).toBe(text);
});
