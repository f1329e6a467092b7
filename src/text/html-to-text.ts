/** Converts HTML to plain text, for the text part of a message and for a person at a terminal. */
import { compile, type FormatCallback } from 'html-to-text';
import { maskMarkup, maskPersonalisationTags, restoreMaskedMarkup } from './html-tokens.ts';

interface HtmlToTextOptions {
  /** Maximum columns of a line. A longer word, such as an address, stays whole. */
  readonly width: number;
  /**
   * Names of the elements that mark an opt-in link, by which a person confirms a subscription (interface, emailMessage, 'Content rules').
   * `linkElement` marks the link in the HTML, and `nameElement` marks the link in the plain text.
   */
  readonly optIn?: { readonly linkElement: string; readonly nameElement: string };
}

/** Maximum nesting. Deeper nesting could exhaust the stack and is replaced by `…`. */
const MAX_NESTING = 200;

/**
 * Invisible characters that messages use to fill the preview of a mail program. The plain text leaves these characters out, because
 * Windows-1252 does not have most of them.
 */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]|\u034f|[\u200c\u200d]/g;

/**
 * Returns the HTML as plain text. Headings are underlined, a link is followed by its address, and an image becomes its `alt`.
 * Personalisation and dynamic content stay unchanged. Every line ends in LF, unless there is no text at all.
 */
export function htmlToText(html: string, { width, optIn }: HtmlToTextOptions): string {
  const heading = (line: string) => ({ format: 'underlined', options: { line } });
  const convert = compile({
    wordwrap: width,
    limits: { maxDepth: MAX_NESTING, ellipsis: '…' },
    formatters: { underlined, alternative, optInElement },
    selectors: [
      { selector: 'a', options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true } },
      { selector: 'img', format: 'alternative' },
      { selector: 'h1', ...heading('=') },
      ...['h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, ...heading('-') })),
      // Tables in messages are layout far more often than data.
      ...['td', 'th'].map((selector) => ({
        selector,
        format: 'block',
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
      ...['title', 'head', 'svg', 'video', 'audio'].map((selector) => ({ selector, format: 'skip' })),
      ...(optIn
        ? [{ selector: optIn.linkElement.toLowerCase(), format: 'optInElement', options: optIn }]
        : []),
    ],
  });
  const text = restoreMaskedMarkup(convert(maskPersonalisationTags(html)))
    .replace(INVISIBLE, '')
    .replace(/(?:\u00a0[ \t]*){2,}/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd();
  return text.trim() === '' ? '' : `${text.replace(/^\n+/, '')}\n`;
}

const underlined: FormatCallback = (element, walk, builder, { line }) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  walk(element.children, builder);
  builder.closeBlock({
    trailingLineBreaks: 2,
    blockTransform: (text) =>
      text.trim() === '' ? text : `${text}\n${String(line).repeat(longestLine(text))}`,
  });
};

const longestLine = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

const alternative: FormatCallback = (element, _, builder) => {
  const text = String(element.attribs?.['alt'] ?? '').trim();
  if (text !== '') builder.addInline(text);
};

const optInElement: FormatCallback = (element, walk, builder, { nameElement }) => {
  walk(element.children, builder);
  builder.addInline(`: ${maskMarkup(`<${nameElement} value="optin" alt="">`)}`);
};
