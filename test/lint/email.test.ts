/**
 * Each rule of `email lint` with texts that it must find and texts that it must not find. Interface, emailMessage, 'Content rules';
 * contract, "Insight".
 */
import { describe, expect, it } from 'vitest';
import { DEFAULT_CONTENT_MARKUP_NAMES } from '../../src/kit/schema/resource.ts';
import { MAX_FINDINGS_PER_RULE } from '../../src/service/lint/drafts.ts';
import { lintEmail } from '../../src/service/lint/email.ts';
import { EMAIL_LINT_RULE_TABLE, type EmailLintRuleName } from '../../src/service/lint/email-rules.ts';
import type { ContentOrigin, MessageContent } from '../../src/service/lint/finding.ts';

/** A message without any finding. */
const GOOD = {
  fromemail: 'news@harbourcoffee.example',
  fromname: 'Harbour Coffee',
  replyemail: 'office@harbourcoffee.example',
  subject: 'Spring sale starts today',
  html:
    '<!doctype html><html lang="en"><head><title>Spring</title></head><body><h1>Spring offer</h1>' +
    '<p>Dear {{ field.Name | friend }}, <a href="https://harbourcoffee.example/spring">it is here</a>.</p>' +
    '<p>Harbour Coffee, 1 Quay Street, Bristol BS1 4XX. <a href="https://harbourcoffee.example/off">Unsubscribe</a></p>' +
    '</body></html>',
  text:
    'It is here: https://harbourcoffee.example/spring\n' +
    'Harbour Coffee, 1 Quay Street, Bristol BS1 4XX\nUnsubscribe: https://harbourcoffee.example/off\n',
} as const;

/** A service that adds no footer, so a message needs its own. */
const NO_FOOTER = { ...DEFAULT_CONTENT_MARKUP_NAMES, footer: 'none' } as const;
const ORIGIN: ContentOrigin = { files: {}, stored: new Set(), words: NO_FOOTER };

const lint = (more: MessageContent, origin: Partial<ContentOrigin> = {}) =>
  lintEmail({ ...GOOD, ...more }, { ...ORIGIN, ...origin });
/** Returns the good message with this text in its body. */
const body = (html: string): MessageContent => ({ html: GOOD.html.replace('</body>', `${html}</body>`) });
const head = (html: string): MessageContent => ({ html: GOOD.html.replace('</head>', `${html}</head>`) });
const text = (more: string): MessageContent => ({ text: `${GOOD.text}${more}` });
const link = (href: string, words = 'Here'): MessageContent => body(`<a href="${href}">${words}</a>`);
const style = (css: string): MessageContent => head(`<style>${css}</style>`);

type Case = readonly [content: MessageContent, origin?: Partial<ContentOrigin>];

const OPT_IN = '<svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>';
const OPT_IN_TEXT = '<svc_name value="optin" alt="">';
const ADDRESS = { postalAddress: '1 Quay Street\nBristol BS1 4XX', stored: new Set(['html', 'text']) };

const CASES: Readonly<
  Record<EmailLintRuleName, { readonly finds: readonly Case[]; readonly passes: readonly Case[] }>
