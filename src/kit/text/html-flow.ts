/** Lays out the text of HTML in lines: paragraphs, headings, lists and quotations. */
import { wrapLinesKeepingWords } from './display-width.ts';
import { restoreMaskedMarkup } from './html-tokens.ts';

export interface HtmlFlow<Note extends object> {
  /** Begins an element. Only elements that start a new line have an effect; each of them needs a `close`. */
  readonly open: (name: string, attributes: ReadonlyMap<string, string>) => void;
  readonly close: (name: string) => void;
  /** Adds text. White space counts as one space, except inside elements such as `<pre>`. */
  readonly text: (text: string) => void;
  /** Adds text after the current word, which may end in another element. */
  readonly aside: (text: string) => void;
  readonly lineBreak: () => void;
  /** Adds a note. It stands on a separate line after the current paragraph. */
  readonly note: (note: Note) => void;
  readonly lines: () => readonly (string | Note)[];
}

/**
 * Matches invisible characters that messages use to fill the preview of a mail program. The lines leave them out, because Windows-1252 does
 * not have most of them.
 */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]|\u034f|[\u200c\u200d]/g;

/** Matches a character that ends a word. An invisible character does not. */
const NOT_IN_WORD = /[^\p{L}\p{M}\p{N}\p{Cf}]/u;

/** Columns that the signs of nested lists and quotations may take. Deeper nesting adds none. */
const MAX_INDENT = 24;
const MIN_WIDTH = 20;
/** Number of lines that an underlined heading may have. */
const MAX_HEADING_LINES = 20;
const RULE_WIDTH = 40;

const ONE_LINE_BREAK = [
  'address article aside body button caption center datalist dd desc details dialog div dt fieldset',
  'figcaption footer foreignObject form header hgroup legend li main marquee nav optgroup option search',
  'section summary tbody td text textarea tfoot th thead title tr',
];
const EMPTY_LINE = [
  'blockquote dir dl figure h1 h2 h3 h4 h5 h6 hr listing menu ol p plaintext pre table ul xmp',
];
const names = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '));
/** Line breaks before and after each element that starts a new line. Two of them make an empty line. */
const LINE_BREAKS: ReadonlyMap<string, number> = new Map([
  ...names(ONE_LINE_BREAK).map((name) => [name, 1] as const),
  ...names(EMPTY_LINE).map((name) => [name, 2] as const),
]);
const LISTS: ReadonlySet<string> = new Set(['dir', 'menu', 'ol', 'ul']);
const PREFORMATTED: ReadonlySet<string> = new Set(['listing', 'plaintext', 'pre', 'textarea', 'xmp']);

/**
 * Creates an empty flow.
 * @param width maximum columns of a line; a longer word, such as an address, stays whole
 */
export function createHtmlFlow<Note extends object>(width: number): HtmlFlow<Note> {
  const lines: (string | Note)[] = [];
  const boxes: Box[] = [];
  let pieces: string[] = [];
  let endsInSpace = true;
  let asides: string[] = [];
  let notes: Note[] = [];
  let earlierNotes: Note[] = [];
  let gap = 0;
  let hasText = false;
  let preformatted = 0;

  const addEarlierNotes = (): void => {
    for (const note of earlierNotes) lines.push(note);
    earlierNotes = [];
  };
  const addText = (added: string): void => {
    if (preformatted > 0) {
      pieces.push(added);
      return;
    }
    const text = added.replace(/[ \t\n\f\r]+/g, ' ');
    pieces.push(endsInSpace && text.startsWith(' ') ? text.slice(1) : text);
    endsInSpace = text === '' ? endsInSpace : text.endsWith(' ');
  };
  const addAsides = (): void => {
    for (const aside of asides) addText(aside);
    asides = [];
  };
  const endParagraph = (): void => {
    addAsides();
    const text = cleaned(pieces.join(''), preformatted > 0);
    pieces = [];
    endsInSpace = true;
    if (text.trim() !== '') {
      addEarlierNotes();
      if (hasText && gap > 1) lines.push('');
      hasText = true;
      for (const line of text.replace(/^\n/, '').trimEnd().split('\n')) {
        const start = beginLine(boxes);
        const room = Math.max(MIN_WIDTH, width - start.length);
        const wrapped = preformatted > 0 ? [line] : wrapLinesKeepingWords(line.trim(), room);
        for (const [index, each] of wrapped.entries())
          lines.push(restoreMaskedMarkup((index === 0 ? start : beginLine(boxes)) + each).trimEnd());
      }
      gap = text.endsWith('\n\n') ? 2 : 1;
    }
    for (const note of notes) earlierNotes.push(note);
    notes = [];
  };
  const breakLine = (breaks: number): void => {
    endParagraph();
    gap = Math.max(gap, breaks);
  };
  const breaksOf = (name: string): number | undefined =>
    LISTS.has(name) && boxes.at(-1)?.isInItem ? 1 : LINE_BREAKS.get(name);
  return {
    open: (name, attributes) => {
      const breaks = breaksOf(name);
      if (breaks === undefined) return;
      breakLine(breaks);
      if (PREFORMATTED.has(name)) preformatted += 1;
      boxes.push(createBox(name, attributes, boxes.at(-1), lines.length));
      if (name === 'hr') pieces.push('-'.repeat(Math.min(width, RULE_WIDTH)));
    },
    close: (name) => {
      if (!LINE_BREAKS.has(name)) return;
      endParagraph();
      const box = boxes.pop();
      if (PREFORMATTED.has(name)) preformatted -= 1;
      if (box !== undefined && /^h[1-6]$/.test(name)) underline(lines, box, name === 'h1' ? '=' : '-');
      breakLine(breaksOf(name) ?? 1);
    },
    text: (added) => {
      if (asides.length === 0) {
        addText(added);
        return;
      }
      const wordEnd = added.search(NOT_IN_WORD);
      if (wordEnd !== 0) addText(wordEnd === -1 ? added : added.slice(0, wordEnd));
      if (wordEnd === -1) return;
      addAsides();
      addText(added.slice(wordEnd));
    },
    aside: (text) => {
      asides.push(text);
    },
    lineBreak: () => {
      addAsides();
      pieces.push('\n');
      endsInSpace = true;
    },
    note: (note) => {
      notes.push(note);
    },
    lines: () => {
      endParagraph();
      addEarlierNotes();
      return lines;
    },
  };
}

