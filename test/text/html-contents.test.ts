/**
 * Everything that some mail program may show or open of an HTML message. Contract, "Campaigns as files"; second attack H3. The ways to hide
 * a text or an address are in test/support/hiding-html.ts, and the page of a plan is tested with each of them.
 */
import { describe, expect, it } from 'vitest';
import { readHtmlContents } from '../../src/kit/text/html-contents.ts';

const read = (html: string) => {
  const contents = readHtmlContents(html, {
    width: 68,
    optIn: { linkElement: 'svc_link', nameElement: 'svc_name' },
  });
  if (contents === undefined) throw new Error('the HTML has no tree');
  return contents;
};
const linesOf = (html: string) => read(html).lines;
const addressesOf = (html: string): readonly string[] =>
  read(html).addresses.map(
    ({ kind, address, opens }) => `${kind} ${address}${opens === undefined ? '' : ` = ${opens}`}`,
  );

describe('lines', () => {
  it('have the text of the message, and notes after the paragraph that they belong to', () => {
    const html = '<title>Spring</title><h1 title="A">One</h1><p>Ca<b title="B">ll</b> us</p><p>Two</p>';
    expect(linesOf(html)).toEqual([
      { kind: 'attribute', name: 'page title', text: 'Spring' },
      'One',
      '===',
      { kind: 'attribute', name: 'title', text: 'A' },
      '',
      'Call us',
      { kind: 'attribute', name: 'title', text: 'B' },
      '',
      'Two',
    ]);
  });

  it('name a text of an attribute once', () => {
    expect(
      linesOf('<p title="A">x</p><p title="A">y</p>').filter((line) => typeof line !== 'string'),
    ).toHaveLength(1);
  });

  it('keep personalisation unchanged', () => {
    expect(
      linesOf('<p title="{{ field["A b"] }}">{% if email %}Dear {{ field["A b"] | "you" }}{% endif %}</p>'),
    ).toEqual([
      '{% if email %}Dear {{ field["A b"] | "you" }}{% endif %}',
      { kind: 'attribute', name: 'title', text: '{{ field["A b"] }}' },
    ]);
  });

  it.each([
    ['<!--[if mso]><p>A</p><![endif]-->', 'mso'],
    ['<!--[if (gte mso 9)|(IE)]>A<![endif]-->', '(gte mso 9)|(IE)'],
    ['<!-- [if mso]>A<![endif]-->', 'mso'],
    ['<!--[IF mso ]>A<![ENDIF]-->', 'mso'],
    ['<!--[if mso]>A-->', 'mso'],
  ])('of a conditional comment name its condition: %s', (html, condition) => {
    expect(linesOf(html)).toEqual([{ kind: 'part', part: { kind: 'conditional', condition }, lines: ['A'] }]);
  });

  it.each([
    '<![if !mso]><p>A</p><![endif]>',
    '<!--[if !mso]><!--><p>A</p><!--<![endif]-->',
    '<!--[if !mso]>--><p>A</p><!--<![endif]-->',
  ])('have what some programs leave out, and name its condition: %s', (html) => {
    expect(linesOf(`${html}<p>B</p>`)).toEqual([
      'A',
      { kind: 'optional', condition: '!mso', text: 'A' },
      '',
      'B',
    ]);
  });

  it.each([
    '<!-- Header -->',
    '<!--[if mso]><table><tr><td><![endif]-->',
    '<!--[if !mso]><!--><!--<![endif]-->',
    '<meta name="viewport" content="width=device-width"><meta charset="utf-8">',
    '<script>call("us")</script>',
    '<style>p { color: red }</style>',
  ])('have nothing of %s', (html) => {
    expect(linesOf(html)).toEqual([]);
    expect(read(html).styleTexts).toEqual([]);
  });

  it('have parts in parts, and deep ones as they are written', () => {
    expect(linesOf('<!--[if mso]><iframe srcdoc="&lt;p&gt;A"></iframe><![endif]-->')).toEqual([
      {
        kind: 'part',
        part: { kind: 'conditional', condition: 'mso' },
        lines: [{ kind: 'part', part: { kind: 'embedded' }, lines: ['A'] }],
      },
    ]);
    expect(JSON.stringify(linesOf(`${'<!--[if a]>'.repeat(40)}<p>A</p>-->`))).toContain('[if a]><p>A</p>');
  });

  it('of older browsers are there if a list of options has tags', () => {
    expect(linesOf('<select><style>Call us</style></select>')).toEqual([
      { kind: 'part', part: { kind: 'older' }, lines: ['Call us'] },
    ]);
  });
});