> = {
  'not-windows-1252': {
    finds: [[{ subject: 'Now → here' }], [body('<p>Ω</p>')], [text('✓')]],
    // Every character of Windows-1252, a reference, which is ASCII, and a sender's name: only html, text and subject are converted.
    passes: [
      [{ subject: 'Žena – “café” €5 • ™' }],
      [body('<p>&#8594; &Omega;</p>')],
      [{ fromname: 'Žluťoučký 日本' }],
    ],
  },
  'long-text-line': {
    finds: [[text('x'.repeat(999))], [text(`${'é'.repeat(999)}\n`)]],
    passes: [[text(`${'x'.repeat(998)}\n`)], [text('é'.repeat(998))], [body(`<p>${'x '.repeat(900)}</p>`)]],
  },
  'dynamic-content': {
    finds: [[body('{{ firstname }}')], [{ subject: '{% if field.City %}Paris' }], [text('{{ email')]],
    passes: [
      [body('{{ email }} {% if field.City == "Paris" %}A{% else %}B{% endif %}')],
      [text('{ x } } {')],
    ],
  },
  'opt-in-element': {
    finds: [
      [{ customoptin: true }],
      [{ customoptin: true, ...body(OPT_IN) }],
      [{ customoptin: true, ...text(OPT_IN_TEXT) }],
    ],
    passes: [[{ customoptin: true, ...body(OPT_IN), ...text(OPT_IN_TEXT) }], [{ customoptin: false }]],
  },
  sender: {
    finds: [[{ fromemail: 'Harbour Coffee' }], [{ replyemail: 'office@' }], [{ fromname: ' ' }]],
    // fromemail may be null (interface, emailMessage).
    passes: [[{ fromemail: null }], [{ fromname: 'A' }]],
  },
  'invalid-value': {
    finds: [[{ editor: 9 }], [{ subject: 'One\nTwo' }], [{ nosuch: 1 }], [text('\u0000')]],
    passes: [[{ editor: 4, galinkdata: true, tracktextlinks: null }]],
  },
  'empty-part': {
    finds: [
      [{ subject: ' ' }],
      [{ html: '<html lang="en"><title>x</title><body> </body></html>' }],
      [{ text: '\n' }],
    ],
    passes: [[{ html: '<img src="https://a.example/a.png" alt="">' }]],
  },
  'local-address': {
    finds: [
      'http://localhost:3000/x',
      'https://127.0.0.1/',
      'https://192.168.1.4/',
      'https://[::1]/',
      'file:///tmp/a.html',
      'https://intranet/',
      'https://build.local/',
    ]
      .map((href): Case => [link(href)])
      .concat([[body('<img src="C:\\pictures\\cup.png" alt="Cup">')], [text('http://localhost/x')]])
      .concat([
        [{}, { stored: new Set(['html']), targets: [{ part: 'html', target: 'http://localhost/' }] }],
      ]),
    passes: [
      ...['https://localhost.example/', 'https://172.32.0.1/', 'https://{{ field.Shop }}.example/'].map(
        (href): Case => [link(href)],
      ),
      // A tracking address of a sandbox: what counts is where it leads.
      [
        link('http://127.0.0.1:4010/t/c/1'),
        { stored: new Set(['html']), targets: [{ part: 'html', target: 'https://a.example/' }] },
      ],
      [{}, { targets: [{ part: 'html', target: 'http://localhost/' }] }],
    ],
  },
  'relative-address': {
    finds: [
      [link('/spring')],
      [link('spring.html')],
      [link('//cdn.example/x')],
      [body('<img src="cup.png" alt="Cup">')],
    ],
    passes: [
      [link('mailto:office@example.com')],
      [link('tel:+44')],
      [link('{{ field.Page }}')],
      [link('%svc_unsubscribe%')],
      [link('#top')],
    ],
  },
  'unfilled-placeholder': {
    finds: [
      ...[
        'Dear [NAME],',
        'Dear [First name],',
        '[insert offer here]',
        '*|FNAME|*',
        '%%firstname%%',
        ['$', '{name}'].join(''),
        '[[name]]',
        'Lorem ipsum dolor',
        'TODO: price',
        'From TBD',
      ].map((words): Case => [text(words)]),
      [{ subject: 'Hello [NAME]' }],
      [body('<p>Dear [First\nname],</p>')],
      [body('<p>Lorem <b>ipsum</b> dolor sit amet</p>')],
      [body('<img src="https://a.example/a.png" alt="[PLACEHOLDER]">')],
      [{ fromname: '[Company name]' }],
    ],
    passes: [
      // Spanish for "all"; a prefix of a subject; the price of two things; a comment that is never shown.
      ...[
        'Descuento en TODO',
        '[UPDATE] News',
        '[1] and [2]',
        'Save 50% on all, 20% on tea',
        'Tbd is a town',
      ].map((words): Case => [text(words)]),
      [body('<!-- TODO: check [NAME] -->')],
      [body('<p>{{ field.Name | there }}</p>')],
    ],
  },
  'wrong-encoding': {
    finds: [[body('<p>CafÃ© crÃ¨me</p>')], [text('Itâ€™s here')], [{ subject: 'Now Â£5' }]],
    passes: [[text('Café crème, it’s £5 – Â la carte, SÃO PAULO, “Ãh”')]],
  },
  'no-text-part': {
    finds: [[{ text: null }]],
    passes: [[{ html: null }]],
  },
  'no-unsubscribe': {
    finds: [[{ html: GOOD.html.replace('Unsubscribe', 'More') }], [{ text: 'Hello' }]],
    passes: [
      ...['Abmelden', 'Se désabonner', 'Darse de baja', 'Opt out', 'Afmelden', 'Annulla l’iscrizione'].map(
        (words): Case => [{ text: words }],
      ),
      [{ html: GOOD.html.replace('Unsubscribe', 'Leave').replace('/off', '/unsubscribe?x=1') }],
      [{ customoptin: true, html: OPT_IN, text: OPT_IN_TEXT }],
    ],
  },
  'no-postal-address': {
    finds: [
      [{ html: '<p>Unsubscribe</p>' }, ADDRESS],
      [{ text: 'Unsubscribe. 1 Quay' }, ADDRESS],
    ],
    // The address in another spelling; an account without an address; an account that svc did not read.
    passes: [
      [text('QUAY STREET 1, BS1 4XX Bristol'), ADDRESS],
      [{ text: 'Unsubscribe' }, { postalAddress: '' }],
      [{ text: 'Unsubscribe' }],
    ],
  },
  'shouting-subject': {
    finds: [[{ subject: 'BUY NOW TODAY' }], [{ subject: 'Sale!!' }], [{ subject: 'One! Two! Three!' }]],
    passes: [
      [{ subject: 'NATO' }],
      [{ subject: 'Sale!' }],
      [{ subject: '2026: 100%' }],
      [{ subject: 'For {{ field.NAME }}' }],
    ],
  },
  'image-without-alt': {
    finds: [[body('<img src="https://a.example/a.png">')]],
    passes: [
      [body('<img src="https://a.example/a.png" alt="">')],
      [body('<!-- <img src="https://a.example/a.png"> -->')],
    ],
  },
  'empty-link': {
    finds: [
      [link('')],
      [link('#')],
      [body('<a>Here</a>')],
      [link('https://a.example/1', '')],
      [link('https://a.example/1', '<img src="https://a.example/a.png" alt="">')],
    ],
    passes: [
      [link('https://a.example/1', '<img src="https://a.example/a.png" alt="Shop">')],
      [body('<a name="top"></a>')],
    ],
  },
  'misleading-link': {
    finds: [
      [link('https://b.example/', 'www.a.example')],
      [link('https://b.example/', 'https://a.example/x')],
    ],
    passes: [
      [link('https://www.a.example/', 'a.example')],
      [link('https://a.example/x', 'a.example/x')],
      [link('https://b.example/', 'Version 1.2')],
    ],
  },
  'plain-http': {
    finds: [
      [link('http://a.example/')],
      [body('<img src="http://a.example/a.png" alt="A">')],
      [text('http://a.example/')],
    ],
    passes: [
      [link('https://a.example/?next=http://b.example/')],
      [head('<meta content="http://a.example/">')],
    ],
  },
  'active-content': {
    finds: [
      [body('<script>1</script>')],
      [body('<iframe src="https://a.example/"></iframe>')],
      [link('javascript:alert(1)')],
      [body('<p onclick="x()">A</p>')],
    ],
    passes: [[body('<p>&lt;script&gt; onclick="x()"</p>')]],
  },
  'html-syntax': {
    finds: [
      [body('<div>A')],
      [body('A</table>')],
      [body('<a href="https://a.example/x"title="A">A</a>')],
      [body('<!-- hidden')],
      [body('5 <3 6')],
    ],
    passes: [
      // End tags that HTML allows to omit, and conditional comments of Outlook.
      [body('<p>A<p>B<ul><li>C<li>D</ul><br/>')],
      [body('<!--[if mso]><table><tr><td><![endif]-->A<!--[if mso]></td></tr></table><![endif]-->')],
      [body('<![if !mso]><p>A</p><![endif]>')],
      // One branch opens the element that both branches close.
      [body('{% if field.A %}<div class="a">{% else %}<div>{% endif %}A</div>')],
      [body('<a href="https://a.example/{{ field["City"] }}">A</a>')],
    ],
  },
  // Second attack H3: mail programs differ in what they show of these.
  'text-in-head': {
    finds: [
      [head('<p>Call us</p>')],
      [head('Call us')],
      [head('<img src="https://a.example/a.png" alt="Call">')],
      [head('<noscript>Call us</noscript>')],
      [body('<head><p>Call us</p></head>')],
      [{ html: '<html lang="en"><head><title>Spring</title><p>Call us' }],
    ],
    passes: [
      [head('<meta charset="utf-8"><!-- Call us --><style>p{color:red}</style><script>1</script>')],
      [head('<!--[if mso]><xml><o:PixelsPerInch>96</o:PixelsPerInch></xml><![endif]-->')],
      [head('{% if field.City %}<style>p{color:red}</style>{% endif %}')],
      [{ html: '<title>Spring</title><p>Unsubscribe' }],
    ],
  },
  'reader-dependent': {
    finds: [
      [style('p::after { content: "Call us" }')],
      [style('p::after { c\\6f ntent: attr(data-x) }')],
      [body(`<p style='list-style: "Call"'>A</p>`)],
      [body('<!--[if mso]><p>Call us</p><![endif]-->')],
      [body('<!--[if mso]><v:rect href="https://a.example/1"></v:rect><![endif]-->')],
      [body('<![if !mso]><p>Call us</p><![endif]>')],
      [body('<!--[if !mso]><!--><p>Call us</p><!--<![endif]-->')],
      [body('<input value="Card number">')],
      [body('<textarea></textarea>')],
      [body('<svg><text>Call us</text></svg>')],
      [body('<!-- x --!><p>A</p>')],
      [body('<!--><p>A</p>')],
      [body('<![CDATA[ A ]]>')],
      [body(`${'<div>'.repeat(201)}A${'</div>'.repeat(201)}`)],
      [body('<head></head><p>A</p>')],
    ],
    passes: [
      [style('a::before { content: "» " } p { font-family: "Open Sans", Arial; quotes: "„" "“" }')],
      [
        style(
          '@font-face { font-family: "Open Sans"; src: local("Open Sans"), url("https://a.example/f.woff") }',
        ),
      ],
      [body('<!-- Header --><p>A</p>')],
      [body('<!--[if mso]><table><tr><td><![endif]--><p>A</p><!--[if mso]></td></tr></table><![endif]-->')],
      [body('<!--[if !mso]><!--><br><!--<![endif]-->')],
      [body('<input type="hidden" name="a" value="b">')],
      [body('<svg><path d="M0 0"/></svg>')],
      [body(`${'<div>'.repeat(190)}A${'</div>'.repeat(190)}`)],
      [body('<br>'.repeat(500))],
    ],
  },
  'large-html': {
    finds: [[body(`<p>${'x'.repeat(102 * 1024)}</p>`)]],
    // The size counts Windows-1252, not UTF-8.
    passes: [[body(`<p>${'é'.repeat(100 * 1024)}</p>`)]],
  },
  'unrendered-html': {
    finds: [
      [body('<video src="https://a.example/v.mp4"></video>')],
      [body('<img src="https://a.example/a.svg?x=1" alt="A">')],
      [head('<link rel="stylesheet" href="https://a.example/a.css">')],
      [body('<img src="data:image/png;base64,AA" alt="A">')],
    ],
    passes: [
      [body('<img src="https://a.example/a.png?as=.svg" alt="A">')],
      [head('<link rel="icon" href="https://a.example/a.ico">')],
    ],
  },
  'unrendered-css': {
    finds: [
      [style('.a { color: red; display: flex }')],
      [style('@import "a.css";')],
      [style('p { width: calc(100% - 2px) }')],
      [body('<p style="position:absolute">A</p>')],
      [style('@media screen { a { -webkit-transform: none } }')],
    ],
    passes: [
      [style('/* display: flex */ .flex:hover { display: block; content: "display: flex;" }')],
      [body('<p style="color: red">display: flex</p>')],
      [body('<p style="position: static">A</p>')],
    ],
  },
  'long-subject': {
    finds: [[{ subject: `${'word '.repeat(12)}.` }]],
    passes: [
      [{ subject: `${'word '.repeat(11)}.` }],
      [{ subject: `${'word '.repeat(10)}{{ field["A long name"] | "x" }}` }],
    ],
  },
  'duplicate-link': {
    finds: [[body('<a href="https://a.example/1">A</a><a href="https://a.example/1">B</a>')]],
    passes: [
      [body('<a href="https://a.example/1">A</a><a href="https://a.example/2">B</a>')],
      [body('<a href="mailto:a@a.example">A</a><a href="mailto:a@a.example">B</a>')],
    ],
  },
  'no-language': {
    finds: [[{ html: GOOD.html.replace(' lang="en"', '') }], [{ html: '<p>Unsubscribe</p>' }]],
    passes: [[{ html: GOOD.html.replace('"en"', "'de-AT'") }]],
  },
  'no-title': {
    finds: [[{ html: GOOD.html.replace('Spring</title>', '</title>') }], [{ html: '<p>Unsubscribe</p>' }]],
    passes: [[{ html: GOOD.html.replace('<title>', '<title lang="en">') }]],
  },
};

