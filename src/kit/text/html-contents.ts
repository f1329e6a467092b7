/**
 * Finds everything that some mail program may show or open of an HTML message, for a person who approves it. Mail programs read HTML and
 * styles in different ways. Where they differ, the result has the text of each.
 */
import { findStyleEffects } from './css-effects.ts';
import { type AddressKind, findTagAddresses, openedAddress } from './html-addresses.ts';
import { findAttributeTexts } from './html-attribute-texts.ts';
import { readComment } from './html-comments.ts';
import { readDataAddress } from './html-data.ts';
import { createHtmlFlow, type HtmlFlow } from './html-flow.ts';
import { createHtmlWriter, type OptInNames } from './html-to-text.ts';
import { findUnfinishedTag, restoreMaskedMarkup } from './html-tokens.ts';
import {
  type HtmlElement,
  type HtmlTagContent,
  type HtmlTree,
  ownTextOf,
  parseHtmlTree,
  tagContentOf,
  visitTree,
} from './html-tree.ts';

/** Part of a message that only some mail programs show. */
export type HtmlPart =
  | { readonly kind: 'conditional'; readonly condition: string }
  | { readonly kind: 'comment' }
  /** The text for programs that do not know the element. */
  | { readonly kind: 'fallback'; readonly element: string }
  /** A page or a picture inside an attribute. */
  | { readonly kind: 'embedded' }
  /** Text that older browsers show, because they drop tags in a list of options. */
  | { readonly kind: 'older' };

export type HtmlNote =
  /** `name` is an attribute, or `page title`, or `data` for data that some programs show. */
  | { readonly kind: 'attribute'; readonly name: string; readonly text: string }
  | { readonly kind: 'part'; readonly part: HtmlPart; readonly lines: readonly HtmlLine[] }
  | { readonly kind: 'optional'; readonly condition: string; readonly text: string }
  /** A tag or comment at the end without its end. Browsers leave it out. */
  | { readonly kind: 'unfinished'; readonly text: string };

export type HtmlLine = string | HtmlNote;

export interface HtmlAddress {
  readonly kind: AddressKind;
  /** Address as the message writes it, with entities decoded. */
  readonly address: string;
  /** The address that opens, if it differs in more than its form. */
  readonly opens: string | undefined;
  /** The part of the message that has the address, or undefined for the message itself. */
  readonly part: HtmlPart | undefined;
}

export interface StyleText {
  /** `text` is text in quotation marks. `declaration` shows text that depends on other values. `attribute` is the value of an attribute. */
  readonly kind: 'text' | 'declaration' | 'attribute';
  readonly text: string;
  readonly part: HtmlPart | undefined;
}

export interface HtmlContents {
  readonly lines: readonly HtmlLine[];
  readonly addresses: readonly HtmlAddress[];
  readonly styleTexts: readonly StyleText[];
}

interface ReadingOptions {
  readonly width: number;
  readonly optIn: OptInNames;
}

/** Levels of parts in parts that are read as HTML. Deeper ones are shown as they are written. */
const MAX_LEVELS = 8;

/**
 * Returns the contents, or undefined if the HTML has no tree (`parseHtmlTree`). The lines have all texts, hidden ones included, because
 * styles that hide a text differ between mail programs.
 */
export function readHtmlContents(html: string, options: ReadingOptions): HtmlContents | undefined {
  const found: Found = { addresses: new Map(), styleTexts: new Map(), shownAttributes: new Map(), tags: [] };
  const lines = readPart(html, found, options, []);
  if (lines === undefined) return undefined;
  const otherLines = /<select/i.test(html) ? linesOfOlderBrowsers(html, found, options, lines) : [];
  for (const { attributes } of found.tags)
    for (const [name, text] of attributes) {
      const shown = found.shownAttributes.get(name.toLowerCase());
      if (shown && text !== '') addOnce(found.styleTexts, { kind: 'attribute', text, ...shown });
    }
  const bases = [...found.addresses.values()].filter(({ kind }) => kind === 'base');
  const base = bases.find(({ part }) => part === undefined) ?? bases[0];
  return {
    lines: [...lines, ...otherLines],
    addresses: [...found.addresses.values()].map((each) => ({
      ...each,
      opens: openedAddress(each.address, each.kind === 'base' ? undefined : base?.address),
    })),
    styleTexts: [...found.styleTexts.values()],
  };
}

