/** Finds the links of a message and puts others in their place; everything else stays octet for octet. */
import { type Token, Tokenizer, TokenizerMode } from 'parse5';

export interface FoundLink {
  /** As a browser would read it: entities are decoded. */
  readonly href: string;
  /** The attribute `name`, else `data-name`. */
  readonly name: string | null;
}

/** The address to put in place of a link's; undefined leaves it as it is. */
export type ReplaceLink = (link: FoundLink) => string | undefined;

/**
 * Every `<a>` and `<area>` with an `href`, in order, as a browser finds them without scripts: those in comments, scripts,
 * styles and titles are none. Nothing but the values of their `href` is written anew.
 */
export function replaceHtmlLinks(html: string, replace: ReplaceLink): string {
  const pieces: string[] = [];
  let copied = 0;
  forEachStartTag(html, (tag) => {
    if (tag.tagName !== 'a' && tag.tagName !== 'area') return;
    const at = tag.location?.attrs?.['href'];
    const before = /^href\s*=\s*/i.exec(html.slice(at?.startOffset ?? 0, at?.endOffset ?? 0));
    if (at === undefined || before === null) return;
    const target = replace({
      href: attributeOf(tag, 'href')?.trim() ?? '',
      name: attributeOf(tag, 'name') ?? attributeOf(tag, 'data-name') ?? null,
    });
    if (target === undefined) return;
    pieces.push(html.slice(copied, at.startOffset), before[0], `"${encodeAttribute(target)}"`);
    copied = at.endOffset;
  });
  return pieces.join('') + html.slice(copied);
}

/**
 * Every address in a plain text that begins with http:// or https://, without the punctuation that follows it. It may
 * hold `{{ … }}`, and ends where dynamic content begins.
 */
export function replaceTextLinks(text: string, replace: ReplaceLink): string {
  return text.replace(/https?:\/\/(?:\{\{[^{}\n]{1,200}\}\}|(?!\{[{%])[^\s<>"]){1,2000}/gi, (found) => {
    const href = found.replace(/[.,;:!?'\])]{1,20}$/, '');
    const target = replace({ href, name: null });
    return target === undefined ? found : target + found.slice(href.length);
  });
}

export function encodeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** What the text of these elements is; markup is none of it. */
const TEXT_OF: Readonly<Record<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>> = {
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  xmp: TokenizerMode.RAWTEXT,
};

/**
 * The tokenizer alone, without the tree: a tree of elements that are never closed takes a time that grows with the
 * square of their number, and links need none.
 */
function forEachStartTag(html: string, visit: (tag: Token.TagToken) => void): void {
  const ignore = (): void => undefined;
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (tag) => {
        tokenizer.state = TEXT_OF[tag.tagName] ?? tokenizer.state;
        visit(tag);
      },
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(withoutMarkupInTags(html), true);
}

function attributeOf(tag: Token.TagToken, name: string): string | undefined {
  const value = tag.attrs.find((attribute) => attribute.name === name)?.value;
  return value?.replace(/[\ufdd0-\ufdda]/g, (unit) => MARKUP[unit.charCodeAt(0) - MASK] ?? unit);
}

/**
 * What stands in a tag of personalisation is no markup: `href="{{ field["City"] }}"`. Quotes, blanks and brackets in it are
 * noncharacters while the tokenizer reads, one for one, so that every offset stays; Windows-1252, in which messages are,
 * has none of them. A tag ends within a thousand characters and before the next begins, so that no text makes this slow.
 */
const withoutMarkupInTags = (html: string): string =>
  html.replace(PERSONALISATION, (tag) =>
    tag.replace(/["'<>=/ \t\n\f\r]/g, (unit) => String.fromCharCode(MASK + MARKUP.indexOf(unit))),
  );

const PERSONALISATION =
  /\{\{(?:[^{}]|\{(?![{%])|\}(?!\})){0,998}\}\}|\{%(?:[^{%]|\{(?![{%])|%(?!\})){0,998}%\}/g;
const MARKUP = '"\'<>=/ \t\n\f\r';
const MASK = 0xfdd0;