it('finds nothing in a correct message', () => {
  expect(lint({})).toEqual([]);
  expect(lint({}, ADDRESS)).toEqual([]);
});

describe.each(Object.entries(CASES))('%s', (rule, { finds, passes }) => {
  it.each(finds.map(([content, origin]) => ({ content, origin })))(
    'reports its text %#',
    ({ content, origin }) => {
      const found = lint(content, origin).filter((each) => each.rule === rule);
      expect(found.length).toBeGreaterThan(0);
      for (const each of found) {
        expect(each.severity).toBe(EMAIL_LINT_RULE_TABLE[rule as EmailLintRuleName].severity);
        // A whole sentence.
        expect(each.message).toMatch(/^[\p{Lu}\p{N}<@]?.*\.$/u);
      }
    },
  );

  it.each(passes.map(([content, origin]) => ({ content, origin })))(
    'reports nothing for text %#',
    ({ content, origin }) => {
      expect(lint(content, origin).filter((each) => each.rule === rule)).toEqual([]);
    },
  );
});

describe('the place of a finding', () => {
  it('is a line and a column of characters, in the named file', () => {
    const html = '<p>Unsubscribe</p>\n<p>😀 <img src="https://a.example/a.png"></p>';
    const found = lintEmail({ html }, { ...ORIGIN, files: { html: 'sale.html' } });
    expect(found.find(({ rule }) => rule === 'image-without-alt')).toEqual({
      rule: 'image-without-alt',
      severity: 'warning',
      message: 'The image “https://a.example/a.png” has no alt text.',
      file: 'sale.html',
      line: 2,
      column: 6,
      instead: 'Add alt="…" with a description, or alt="" for decoration.',
    });
    expect(found.find(({ rule }) => rule === 'not-windows-1252')).toMatchObject({ line: 2, column: 4 });
  });

  it('has no file if the content came from a flag or the service, and no line without a place', () => {
    expect(lint({ text: 'Unsubscribe http://a.example/' })).toEqual([
      expect.objectContaining({ file: null, line: 1, column: 13 }),
    ]);
    expect(lint({ replyemail: 'x' })).toEqual([
      expect.objectContaining({ file: null, line: null, column: null }),
    ]);
  });

  it.each([
    ['a line end of CR LF', 'One\r\nTwo http://a.example/ Unsubscribe', 2, 5],
    ['entities before it', undefined, 1, 36],
  ])('is not moved by %s', (_, words, line, column) => {
    const content =
      words === undefined ? { html: '<p>&eacute;&nbsp;&amp;Unsubscribe: [NAME]</p>' } : { text: words };
    const [found] = lintEmail({ ...content }, ORIGIN).filter(({ rule }) =>
      /plain-http|placeholder/.test(rule),
    );
    expect(found).toMatchObject({ line, column });
  });
});