interface Found {
  readonly addresses: Map<string, Omit<HtmlAddress, 'opens'>>;
  readonly styleTexts: Map<string, StyleText>;
  /** Attributes whose values the styles show, by name, and the part with the style. */
  readonly shownAttributes: Map<string, { readonly part: HtmlPart | undefined }>;
  readonly tags: HtmlTagContent[];
}

function addOnce<T extends object>(found: Map<string, T>, value: T): void {
  const key = JSON.stringify(value);
  if (!found.has(key)) found.set(key, value);
}

/** Returns the lines that differ in browsers that drop tags in a list of options. */
function linesOfOlderBrowsers(
  html: string,
  found: Found,
  options: ReadingOptions,
  lines: readonly HtmlLine[],
): readonly HtmlLine[] {
  const known = new Set(lines.map((line) => JSON.stringify(line)));
  const tree = parseHtmlTree(html, { dropsTagsInSelect: true });
  const others = readPart(html, found, options, [], tree)?.filter((line) => !known.has(JSON.stringify(line)));
  return others?.length ? [{ kind: 'part', part: { kind: 'older' }, lines: others }] : [];
}

/** @param parts the parts around it, outermost first */
function readPart(
  html: string,
  found: Found,
  options: ReadingOptions,
  parts: readonly HtmlPart[],
  tree: HtmlTree | undefined = parts.length > MAX_LEVELS ? undefined : parseHtmlTree(html),
): readonly HtmlLine[] | undefined {
  if (tree === undefined) return undefined;
  const part = parts[0];
  const flow = createHtmlFlow<HtmlNote>(options.width);
  const writer = createHtmlWriter(flow, options.optIn);
  /** Texts of attributes that have a note. A text that a message repeats has one note. */
  const noted = new Set<string>();
  const readInside = (inner: HtmlPart, text: string): void => {
    const lines = readPart(text, found, options, [...parts, inner]) ?? text.trim().split(/\r\n?|\n/);
    if (lines.some((line) => line !== '')) flow.note({ kind: 'part', part: inner, lines });
  };
  const addStyle = (css: string): void => {
    const { texts, uncomputed, attributes, addresses } = findStyleEffects(css);
    for (const text of texts) addOnce(found.styleTexts, { kind: 'text', text, part });
    for (const text of uncomputed) addOnce(found.styleTexts, { kind: 'declaration', text, part });
    for (const name of attributes)
      if (!found.shownAttributes.has(name)) found.shownAttributes.set(name, { part });
    for (const address of addresses) addAddress('style', address);
  };
  const addAddress = (kind: AddressKind, address: string): void => {
    addOnce(found.addresses, { kind, address, part });
    const data = readDataAddress(address);
    if (data?.kind === 'css') addStyle(data.text);
    else if (data) readInside({ kind: 'embedded' }, data.text);
  };
  const describeTag = (tag: HtmlTagContent, includesAlt: boolean): void => {
    if (tag.attributes.size === 0) return;
    found.tags.push(tag);
    for (const each of findAttributeTexts(tag, includesAlt)) {
      const key = JSON.stringify(each);
      if (!noted.has(key)) flow.note({ kind: 'attribute', ...each });
      noted.add(key);
    }
    for (const { kind, address } of findTagAddresses(tag)) addAddress(kind, address);
    const style = tag.attributes.get('style');
    if (style !== undefined) addStyle(style);
    const inner = tag.attributes.get('srcdoc');
    if (inner !== undefined) readInside({ kind: 'embedded' }, inner);
  };
  const optional = createOptionalTexts(flow);
  const open: OpenElement[] = [];
  visitTree(tree.root, {
    enter: (element) => {
      const tag = tagContentOf(element);
      const own = ownReading(element);
      const around = open.at(-1);
      const isInLabel = around?.isLabel === true;
      if (own === undefined && !isInLabel) writer.enter(tag);
      describeTag(tag, isInLabel);
      if (own?.note) flow.note(own.note);
      if (own?.fallback) readInside({ kind: 'fallback', element: tag.name }, own.fallback);
      if (own !== undefined) return false;
      open.push({
        isWritten: !isInLabel,
        isLabel: isInLabel || tag.name === 'option',
        ...(tag.name === 'style' ? { css: [] } : {}),
      });
      return true;
    },
    leave: ({ tagName }) => {
      const element = open.pop();
      if (element?.css) addStyle(restoreMaskedMarkup(element.css.join('')));
      if (element?.isWritten) writer.leave(tagName);
    },
    text: (text) => {
      const element = open.at(-1);
      element?.css?.push(text);
      if (element?.css && !element.isLabel) return;
      writer.text(text);
      optional.text(text);
    },
    comment: (data) => {
      const meaning = readComment(restoreMaskedMarkup(data));
      if (meaning.kind === 'conditional')
        readInside({ kind: 'conditional', condition: meaning.condition }, meaning.html);
      else if (meaning.kind === 'html') readInside({ kind: 'comment' }, meaning.html);
      else if (meaning.kind === 'begin') optional.begin(meaning.condition);
      else if (meaning.kind === 'end') optional.end();
    },
  });
  optional.end();
  for (const tag of tree.ignoredTags) describeTag(tag, true);
  const unfinished = findUnfinishedTag(html);
  if (unfinished !== undefined) flow.note({ kind: 'unfinished', text: unfinished });
  return flow.lines();
}

