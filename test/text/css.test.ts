/** Reading style sheets and `style` attributes as CSS Syntax Level 3 defines them. */
import { describe, expect, it } from 'vitest';
import { parseCssDeclarations } from '../../src/kit/text/css.ts';

const declarationsOf = (css: string): readonly string[] =>
  parseCssDeclarations(css).map((found) =>
    found.kind === 'at-rule' ? `@${found.name}` : `${found.property}: ${found.value}`,
  );
const valuesOf = (css: string): readonly string[] =>
  parseCssDeclarations(css).flatMap(({ tokens }) =>
    tokens
      .filter(({ kind }) => kind === 'string' || kind === 'url')
      .map(({ kind, value }) => `${kind} ${value}`),
  );

describe('declarations', () => {
  it.each([
    ['a rule', 'p { color: red; Margin : 0 }', ['color: red', 'margin: 0']],
    ['a style attribute', 'color: red', ['color: red']],
    ['selectors with colons and strings', 'a:hover, a[href="x:y"] { color: red }', ['color: red']],
    ['nested rules', '@media all { p { & b { color: red } } }', ['@media', 'color: red']],
    ['an at-rule without a block', '@import "a.css"; p{top:0}', ['@import', 'top: 0']],
    [
      'a semicolon in a text or in parentheses',
      'a{content:";}";background:url(a;b)}',
      ['content: ";}"', 'background: url(a;b)'],
    ],
    ['comments', 'p{/* a: b; */color/**/:/**/red}', ['color: red']],
    ['escaped names', 'p{c\\6f lor:red;\\63ontent:"x"}', ['color: red', 'content: "x"']],
    ['parentheses without an end', 'p{color:f(;} q{top:0', ['color: f(;} q{top:0']],
    ['signs of old browsers', 'p{*width:1px}', [': 1px']],
    ['nothing', ' /* */ ', []],
  ])('of %s', (_, css, found) => {
    expect(declarationsOf(css)).toEqual(found);
  });

  it('have their place', () => {
    const css = 'p {\n  color: red; top: 0 }';
    expect(parseCssDeclarations(css).map(({ at }) => at)).toEqual([css.indexOf('color'), css.indexOf('top')]);
  });
});

describe('texts and addresses', () => {
  it.each([
    ['a:"x"', ['string x']],
    ["a:'it\\'s'", ["string it's"]],
    ['a:"\\41 b\\000043"', ['string AbC']],
    ['a:"a\\\nb"', ['string ab']],
    ['a:"a\\\r\nb"', ['string ab']],
    // The line break ends a text without its quotation mark.
    ['a:"x\nb:"y"', ['string x', 'string y']],
    ['a:"x', ['string x']],
    ['a:"x\\', ['string x']],
    ['a:"\\110000 \\d800 \\0 "', ['string \ufffd\ufffd\ufffd']],
    ['a:"😀\\😀"', ['string 😀😀']],
    ['a:url(x.png)', ['url x.png']],
    ['a:URL( x\\2e png )', ['url x.png']],
    ['a:u\\72l(x)', ['url x']],
    ['a:url("x")', ['string x']],
    ['a:url( "x" )', ['string x']],
    ['a:url(x', ['url x']],
  ])('%j', (css, values) => {
    expect(valuesOf(css)).toEqual(values);
  });
});
