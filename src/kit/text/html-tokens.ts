/**
 * Reads HTML as its tags and texts, in order and with their positions. Uses only a tokenizer, and builds no tree of elements. For unclosed
 * elements, the time to build a tree grows with the square of their number.
 */
import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** Offsets into the source, in UTF-16 units. `end` is the first offset after the span. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface HtmlTag extends Span {
  readonly name: string;
  /** Returns the value as a browser would read it, with entities decoded. Undefined if the tag lacks the attribute. */
  readonly attribute: (name: string) => string | undefined;
  readonly attributeNames: readonly string[];
  readonly spanOf: (attribute: string) => Span | undefined;
  readonly isSelfClosing: boolean;
}

export interface HtmlVisitor {
  readonly onStartTag?: (tag: HtmlTag) => void;
  readonly onEndTag?: (tag: { readonly name: string } & Span) => void;
  /** Called with each text after entities are decoded, including the text of scripts, styles and titles. */
  readonly onText?: (text: string, span: Span) => void;
  readonly onComment?: (text: string, span: Span) => void;
  readonly onDoctype?: (span: Span) => void;
  /**
   * Called for each parse error.
   * @param code name that the HTML standard gives to the error, such as `missing-whitespace-between-attributes`
   */
  readonly onError?: (code: string, span: Span) => void;
}

export const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set([
  ...['script', 'style', 'title', 'noembed', 'noframes', 'xmp'],
]);

export function visibleText(html: string): string {
  const texts: string[] = [];
  let inside = '';
  visitHtml(html, {
    onStartTag: ({ name }) => {
      if (HIDDEN_ELEMENTS.has(name)) inside = name;
    },
    onEndTag: ({ name }) => {
      if (name === inside) inside = '';
    },
    onText: (text) => {
      if (inside === '') texts.push(text);
    },
  });
  return texts.join(' ');
}

/** Returns the tag at the end of the HTML that is not finished, or the comment. Browsers leave out such a tag, and hide such a comment. */
export function findUnfinishedTag(html: string): string | undefined {
  let end = 0;
  let isUnfinished = false;
  const go = (_: unknown, span: Span): void => {
    end = span.end;
  };
  visitHtml(html, {
    onStartTag: (tag) => go(tag, tag),
    onEndTag: (tag) => go(tag, tag),
    onText: go,
    onComment: (_, span) => {
      if (span.end < html.length) go(_, span);
    },
    onError: (code) => {
      isUnfinished ||= code === 'eof-in-tag' || code === 'eof-in-comment';
    },
  });
  return isUnfinished ? html.slice(end) : undefined;
}

/** Reports every tag and text in order, as a browser without scripts finds them. Accepts any text without throwing. */
export function visitHtml(html: string, visitor: HtmlVisitor): void {
  tokenizerFor(visitor).write(maskPersonalisationTags(html), true);
}

/**
 * Does the same as `visitHtml`, but reads in slices, so that a large text does not block the process.
 * @param goOn called after each slice but the last; if `goOn` resolves with false, reading stops
 * @param units length of a slice in UTF-16 units
 */
export async function visitHtmlInSlices(
  html: string,
  visitor: HtmlVisitor,
  goOn: () => Promise<boolean>,
  units: number = HTML_SLICE_UTF16_UNITS,
): Promise<void> {
  const tokenizer = tokenizerFor(visitor);
  const text = maskPersonalisationTags(html);
  for (let at = 0; ; at += units) {
    const isLast = at + units >= text.length;
    tokenizer.write(text.slice(at, at + units), isLast);
    if (isLast || !(await goOn())) return;
  }
}

/** Default number of UTF-16 code units that `visitHtmlInSlices` reads at once. One slice takes a few milliseconds. */
export const HTML_SLICE_UTF16_UNITS = 32 * 1024;

function tokenizerFor(visitor: HtmlVisitor): Tokenizer {
  const { onStartTag, onEndTag, onText, onComment, onDoctype, onError } = visitor;
  // parse5 reports blanks and words one by one.
  let pieces: string[] = [];
  let text: Span | undefined;
  const addText = ({ chars, location }: Token.CharacterToken): void => {
    pieces.push(chars);
    const { start, end } = spanIn(location);
    text = { start: text?.start ?? start, end };
  };
  const endText = (): void => {
    if (text) onText?.(restoreMaskedMarkup(pieces.join('')), text);
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
      onComment: ({ data, location }) => {
        endText();
        onComment?.(restoreMaskedMarkup(data), spanIn(location));
      },
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
  return tokenizer;
}

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
      return value === undefined ? undefined : restoreMaskedMarkup(value);
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
 * Masks quotes, brackets and spaces in personalisation tags, such as `href="{{ field["City"] }}"`, so that
 * the tokenizer does not read them as HTML. Each becomes one noncharacter, so that offsets stay the same;
 * messages contain none, because they are in Windows-1252. Tags of more than a thousand characters, and those
 * with the beginning of another tag, are not masked: the search would be slow in some texts.
 */
export const maskPersonalisationTags = (html: string): string => html.replace(PERSONALISATION, maskMarkup);

export const findMaskedTags = (html: string): readonly Span[] =>
  [...html.matchAll(PERSONALISATION)].map(({ 0: tag, index }) => ({ start: index, end: index + tag.length }));

/**
 * Returns the text with its markup characters and spaces replaced by placeholders, so that HTML parsers and line breaking do not change
 * it. `restoreMaskedMarkup` reverses it.
 */
export const maskMarkup = (text: string): string =>
  text.replace(/["'<>=/ \t\n\f\r]/g, (unit) => String.fromCharCode(MASK + MARKUP.indexOf(unit)));

export const restoreMaskedMarkup = (text: string): string =>
  text.replace(/[\ufdd0-\ufdda]/g, (unit) => MARKUP[unit.charCodeAt(0) - MASK] ?? unit);

const PERSONALISATION =
  /\{\{(?:[^{}]|\{(?![{%])|\}(?!\})){0,998}\}\}|\{%(?:[^{%]|\{(?![{%])|%(?!\})){0,998}%\}/g;
const MARKUP = '"\'<>=/ \t\n\f\r';
const MASK = 0xfdd0;