it('sorts errors first, then warnings, and each by place', () => {
  const found = lint(body('<img src="a.png"><a href="/x">[NAME]</a>'));
  expect(found.map(({ rule }) => rule)).toEqual([
    ...['relative-address', 'relative-address', 'image-without-alt', 'unfilled-placeholder'],
  ]);
});

it('counts findings of a rule beyond the first fifty', () => {
  const found = lint(body('<img src="https://a.example/a.png">'.repeat(MAX_FINDINGS_PER_RULE + 3)));
  expect(found).toHaveLength(MAX_FINDINGS_PER_RULE + 1);
  expect(found.at(-1)).toMatchObject({
    rule: 'image-without-alt',
    message: '3 more findings of this rule are not listed.',
  });
});

it('counts hundreds of thousands of findings', () => {
  const found = lint(body('5 <3 '.repeat(200_000)));
  expect(found.at(-1)?.message).toBe('199950 more findings of this rule are not listed.');
});

// The replacement for a character that Windows-1252 lacks.
it.each([
  ['subject', '→', 'Use ->.'],
  ['html', '→', 'Use &#8594;, or ->.'],
  ['html', 'Ω', 'Use &#937;.'],
  ['text', 'ﬁ', 'Use fi.'],
  ['text', 'ā', 'Use a.'],
  ['text', 'e\u0301', 'Replace this accent and the letter before it with one character: é.'],
  ['text', '\u200b', 'Remove this invisible character.'],
  ['text', '\ufffd', null],
  ['text', '漢', null],
])('%s with %s: %s', (part, character, instead) => {
  const [found] = lint({ [part]: `Unsubscribe ${character}` }).filter(
    ({ rule }) => rule === 'not-windows-1252',
  );
  expect(found?.instead).toBe(instead);
});

