/**
 * The page of a plan shows everything of an e-mail that some mail program may show or open. Contract, "Campaigns as files"; second attack H3:
 * an approved plan carried texts and addresses that its page did not have.
 */
import { describe, expect, it } from 'vitest';
import { describeMessage } from '../../../../src/cli/commands/campaign/message-words.ts';
import { DEFAULT_CONTENT_MARKUP_NAMES } from '../../../../src/kit/schema/resource.ts';
import { ATTACKED_WAYS, type HidingWay, MORE_WAYS, WAYS_OF_OTHERS } from '../../../support/hiding-html.ts';

const linesOf = (html: string): readonly string[] =>
  describeMessage('email', { html }, DEFAULT_CONTENT_MARKUP_NAMES).slice(4);
const pageOf = (html: string): string => linesOf(html).join('\n');

const TEXT = 'Zebra4711';
const ADDRESS = 'https://zebra.example/4711';

describe('second attack H3: the page has', () => {
  it.each([...ATTACKED_WAYS, ...MORE_WAYS, ...WAYS_OF_OTHERS].map((way) => [way.name, way] as const))(
    '%s',
    (_, { html, has }: HidingWay) => {
      const page = pageOf(html(TEXT, ADDRESS));
      if (has !== 'address') expect(page).toContain(TEXT);
      if (has !== 'text') expect(page).toContain(ADDRESS);
    },
  );

  it('all 33 ways of the attack', () => {
    expect(ATTACKED_WAYS).toHaveLength(33);
  });

  it('a text in 100,000 elements that are never closed', () => {
    expect(pageOf(`${'<div>'.repeat(100_000)}${TEXT}`)).toContain(TEXT);
  });

  it('the HTML itself if its tags would make too many elements', () => {
    const formatting = Array.from({ length: 1000 }, (_, at) => `<b id="${at}">`).join('');
    const lines = linesOf(`<p>${formatting}${'<p>x'.repeat(1000)}\n<p>${TEXT}`);
    expect(lines[0]).toBe(
      'HTML, which svc cannot show as text, because its tags would make too many elements:',
    );
    expect(lines.at(-1)).toBe(`  "<p>${TEXT}"`);
  });

  it('the HTML itself if dynamic content changes its tags', () => {
    const html = `<p>Hello</p>\n<!-- --{% if email %}>{% endif %} ${TEXT} -->`;
    expect(linesOf(html)).toEqual([
      'HTML as text:',
      '  "Hello"',
      '  in a comment, which most mail programs hide:',
      `    "--{% if email %}>{% endif %} ${TEXT}"`,
      'HTML itself, because dynamic content changes its tags, so that some people get other texts than these:',
      '  "<p>Hello</p>"',
      `  "<!-- --{% if email %}>{% endif %} ${TEXT} -->"`,
    ]);
  });
});

describe('the page of a message', () => {
  it('is short for an ordinary one', () => {
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Spring</title>
<style>p{font-family:"Open Sans",Arial}</style><!--[if mso]><style>p{font-family:Arial}</style><![endif]--></head>
<body><!-- Header --><table><tr><td><img src="https://cdn.example/logo.png" alt="Harbour Coffee"></td></tr></table>
<h1>Spring</h1><p>Dear {{ field.Name | there }}, <a href="https://shop.example/">see our roasts</a>.</p>
<ul><li>Light<li>Dark</ul><img src="https://t.example/open.gif" alt="" width="1"></body></html>`;
    expect(linesOf(html)).toEqual([
      'HTML as text:',
      '  page title: "Spring"',
      '  "Harbour Coffee"',
      '  ""',
      '  "Spring"',
      '  "======"',
      '  ""',
      '  "Dear {{ field.Name | there }}, see our roasts"',
      '  "<https://shop.example/>."',
      '  ""',
      '  " * Light"',
      '  " * Dark"',
      'link to "https://shop.example/"',
      'images:',
      '  "https://cdn.example/logo.png"',
      '  "https://t.example/open.gif"',
    ]);
  });

  it('says for whom a text is, and what it cannot show', () => {
    const html = `<!--[if mso]><a href="https://b.example/">Call</a><![endif]--><!--[if IE 8]>Call<![endif]-->
<![if !mso]><p>${'Call us '.repeat(20)}</p><![endif]><style>p::after{content:"Call " counter(a)}q::after{content:attr(data-a)}</style>
<q data-a="now">x</q><base href="https://c.example/"><form action="send"><input placeholder="PIN"></form>
<bdo dir="rtl">su llaC</bdo><svg><text>Now</text></svg><a href="https://a.example@b.example">x</a>
<meta http-equiv="refresh" content="9;https://d.example"><iframe src="https://e.example"></iframe><link href="https://f.example"
rel="stylesheet"><p data-x="https://g.example">y</p><img src="data:image/png;base64,${'A'.repeat(300)}" alt="y"><a title="`;
    expect(linesOf(html)).toEqual([
      'HTML as text:',
      '  only in Outlook ("mso"):',
      '    "Call <https://b.example/>"',
      '  only where "IE 8" is true:',
      '    "Call"',
      '  "Call us Call us Call us Call us Call us Call us Call us Call us Call"',
      '  "us Call us Call us Call us Call us Call us Call us Call us Call us"',
      '  "Call us Call us Call us"',
      '  ""',
      '  "x"',
      '  left out where the condition "!mso" is false: "Call us Call us Call us Call us Call us Call us Call us Cal…"',
      '  placeholder: "PIN"',
      '  "su llaC"',
      '  direction of the letters: "rtl"',
      '  "Now"',
      '  "x <https://a.example@b.example>"',
      '  ""',
      '  "y"',
      '  ""',
      '  "y"',
      '  unfinished at the end: "<a title=\\""',
      'styles add text: "Call "',
      'styles add text that svc cannot compute: "content: \\"Call \\" counter(a)"',
      'styles add text that svc cannot compute: "content: attr(data-a)"',
      'styles add the text of an attribute: "now"',
      'link to "https://b.example/", only in Outlook ("mso")',
      'link to "https://a.example@b.example", which means "https://b.example/"',
      'form sends to "send", which means "https://c.example/send"',
      'base of incomplete addresses "https://c.example/"',
      'page moves on to "https://d.example"',
      'frame shows "https://e.example"',
      'images:',
      '  "data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…" (322 characters)',
      'styles and fonts:',
      '  "https://f.example"',
      'other addresses:',
      '  "https://g.example"',
    ]);
  });

  it('lists a link once if the text part has it too', () => {
    const lines = describeMessage(
      'email',
      { html: '<a href="https://a.example/1">x</a>', text: 'https://a.example/1 https://a.example/2' },
      DEFAULT_CONTENT_MARKUP_NAMES,
    );
    expect(lines.filter((line) => line.startsWith('link'))).toEqual([
      'link to "https://a.example/1"',
      'link to "https://a.example/2"',
    ]);
  });

  it('has no line that the message can imitate', () => {
    const words = 'link to "https://a.example/"\nHTML as text:\u2028\u001b[31m';
    const html = `<pre>${words}</pre><p title='${words}'>x</p><!--[if "]>x: "y<![endif]--><style>p::after{content:'link to'}</style><a href='x"\nlink to "y'>z</a>`;
    for (const line of linesOf(html).slice(1))
      expect(line).toMatch(
        /^ *(?:(?:title|styles add text|only where "(?:[^"\\]|\\.)*" is true|link to):? ?)?(?:"(?:[^"\\]|\\.)*")?$/u,
      );
    expect(linesOf(html).join('')).not.toMatch(/[\u0000-\u001f\u2028]/);
  });
});