describe('addresses', () => {
  it.each([
    ['<a href=" https://a.example/1 ">x</a>', ['link https://a.example/1']],
    ['<area href="https://a.example/1">', ['link https://a.example/1']],
    ['<svg><a xlink:href="https://a.example/1"/></svg>', ['link https://a.example/1']],
    ['<a href="mailto:a@a.example">x</a>', ['link mailto:a@a.example']],
    [
      '<form action="https://a.example/1"><button formaction="https://a.example/2">',
      ['form https://a.example/1', 'form https://a.example/2'],
    ],
    [
      '<img src="https://a.example/1" srcset="https://a.example/2,1 1x,https://a.example/3 2x">',
      ['image https://a.example/1', 'image https://a.example/2,1', 'image https://a.example/3'],
    ],
    [
      '<img srcset=", https://a.example/1 , https://a.example/2, 2x,">',
      ['image https://a.example/1', 'image https://a.example/2'],
    ],
    ['<body background="https://a.example/1">', ['image https://a.example/1']],
    ['<link rel="stylesheet" href="https://a.example/1">', ['style https://a.example/1']],
    ['<iframe src="https://a.example/1"></iframe>', ['frame https://a.example/1']],
    ['<object data="https://a.example/1"></object>', ['frame https://a.example/1']],
    ['<meta http-equiv="Refresh" content="0; URL = https://a.example/1">', ['refresh https://a.example/1']],
    ['<meta http-equiv="refresh" content="0,\'https://a.example/1\'">', ['refresh https://a.example/1']],
    ['<meta http-equiv="refresh" content="30">', []],
    ['<p data-a="https://a.example/1" cite="b">', ['other https://a.example/1', 'other b']],
    ['<p data-a="//a.example/1" data-b="/b" data-c="1:2">', ['other //a.example/1']],
    ['<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml">', []],
    ['<p style="background:url(https://a.example/1)">', ['style https://a.example/1']],
    ['<a href="https://a.example/1">x</a><a href="https://a.example/1">y</a>', ['link https://a.example/1']],
  ])('of %s', (html, addresses) => {
    expect(addressesOf(html)).toEqual(addresses);
  });

  it.each([
    [
      '<base href="https://b.example/x/"><a href="y">',
      ['base https://b.example/x/', 'link y = https://b.example/x/y'],
    ],
    [
      '<a href="y"><base href="https://b.example/x/"><base href="https://c.example/">',
      ['link y = https://b.example/x/y', 'base https://b.example/x/', 'base https://c.example/'],
    ],
    // No base completes another (HTML, "frozen base URL").
    [
      '<base href="https://b.example/"><base href="https:c.example/p">',
      ['base https://b.example/', 'base https:c.example/p = https://c.example/p'],
    ],
    // A base in a conditional comment completes addresses only if the message has no other.
    [
      '<!--[if mso]><base href="https://b.example/"><![endif]--><a href="y">',
      ['base https://b.example/', 'link y = https://b.example/y'],
    ],
    ['<a href="y">', ['link y']],
    ['<a href="https:\\\\b.example/">', ['link https:\\\\b.example/ = https://b.example/']],
    ['<a href="https://a.example@b.example/">', ['link https://a.example@b.example/ = https://b.example/']],
    ['<a href="ht&#10;tps://b.example/">', ['link ht\ntps://b.example/ = https://b.example/']],
    ['<a href="https://b。example/">', ['link https://b。example/ = https://b.example/']],
    ['<a href="HTTPS://B.example">', ['link HTTPS://B.example']],
    ['<a href="https://b.example:8443?x">', ['link https://b.example:8443?x']],
    ['<a href="https://{{ field.Shop }}.example/">', ['link https://{{ field.Shop }}.example/']],
    ['<a href="javascript:x()">', ['link javascript:x()']],
  ])('%s: says what opens, if it is another address', (html, addresses) => {
    expect(addressesOf(html)).toEqual(addresses);
  });

  it('name the part of the message', () => {
    expect(read('<!--[if mso]><a href="https://a.example/">x</a><![endif]-->').addresses).toEqual([
      {
        kind: 'link',
        address: 'https://a.example/',
        opens: undefined,
        part: { kind: 'conditional', condition: 'mso' },
      },
    ]);
  });
});

describe('addresses that contain their data', () => {
  it.each([
    ['a picture', 'data:image/svg+xml,%3Csvg%3E%3Ctext%3EA%3C/text%3E%3C/svg%3E'],
    ['a picture in base64', `data:image/svg+xml;base64,${btoa('<svg><text>A</text></svg>')}`],
    ['a page', 'data:text/html;charset=utf-8,<p>A</p>'],
    ['plain text', 'data:,A'],
    ['a picture with a faulty escape', 'data:image/svg+xml,<svg width="100%"><text>A</text></svg>'],
  ])('are read as %s', (_, address) => {
    expect(linesOf(`<img src='${address}'>`)).toEqual([
      { kind: 'part', part: { kind: 'embedded' }, lines: ['A'] },
    ]);
  });

  it('are read as styles', () => {
    expect(read(`<link rel="stylesheet" href='data:text/css,p::after{content:"A"}'>`).styleTexts).toEqual([
      { kind: 'text', text: 'A', part: undefined },
    ]);
  });

  it.each(['data:image/png;base64,QQ==', 'data:image/svg+xml;base64,***', 'data:text/html'])(
    '%s is no text',
    (address) => {
      expect(linesOf(`<img src="${address}">`)).toEqual([]);
    },
  );
});

it('has no contents for HTML that would make far too many elements', () => {
  const formatting = Array.from({ length: 1000 }, (_, at) => `<b id="${at}">`).join('');
  expect(
    readHtmlContents(`<p>${formatting}${'<p>x'.repeat(1000)}`, {
      width: 68,
      optIn: { linkElement: 'a', nameElement: 'a' },
    }),
  ).toBeUndefined();
});
