import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseContent, renderContent } from '../../src/kit/text/dynamic-content.ts';

const known: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  'field.City': 'Paris',
  'field.Post code': '75001',
  'field.Empty': '',
};

function render(text: string): string {
  const parsed = parseContent(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return renderContent(parsed.nodes, (name) => known[name]);
}

describe('personalisation: "html supports personalisation and dynamic content"', () => {
  it.each([
    ['Dear {{ email }}!', 'Dear ann@example.com!'],
    ['{{email}}', 'ann@example.com'],
    ['Hi {{ field.City | there }}', 'Hi Paris'],
    ['Hi {{ field.Name | there }}', 'Hi there'],
    ['Hi {{ field.Empty | there }}', 'Hi there'],
    ['Hi {{ field.Name | "  you " }}', 'Hi   you '],
    ['Hi {{ field.Name }}.', 'Hi .'],
    ['{{ field["Post code"] }}', '75001'],
    ["{{ msisdn | it's none }}", "it's none"],
    ['a { b } c }} %} %svc_optin% {', 'a { b } c }} %} %svc_optin% {'],
  ])('%s', (text, expected) => expect(render(text)).toBe(expected));

  it('escapes values and not the text around them', () => {
    const parsed = parseContent('<b>{{ field.Name | A & B }}</b>');
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(
      renderContent(
        parsed.nodes,
        () => undefined,
        (value) => value.replace('&', '&amp;'),
      ),
    ).toBe('<b>A &amp; B</b>');
  });
});

describe('dynamic content', () => {
  it.each([
    ['{% if field.City == "Paris" %}oui{% else %}no{% endif %}', 'oui'],
    ["{% if field.City == 'Rome' %}sì{% elif field.City == 'Paris' %}oui{% else %}no{% endif %}", 'oui'],
    ['{% if field.City != "Paris" %}no{% endif %}.', '.'],
    ['{% if field.Empty %}some{% else %}none{% endif %}', 'none'],
    ['{% if not field.Name %}who?{% endif %}', 'who?'],
    ['{% if email %}{% if field.City == "Paris" %}{{ email }}{% endif %}{% endif %}', 'ann@example.com'],
    ['{% if field.City == "50 %} off" %}a{% else %}b{% endif %}', 'b'],
  ])('%s', (text, expected) => expect(render(text)).toBe(expected));
});

describe('a syntax error names the problem and the place of the tag', () => {
  it.each([
    ['one\ntwo {{ email', '{{ is never closed', 2, 5],
    [
      '{{ colour }}',
      '{{ colour }} names neither email, msisdn nor field.NAME, as in {{ field.colour }}',
      1,
      1,
    ],
    ['{{ }}', '{{  }} names neither email, msisdn nor field.NAME', 1, 1],
    ['x{% if email %}y', '{% if %} has no {% endif %}', 1, 2],
    ['{% if %}y{% endif %}', '{% if  %} has no valid condition', 1, 1],
    ['{% if field.City == Paris %}y{% endif %}', '{% if field.City == Paris %} has no valid condition', 1, 1],
    ['{% else %}', '{% else %} without {% if %}', 1, 1],
    ['{% if email %}{% else %}{% elif email %}{% endif %}', '{% elif %} after {% else %}', 1, 25],
    ['{% if email %}{% else email %}{% endif %}', '{% else %} takes no condition', 1, 15],
    ['{% for x %}', '{% for x %} is not known', 1, 1],
    ['{% endif %}', '{% endif %} without {% if %}', 1, 1],
    ['{% if email %}'.repeat(33), '{% if %} is nested more than 32 deep', 1, 449],
  ])('%s', (text, problem, line, column) =>
    expect(parseContent(text)).toEqual({ ok: false, problem, line, column }),
  );
});

it('returns any text without tags unchanged', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes('{{') && !text.includes('{%'));
      expect(render(text)).toBe(text);
    }),
  );
});

it('reads any sequence of tags to its end', () => {
  const piece = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    ' if ',
    'email',
    ' else ',
    'endif',
    '"',
    "'",
    '\n',
    'x',
    ' == ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const parsed = parseContent(pieces.join(''));
      if (parsed.ok) renderContent(parsed.nodes, () => 'x');
      else expect([parsed.line >= 1, parsed.column >= 1]).toEqual([true, true]);
    }),
  );
});
