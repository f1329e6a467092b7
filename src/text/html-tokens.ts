/**
 * HTML as its tags and texts, in order and with their places. The tokenizer alone, without the tree: a tree of elements that are never closed takes a time that grows
 * with the square of their number, and who reads a message needs none.
 */
import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** Offsets into the source, in UTF-16 units; `end` is the first one after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface HtmlTag extends Span {
  /** In lower case. */
  readonly name: string;
  /** As a browser would read it: entities are decoded. Undefined where the tag doesn't have it. */
  readonly attribute: (name: string) => string | undefined;
  readonly attributeNames: readonly string[];
  /** Of name and value together. */
  readonly spanOf: (attribute: string) => Span | undefined;
  readonly isSelfClosing: boolean;
}

/** What to tell of a text; comments, and what stands in them, are told of as such. */
export interface HtmlVisitor {
  readonly onStartTag?: (tag: HtmlTag) => void;
  readonly onEndTag?: (tag: { readonly name: string } & Span) => void;
  /** Entities are decoded. That of scripts, styles and titles too. */
  readonly onText?: (text: string, span: Span) => void;
  readonly onDoctype?: (span: Span) => void;
  /** @param code of the HTML standard: `missing-whitespace-between-attributes` */
  readonly onError?: (code: string, span: Span) => void;
}

/** Tells of every tag and text in order, as a browser finds them without scripts. Throws for no text. */
export function readHtml(html: string, visitor: HtmlVisitor): void {
  const { onStartTag, onEndTag, onText, onDoctype, onError } = visitor;
  // parse5 tells of blanks and words one by one.
  let pieces: string[] = [];
  let text: Span | undefined;
  const addText = ({ chars, location }: Token.CharacterToken): void => {
    pieces.push(chars);
    const { start, end } = spanIn(location);
    text = { start: text?.start ?? start, end };
  };
  const endText = (): void => {
    if (text) onText?.(unmasked(pieces.join('')), text);
    pieces = [];
    text = undefined;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (tag) => {
        endText();
        tokenizer.state = TEXT_OF[tag.tagName] ?? tokenizer.state;
        onStartTag?.(readTag(tag));
      },
      onEndTag: (tag) => {
        endText();
        onEndTag?.({ name: tag.tagName, ...spanIn(tag.location) });
      },
      onComment: endText,
      onDoctype: (doctype) => {
        endText();
        onDoctype?.(spanIn(doctype.location));
      },
      onCharacter: addText,
      onNullCharacter: addText,
      onWhitespaceCharacter: addText,
      onEof: endText,
      onParseError: onError
        ? ({ code, startOffset, endOffset }) => onError(code, { start: startOffset, end: endOffset })
        : null,
    },
  );
  tokenizer.write(withoutMarkupInTags(html), true);
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

function readTag(tag: Token.TagToken): HtmlTag {
  return {
    name: tag.tagName,
    ...spanIn(tag.location),
    attribute: (name) => {
      const value = tag.attrs.find((each) => each.name === name)?.value;
      return value === undefined ? undefined : unmasked(value);
    },
    attributeNames: tag.attrs.map(({ name }) => name),
    spanOf: (name) => {
      const at = tag.location?.attrs?.[name];
      return at && { start: at.startOffset, end: at.endOffset };
    },
    isSelfClosing: tag.selfClosing,
  };
}

const spanIn = (location: Token.Location | null): Span => ({
  start: location?.startOffset ?? 0,
  end: location?.endOffset ?? 0,
});

/**
 * What stands in a tag of personalisation is no markup: `href="{{ field["City"] }}"`. Quotes, blanks and brackets in it are
 * noncharacters while the tokenizer reads, one for one, so that every offset stays; Windows-1252, in which messages are,
 * has none of them. A tag ends within a thousand characters and before the next begins, so that no text makes this slow.
 */
export const withoutMarkupInTags = (html: string): string => html.replace(PERSONALISATION, masked);

/** The text as what no reader of HTML, and nothing that breaks lines, takes for markup or blanks. */
export const masked = (text: string): string =>
  text.replace(/["'<>=/ \t\n\f\r]/g, (unit) => String.fromCharCode(MASK + MARKUP.indexOf(unit)));

/** Takes back what `masked` did. */
export const unmasked = (text: string): string =>
  text.replace(/[\ufdd0-\ufdda]/g, (unit) => MARKUP[unit.charCodeAt(0) - MASK] ?? unit);

const PERSONALISATION =
  /\{\{(?:[^{}]|\{(?![{%])|\}(?!\})){0,998}\}\}|\{%(?:[^{%]|\{(?![{%])|%(?!\})){0,998}%\}/g;
const MARKUP = '"\'<>=/ \t\n\f\r';
const MASK = 0xfdd0;
