/** Describes the HTML of a message for the approver of a plan. Only text of the message is in quotation marks, so it cannot imitate svc's. */
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { hasDynamicMarkup } from '../../../kit/text/dynamic-markup.ts';
import type { AddressKind } from '../../../kit/text/html-addresses.ts';
import {
  type HtmlAddress,
  type HtmlLine,
  type HtmlNote,
  type HtmlPart,
  readHtmlContents,
  type StyleText,
} from '../../../kit/text/html-contents.ts';
import { truncateText } from '../../../kit/text/words.ts';
import { quoteOnOneLine } from './quoting.ts';

const WIDTH = 68;

/**
 * Returns lines about everything that some mail program may show or open. `links` open after a click; `otherAddresses` load or open
 * without one, or complete others.
 */
export function describeHtml(
  html: string,
  optIn: ContentMarkupNames,
): Readonly<Record<'texts' | 'links' | 'otherAddresses', readonly string[]>> {
  const contents = readHtmlContents(html, { width: WIDTH, optIn });
  if (contents === undefined) {
    const title = 'HTML, which svc cannot show as text, because its tags would make too many elements:';
    return { texts: sourceWords(title, html), links: [], otherAddresses: [] };
  }
  const { lines, styleTexts, addresses } = contents;
  const of = (...kinds: readonly AddressKind[]): readonly HtmlAddress[] =>
    addresses.filter(({ kind }) => kinds.includes(kind));
  return {
    texts: [
      'HTML as text:',
      ...(lines.length === 0 ? [''] : lines).flatMap(lineWords),
      ...styleTexts.map(styleWords),
      ...(hasDynamicMarkup(html) ? sourceWords(DYNAMIC_MARKUP_TITLE, html) : []),
    ],
    links: [...of('link'), ...of('form')].map(addressWords),
    otherAddresses: [
      ...of('refresh', 'frame', 'base').map(addressWords),
      ...groupWords('images:', of('image')),
      ...groupWords('styles and fonts:', of('style')),
      ...groupWords('other addresses:', of('other')),
    ],
  };
}

const DYNAMIC_MARKUP_TITLE =
  'HTML itself, because dynamic content changes its tags, so that some people get other texts than these:';

const sourceWords = (title: string, html: string): readonly string[] => [
  title,
  ...html.split(/\r\n?|\n/).map((line) => indented(quoteOnOneLine(line))),
];

const indented = (line: string): string => `  ${line}`;

const lineWords = (line: HtmlLine): readonly string[] =>
  (typeof line === 'string' ? [quoteOnOneLine(line)] : noteWords(line)).map(indented);

/** Maximum length of a text that is also in the lines. */
const MAX_REPEATED_LENGTH = 60;

function noteWords(note: HtmlNote): readonly string[] {
  switch (note.kind) {
    case 'attribute':
      return [`${ATTRIBUTE_WORDS[note.name] ?? note.name}: ${quoteOnOneLine(note.text)}`];
    case 'part':
      return [`${partWords(note.part)}:`, ...note.lines.flatMap(lineWords)];
    case 'optional': {
      const text = quoteOnOneLine(truncateText(note.text, MAX_REPEATED_LENGTH));
      return [`left out where the condition ${quoteOnOneLine(note.condition)} is false: ${text}`];
    }
    case 'unfinished':
      return [`unfinished at the end: ${quoteOnOneLine(note.text)}`];
    default:
      return note satisfies never;
  }
}

const ATTRIBUTE_WORDS: Readonly<Record<string, string>> = {
  content: 'description',
  data: 'data for mail programs',
  dir: 'direction of the letters',
  string: 'text of a drawing',
};

function partWords(part: HtmlPart): string {
  switch (part.kind) {
    case 'conditional': {
      const condition = quoteOnOneLine(part.condition);
      return /mso|vml/i.test(part.condition)
        ? `only in Outlook (${condition})`
        : `only where ${condition} is true`;
    }
    case 'comment':
      return 'in a comment, which most mail programs hide';
    case 'fallback':
      return `only without support for ${part.element}`;
    case 'embedded':
      return 'in a page or picture inside the message';
    case 'older':
      return 'in browsers before 2025, which read lists of options in another way';
    default:
      return part satisfies never;
  }
}

const partSuffix = (part: HtmlPart | undefined): string => (part === undefined ? '' : `, ${partWords(part)}`);

function styleWords({ kind, text, part }: StyleText): string {
  const words = {
    text: 'styles add text',
    declaration: 'styles add text that svc cannot compute',
    attribute: 'styles add the text of an attribute',
  };
  return `${words[kind]}${partSuffix(part)}: ${quoteOnOneLine(text)}`;
}

const ADDRESS_WORDS: Readonly<Record<AddressKind, string>> = {
  link: 'link to ',
  form: 'form sends to ',
  refresh: 'page moves on to ',
  frame: 'frame shows ',
  base: 'base of incomplete addresses ',
  image: '',
  style: '',
  other: '',
};

function addressWords({ kind, address, opens, part }: HtmlAddress): string {
  const opened = opens === undefined ? '' : `, which means ${quoteOnOneLine(opens)}`;
  return `${ADDRESS_WORDS[kind]}${quotedAddress(address)}${opened}${partSuffix(part)}`;
}

/** Maximum length of an address that contains its data. The digest of the HTML covers the rest. */
const MAX_DATA_LENGTH = 200;

const quotedAddress = (address: string): string =>
  /^data:/i.test(address) && address.length > MAX_DATA_LENGTH
    ? `${quoteOnOneLine(truncateText(address, MAX_DATA_LENGTH))} (${address.length} characters)`
    : quoteOnOneLine(address);

const groupWords = (title: string, addresses: readonly HtmlAddress[]): readonly string[] =>
  addresses.length === 0 ? [] : [title, ...addresses.map(addressWords).map(indented)];
