/** What styles show and load. Contract, "Campaigns as files"; second attack H3: text that styles add. */
import { describe, expect, it } from 'vitest';
import { findStyleEffects } from '../../src/kit/text/css-effects.ts';

describe('texts that styles add', () => {
  it.each([
    ['content', 'p::after{content:"Call us"}', ['Call us']],
    ['several texts of one declaration', 'p::after{content:"Call " "us"}', ['Call us']],
    ['escapes', 'p::after{c\\6fntent:"\\43 all"}', ['Call']],
    ['signs of lists', 'ul{list-style:"Call "}', ['Call ']],
    ['quotation marks', 'q{quotes:"Call" "us"}', ['Callus']],
    ['a variable', ':root{--a:"Call us"}', ['Call us']],
    ['a sign of a counter', '@counter-style a{symbols:"Call"}', ['Call']],
    ['a text without a property', 'p{"Call us"}', ['Call us']],
    ['a list of Outlook', '@list l0:level1{mso-level-text:"Call %1"}', ['Call %1']],
    ['a font name followed by a block', 'p{font-family:(;}q{content:"Call us"}', ['Call us']],
    ['the fallback of an attribute', 'p::after{content:attr(data-a,"Call us")}', ['Call us']],
    ['a text twice', 'p::after{content:"Call"}q::after{content:"Call"}', ['Call']],
  ])('are found in %s', (_, css, texts) => {
    expect(findStyleEffects(css).texts).toEqual(texts);
  });

  it.each([
    ['names of fonts', 'p{font-family:"Open Sans";font:12px "Open Sans"}'],
    ['names of areas', 'p{grid-template-areas:"a b" "c d"}'],
    ['Outlook styles', 'p{mso-style-name:"Normal";mso-fareast-font-family:"Arial"}'],
    ['formats of fonts', '@font-face{src:local("A") format("woff")}'],
    ['selectors', 'a[title="Call us"]{color:red}'],
    ['declarations of character sets', '@charset "utf-8";'],
    ['empty texts', 'p::after{content:""}q::after{content:" \\200b"}'],
  ])('are not found in %s', (_, css) => {
    expect(findStyleEffects(css)).toEqual({ texts: [], uncomputed: [], attributes: [], addresses: [] });
  });
});

it.each([
  ['content: counter(a)', ['content: counter(a)']],
  ['content: "Call " var(--a)', ['content: "Call " var(--a)']],
  ['content: open-quote', ['content: open-quote']],
  ['counter-reset: a 44', ['counter-reset: a 44']],
  ['symbols: C A L L', ['symbols: C A L L']],
  ['unicode-bidi: bidi-\\6fverride', ['unicode-bidi: bidi-\\6fverride']],
  ['content: "Call us"', []],
  ['content: url(a.png)', []],
  ['content: none', []],
  ['list-style: square', []],
  ['unicode-bidi: normal', []],
])('names %j if svc cannot compute its text', (css, uncomputed) => {
  expect(findStyleEffects(css).uncomputed).toEqual(uncomputed);
});

it.each([
  ['content: attr(data-a)', ['data-a']],
  ['content: attr( DATA-A string, "x")', ['data-a']],
  ['content: attr(xlink|href)', ['href']],
  ['--a: attr(data-a)', ['data-a']],
])('%j shows attributes', (css, attributes) => {
  expect(findStyleEffects(css).attributes).toEqual(attributes);
});

it.each([
  ['background: url(a.png)', ['a.png']],
  ['background: url("a.png"), url(b.png)', ['a.png', 'b.png']],
  ['background: image-set("a.png" 1x, url(b.png) 2x)', ['b.png', 'a.png']],
  ['@import "a.css";', ['a.css']],
  ['@import url(a.css) screen;', ['a.css']],
  ['@font-face { src: url(a.woff) format("woff") }', ['a.woff']],
  ['behavior: url(a.htc)', ['a.htc']],
  ['@font-face { font-family: "f; src: url(https://a.example/f) }', ['f; src: url(https://a.example/f) }']],
])('%j loads addresses', (css, addresses) => {
  expect([...findStyleEffects(css).addresses].sort()).toEqual([...addresses].sort());
});