describe('naming.footer: lint reports only elements that the service does not add', () => {
  const bare = { html: GOOD.html.replace(/<p>Harbour Coffee.*?<\/p>/, ''), text: 'It is here\n' };
  it.each([
    ['full', []],
    ['link', ['no-postal-address', 'no-postal-address']],
    ['none', ['no-unsubscribe', 'no-postal-address', 'no-unsubscribe', 'no-postal-address']],
  ] as const)('%s', (footer, rules) => {
    const found = lint(bare, { ...ADDRESS, words: { ...DEFAULT_CONTENT_MARKUP_NAMES, footer } });
    expect(found.map(({ rule }) => rule)).toEqual(rules);
  });

  it('names the part, and what to add', () => {
    const [link, address] = lint(bare, ADDRESS);
    expect([link?.message, link?.instead]).toEqual([
      'No unsubscribe link in the HTML.',
      'Add an unsubscribe link. Your profile says that the service adds no link (naming.footer: none).',
    ]);
    expect(address?.message).toBe(
      "The HTML does not contain the company's postal address, “1 Quay Street Bristol BS1 4XX”.",
    );
  });
});

// A deployment has its own words (wire, "Vendor names").
it("looks for opt-in elements by the deployment's names", () => {
  const words = {
    ...NO_FOOTER,
    optInTag: '%acme_optin%',
    linkElement: 'acme_link',
    nameElement: 'acme_name',
  };
  const found = lint({ customoptin: true, ...body(OPT_IN), ...text(OPT_IN_TEXT) }, { words });
  expect(found.map(({ instead }) => instead)).toEqual([
    expect.stringContaining('<acme_link value="%acme_optin%" name="opt-in">'),
    expect.stringContaining('<acme_name value="optin" alt="">'),
  ]);
});

// In a stored message, tracking addresses of the author look like those of the service.
it('does not report tracking addresses of a stored message', () => {
  const tracked = link('http://track.svc.example/t/c/1', 'a.example');
  expect(lint(tracked, { stored: new Set(['html']) })).toEqual([]);
});

it.each([
  ['tags that never end', '<a href="'.repeat(20_000)],
  ['elements that never close', '<div>'.repeat(20_000)],
  ['braces', '{{'.repeat(50_000)],
  ['braces of blocks', '{%'.repeat(50_000)],
  ['brackets', '[['.repeat(50_000)],
  ['percent signs', '%%a'.repeat(30_000)],
  ['styles', `<style>${'a{'.repeat(50_000)}</style>`],
])('is fast for any text: %s', (_, html) => {
  expect(Array.isArray(lintEmail({ html, text: html }, ORIGIN))).toBe(true);
});