/** Returns the text without invisible characters, with one space for a row of no-break spaces. */
function cleaned(text: string, isPreformatted: boolean): string {
  const visible = text.replace(INVISIBLE, '');
  return isPreformatted ? visible.replace(/\r\n?/g, '\n') : visible.replace(/(?:\u00a0[ \t]*){2,}/g, ' ');
}

interface Box {
  /** Sign at the start of its first line, such as ` * `. Empty for most elements. */
  readonly sign: string;
  readonly indent: string;
  readonly isInItem: boolean;
  readonly firstLine: number;
  /** Number of the next item of a list, and the step to the one after it. Undefined for a list without numbers. */
  readonly numbers?: { next: number; readonly step: number };
  isBegun: boolean;
}

function createBox(
  name: string,
  attributes: ReadonlyMap<string, string>,
  parent: Box | undefined,
  firstLine: number,
): Box {
  const sign = name === 'li' ? signOfItem(attributes, parent) : name === 'blockquote' ? '> ' : '';
  const ownIndent = name === 'blockquote' ? sign : ' '.repeat(sign.length);
  const step = attributes.has('reversed') ? -1 : 1;
  return {
    sign,
    indent: ((parent?.indent ?? '') + ownIndent).slice(0, MAX_INDENT),
    isInItem: name === 'li' || parent?.isInItem === true,
    firstLine,
    ...(name === 'ol' ? { numbers: { next: integerOf(attributes.get('start')) ?? 1, step } } : {}),
    isBegun: false,
  };
}

function signOfItem(attributes: ReadonlyMap<string, string>, list: Box | undefined): string {
  const margin = list?.isInItem ? '' : ' ';
  const numbers = list?.numbers;
  if (numbers === undefined) return `${margin}* `;
  const number = integerOf(attributes.get('value')) ?? numbers.next;
  numbers.next = number + numbers.step;
  return `${margin}${number}. `;
}

function integerOf(text: string | undefined): number | undefined {
  const number = Number.parseInt(text ?? '', 10);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the start of the next line, with the signs of all boxes whose first line it is. */
function beginLine(boxes: readonly Box[]): string {
  let start = '';
  for (let at = boxes.length - 1; at >= 0; at -= 1) {
    const box = boxes[at];
    if (box === undefined || box.isBegun) return ((box?.indent ?? '') + start).slice(0, MAX_INDENT);
    start = (box.sign + start).slice(0, MAX_INDENT);
    box.isBegun = true;
  }
  return start;
}

function underline(lines: (string | object)[], { firstLine, indent }: Box, sign: string): void {
  if (lines.length - firstLine > MAX_HEADING_LINES) return;
  const texts = lines
    .slice(firstLine)
    .filter((line): line is string => typeof line === 'string' && line !== '');
  if (texts.length === 0) return;
  lines.push(indent + sign.repeat(Math.max(...texts.map(({ length }) => length)) - indent.length));
}
