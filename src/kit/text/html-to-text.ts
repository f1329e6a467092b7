/** Converts HTML to plain text, for the text part of a message and for a person at a terminal. */
import { createHtmlFlow, type HtmlFlow } from './html-flow.ts';
import { maskMarkup, visibleText } from './html-tokens.ts';
import { type HtmlTagContent, parseHtmlTree, tagContentOf, visitTree } from './html-tree.ts';

/** Names of the elements that mark an opt-in link, by which a person confirms a subscription (interface, emailMessage, 'Content rules'). */
export interface OptInNames {
  readonly linkElement: string;
  readonly nameElement: string;
}

interface HtmlToTextOptions {
  /** Maximum columns of a line. A longer word, such as an address, stays whole. */
  readonly width: number;
  readonly optIn?: OptInNames;
}

/** Elements whose content most mail programs do not show. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['audio', 'iframe', 'noembed', 'noframes', 'script', 'style', 'svg', 'template', 'title', 'video'],
]);

/**
 * Returns the HTML as plain text. Headings are underlined, a link is followed by its address, and an image becomes its `alt`.
 * Personalisation and dynamic content stay unchanged. Every line ends in LF, unless there is no text at all.
 */
export function htmlToText(html: string, { width, optIn }: HtmlToTextOptions): string {
  const flow = createHtmlFlow<never>(width);
  const tree = parseHtmlTree(html);
  if (tree === undefined) flow.text(visibleText(html));
  else {
    const writer = createHtmlWriter(flow, optIn);
    visitTree(tree.root, {
      enter: (element) => {
        if (LEFT_OUT.has(element.tagName)) return false;
        writer.enter(tagContentOf(element));
        return true;
      },
      leave: ({ tagName }) => writer.leave(tagName),
      text: writer.text,
    });
  }
  return flow
    .lines()
    .map((line) => `${line}\n`)
    .join('')
    .replace(/\n{3,}/g, '\n\n');
}

interface HtmlWriter {
  readonly enter: (tag: HtmlTagContent) => void;
  readonly leave: (name: string) => void;
  /** Takes text in which personalisation is masked. */
  readonly text: (text: string) => void;
}

/** Writes the elements of a tree into a flow: the text, the addresses of links and the `alt` of images. */
export function createHtmlWriter(
  flow: Pick<HtmlFlow<never>, 'open' | 'close' | 'text' | 'aside' | 'lineBreak'>,
  optIn?: OptInNames,
): HtmlWriter {
  const links: { readonly address: string; text: string }[] = [];
  const write = (text: string): void => {
    flow.text(text);
    const link = links.at(-1);
    if (link) link.text += text;
  };
  const endLink = (): void => {
    const link = links.pop();
    if (link === undefined || link.address === '' || maskMarkup(link.text) === link.address) return;
    flow.aside(link.text === '' ? ` ${link.address}` : ` <${link.address}>`);
  };
  return {
    enter: ({ name, attributes }) => {
      flow.open(name, attributes);
      if (name === 'br') flow.lineBreak();
      if (name === 'img')
        write(maskMarkup(attributes.get('alt')?.trim() ?? '').replaceAll(maskMarkup(' '), ' '));
      if (name === 'a') links.push({ address: addressOf(attributes), text: '' });
    },
    leave: (name) => {
      if (name === 'a') endLink();
      if (name === optIn?.linkElement.toLowerCase())
        flow.text(`: ${maskMarkup(`<${optIn.nameElement} value="optin" alt="">`)}`);
      flow.close(name);
    },
    text: write,
  };
}

/** Returns the address of a link so that no line breaks in it. Empty for a link to a place in the message itself. */
function addressOf(attributes: ReadonlyMap<string, string>): string {
  const address = (attributes.get('href') ?? attributes.get('xlink:href') ?? '')
    .trim()
    .replace(/^mailto:/i, '');
  return address.startsWith('#') ? '' : maskMarkup(address);
}
