/** Finds content that some mail programs show and others do not, because they read HTML in different ways. */
import { findStyleEffects } from '../../kit/text/css-effects.ts';
import { readComment } from '../../kit/text/html-comments.ts';
import { HIDDEN_ELEMENTS, type HtmlTag, visibleText, visitHtml } from '../../kit/text/html-tokens.ts';
import { parseHtmlTree, visitTree } from '../../kit/text/html-tree.ts';
import { type FindingDraft, quoted } from './drafts.ts';
import type { ParsedHtml } from './html-parts.ts';

export function readerFindings(html: ParsedHtml): readonly FindingDraft[] {
  const tally = createTally();
  const inHeads = readTokens(html.source, tally);
  for (const { text, at } of html.styles) {
    const { texts, uncomputed } = findStyleEffects(text);
    const added = texts.find((each) => /[\p{L}\p{N}]/u.test(each));
    if (added !== undefined) tally.add('style', at, quoted(added));
    else if (uncomputed.some((each) => each.startsWith('content:'))) tally.add('style', at);
  }
  if (html.tags.length > MAX_DEPTH && isTooDeep(html.source)) tally.add('depth', undefined);
  const headFindings = inHeads.map(({ text, at }) => ({
    ...({ rule: 'text-in-head', part: 'html', at } as const),
    message: `The head contains ${text}. Some mail programs show it and others do not.`,
  }));
  return [...headFindings, ...tally.drafts()];
}

/**
 * Maximum number of elements around a text. Gecko (Thunderbird) flattens elements that are nested deeper than 200, Blink and WebKit those
 * deeper than 512.
 */
const MAX_DEPTH = 200;

type Difference = 'comment' | 'condition' | 'depth' | 'field' | 'late-head' | 'style' | 'svg';

const DIFFERENCES: Readonly<Record<Difference, readonly [message: string, instead: string]>> = {
  comment: [
    'This comment or declaration is malformed. Mail programs find its end in different places',
    'Begin each comment with <!-- and end it with -->.',
  ],
  condition: [
    'A conditional comment decides which mail programs show this text or link',
    'Put texts and links into the HTML itself, or check them in Outlook.',
  ],
  depth: [
    `Text or tags are nested in more than ${MAX_DEPTH} elements. Mail programs treat these differently`,
    'Close the elements that are no longer needed.',
  ],
  field: ['Few mail programs show form fields', 'Link to a page with the form.'],
  'late-head': [
    'This <head> is not at the beginning. Some mail programs leave out its content',
    'Use one <head>, before <body>.',
  ],
  style: ['Some mail programs do not show text that styles add', 'Write the text in the HTML.'],
  svg: ['Few mail programs show text in SVG', 'Write the text in the HTML.'],
};

interface Tally {
  /** @param excerpt an example for the message, in quotation marks */
  readonly add: (what: Difference, at: number | undefined, excerpt?: string) => void;
  readonly drafts: () => readonly FindingDraft[];
}

function createTally(): Tally {
  const found = new Map<
    Difference,
    { readonly at: number | undefined; readonly excerpt: string; count: number }
  >();
  return {
    add: (what, at, excerpt = '') => {
      const known = found.get(what);
      if (known) known.count += 1;
      else found.set(what, { at, excerpt: excerpt === '' ? '' : `: ${excerpt}`, count: 1 });
    },
    drafts: () =>
      [...found].map(([what, { at, excerpt, count }]) => {
        const [message, instead] = DIFFERENCES[what];
        const times = count === 1 ? '' : ` (${count} places)`;
        return {
          ...({ rule: 'reader-dependent', part: 'html' } as const),
          message: `${message}${excerpt}${times}.`,
          instead,
          ...(at === undefined ? {} : { at }),
        };
      }),
  };
}

/** Parse errors of the HTML standard ("Parse errors") after which readers disagree about what is a comment. */
const COMMENT_ERRORS: ReadonlySet<string> = new Set([
  ...[
    'abrupt-closing-of-empty-comment',
    'cdata-in-html-content',
    'incorrectly-closed-comment',
    'nested-comment',
  ],
  ...['incorrectly-opened-comment', 'unexpected-question-mark-instead-of-tag-name'],
]);

const FIELDS: ReadonlySet<string> = new Set(['button', 'input', 'select', 'textarea']);

interface HeadText {
  readonly text: string;
  readonly at: number;
}

function readTokens(source: string, tally: Tally): readonly HeadText[] {
  const inHeads: HeadText[] = [];
  let isInHead = false;
  let hasHeadText = false;
  let hasContent = false;
  let hidden = '';
  let svgDepth = 0;
  let isConditional = false;
  const addVisible = (text: string, at: number): void => {
    if (isInHead && !hasHeadText) inHeads.push({ text, at });
    hasHeadText ||= isInHead;
    hasContent ||= !isInHead;
  };
  const openHead = ({ start }: HtmlTag): void => {
    if (hasContent || isInHead) tally.add('late-head', start);
    isInHead = true;
    hasHeadText = false;
  };
  visitHtml(source, {
    onStartTag: (tag) => {
      const { name, start } = tag;
      if (HIDDEN_ELEMENTS.has(name)) hidden = name;
      if (name === 'head') openHead(tag);
      if (name === 'body') {
        isInHead = false;
        hasContent = true;
      }
      if (name === 'img') addVisible('an image', start);
      if (name === 'svg' && !tag.isSelfClosing) svgDepth += 1;
      if (FIELDS.has(name) && !/^hidden$/i.test(tag.attribute('type') ?? ''))
        tally.add('field', start, `<${name}>`);
    },
    onEndTag: ({ name }) => {
      if (name === hidden) hidden = '';
      if (name === 'head') isInHead = false;
      if (name === 'svg') svgDepth = Math.max(0, svgDepth - 1);
    },
    onText: (text, { start }) => {
      const visible = hidden === '' ? text.replace(/\{%[^%]{0,1000}%\}/g, '').trim() : '';
      if (visible === '') return;
      addVisible(quoted(visible), start);
      if (svgDepth > 0) tally.add('svg', start, quoted(visible));
      if (isConditional) tally.add('condition', start, quoted(visible));
      isConditional = false;
    },
    onComment: (data, { start }) => {
      const meaning = readComment(data);
      if (meaning.kind === 'begin') isConditional = true;
      if (meaning.kind === 'end') isConditional = false;
      if (meaning.kind !== 'conditional') return;
      const text = visibleText(meaning.html).trim();
      if (text !== '') tally.add('condition', start, quoted(text));
      else if (/\shref\s{0,20}=/i.test(meaning.html)) tally.add('condition', start);
    },
    onError: (code, { start }) => {
      const isConditionTag = /^<?!\[(?:if|endif)/i.test(source.slice(start - 2, start + 10).trimStart());
      if (COMMENT_ERRORS.has(code) && !isConditionTag) tally.add('comment', start);
    },
  });
  return inHeads;
}

function isTooDeep(source: string): boolean {
  const tree = parseHtmlTree(source);
  if (tree === undefined) return true;
  let depth = 0;
  let deepest = 0;
  visitTree(tree.root, {
    enter: () => {
      depth += 1;
      return true;
    },
    leave: () => {
      depth -= 1;
    },
    text: (text) => {
      if (text.trim() !== '') deepest = Math.max(deepest, depth);
    },
  });
  return deepest > MAX_DEPTH;
}
