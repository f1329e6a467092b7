/**
 * Whether dynamic content (src/service/protocol/README.md, "Dynamic content") can change the tags of HTML, so that some people get a text that the
 * HTML itself hides.
 */
import { describe, expect, it } from 'vitest';
import { parseContent, renderContent } from '../../src/kit/text/dynamic-content.ts';
import { hasDynamicMarkup } from '../../src/kit/text/dynamic-markup.ts';
import { visibleText } from '../../src/kit/text/html-tokens.ts';

/** Hides a text from everybody who reads the HTML itself, and shows it to people with or without an e-mail address. */
const HIDING = [
  '<!-- --{% if email %}>{% endif %} EVIL -->',
  '<!--{{ msisdn }}> EVIL -->',
  '{% if email %}<!--{% endif %} EVIL {% if email %}-->{% endif %}',
  '{% if field.A == "%}<!--" %}{% endif %} EVIL -->',
  `{% if field.A == "${'x'.repeat(1100)}<!--" %}{% endif %} EVIL -->`,
  '<{{ msisdn }}p title="<!-- "> EVIL <!-- -->',
  '{% if email %}<p title="{% else %}">{% endif %}<!-- "> EVIL -->',
  '<style></{{ msisdn }}style> EVIL </style>',
] as const;

const MORE = [
  '{% if email %}<textarea>{% endif %}<!-- x</textarea> y -->',
  '<p {% if email %}title="{% endif %} x">',
  '<a href={{ email }}>y</a>',
  '<p {{ email }}>y</p>',
  '<p title="{% if email %}">{% endif %}<p title="y">',
  '<!--[if mso]><{{ email }}p title="<!-- "> EVIL <!-- <![endif]-->',
  '<!--[if mso]>{% if email %}<![endif]-->y{% endif %}',
  '<title>{% if email %}</title>{% endif %}',
];

const UNCHANGED = [
  'Hello',
  '{{ email }}',
  '<p>Dear {{ field["First name"] | there }},</p>',
  '<p>{% if field.City == "Paris" %}<b>Bonjour</b>{% elif email %}<table><tr><td>Hi</table>{% else %}Hello{% endif %}</p>',
  '<a href="https://a.example/{{ field["City"] }}" title=\'{{ email }}\'>y</a>',
  '<a href="https://{% if email %}a{% else %}b{% endif %}.example">y</a>',
  '<title>{{ email }}</title><style>p { color: {{ field.Color }} }</style>',
  '<!-- for {{ email }} -->',
  '<!--[if mso]><p>Dear {{ email }}</p><![endif]-->',
  '{% if email %}<!-- a -->{% endif %}',
  'a { b } and {c}',
];

it.each([...HIDING, ...MORE])('%s: the tags depend on the person', (html) => {
  expect(hasDynamicMarkup(html)).toBe(true);
});

it.each(UNCHANGED)('%s: everybody gets the same tags', (html) => {
  expect(hasDynamicMarkup(html)).toBe(false);
});

// Shows that the ways above do hide a text.
describe.each(HIDING)('%s', (html) => {
  it('shows a text to some people that the HTML itself hides', () => {
    const parsed = parseContent(html);
    if (!parsed.ok) throw new Error(parsed.problem);
    const people = ['', 'a@a.example'].map((email) =>
      visibleText(renderContent(parsed.nodes, (name) => (name === 'email' ? email : ''))),
    );
    expect(visibleText(html)).not.toContain('EVIL');
    expect(people.some((text) => text.includes('EVIL'))).toBe(true);
  });
});