interface OpenElement {
  readonly css?: string[];
  /** True for an option and everything in it. Browsers show all text in an option as one line, rules of styles included. */
  readonly isLabel: boolean;
  readonly isWritten: boolean;
}

/** Collects the text between `<![if !mso]>` and `<![endif]>`, and adds a note with it. */
function createOptionalTexts(flow: Pick<HtmlFlow<HtmlNote>, 'note'>) {
  let open: { readonly condition: string; readonly texts: string[] } | undefined;
  const end = (): void => {
    const text = restoreMaskedMarkup((open?.texts ?? []).join(''))
      .trim()
      .replace(/\s+/g, ' ');
    if (open && text !== '') flow.note({ kind: 'optional', condition: open.condition, text });
    open = undefined;
  };
  return {
    begin: (condition: string): void => {
      end();
      open = { condition, texts: [] };
    },
    text: (text: string): void => {
      open?.texts.push(text);
    },
    end,
  };
}

interface OwnReading {
  readonly note?: HtmlNote;
  readonly fallback?: string;
}

/** Returns what to show instead of the content of an element, or undefined to show the content. */
function ownReading(element: HtmlElement): OwnReading | undefined {
  // In SVG and MathML, these names have no meaning of their own, and the elements have other elements inside.
  if (element.namespaceURI !== HTML_NAMESPACE) return undefined;
  switch (element.tagName) {
    case 'title':
      return ownNote('page title', ownTextOf(element));
    case 'script': {
      const type = element.attrs.find(({ name }) => name === 'type')?.value ?? '';
      // Some mail programs show this data as buttons or offers. They run no scripts.
      return /json/i.test(type) ? ownNote('data', ownTextOf(element)) : {};
    }
    case 'iframe':
    case 'noembed':
    case 'noframes':
      return { fallback: ownTextOf(element) };
    default:
      return undefined;
  }
}

const HTML_NAMESPACE: string = 'http://www.w3.org/1999/xhtml';

const ownNote = (name: string, text: string): OwnReading =>
  text.trim() === '' ? {} : { note: { kind: 'attribute', name, text: text.trim().replace(/\s+/g, ' ') } };
