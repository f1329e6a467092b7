/** A page of help: what it says, and how it is laid out for a terminal's width. */
import { Help } from 'commander';

export interface HelpItem {
  readonly term: string;
  readonly text: string;
}

export interface HelpSection {
  readonly heading: string;
  readonly items?: readonly HelpItem[];
  readonly paragraphs?: readonly string[];
  /** Lines of a file or of a shell, shown as they are, so that they can be copied. */
  readonly code?: readonly string[];
}

export interface HelpPage {
  readonly summary: string;
  readonly usage: string;
  readonly sections: readonly HelpSection[];
  readonly examples: readonly string[];
  /** A line each, below the examples: exit codes, section of the interface, aliases. */
  readonly facts?: readonly string[];
  /** The same in fewer lines, for a page that would not fit a screen. */
  readonly factsInShort?: readonly string[];
  /** Paragraphs after all else, so that the flags stand on the first screen. */
  readonly notes: readonly string[];
}

/** Wrapped, never cut. @param columns the width of the terminal */
export function layOut(page: HelpPage, columns: number): string {
  const { factsInShort } = page;
  const text = textOf(page, columns);
  if (factsInShort === undefined || heightOf(text, columns) <= SCREEN_LINES) return text;
  const shorter = textOf({ ...page, facts: factsInShort }, columns);
  return heightOf(shorter, columns) <= SCREEN_LINES ? shorter : text;
}

/** Of the smallest terminal that people use: 80 by 24. */
const SCREEN_LINES = 24;

const heightOf = (text: string, columns: number): number =>
  text
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);

function textOf(page: HelpPage, columns: number): string {
  const { summary, usage, sections, examples, facts = [], notes } = page;
  const terms = sections.flatMap(({ items = [] }) => items.map(({ term }) => term.length));
  const termWidth = Math.min(Math.max(0, ...terms), Math.floor(columns * MOST_FOR_TERMS));
  const parts = [
    [wrapped(summary, columns), wrapped(`Usage: ${usage}`, columns, '         ')].join('\n'),
    ...sections.flatMap((section) => sectionText(section, termWidth, columns)),
    // Unwrapped, so that they can be copied.
    [...examples.map((line) => `Example: ${line}`), ...facts.map((fact) => wrapped(fact, columns))].join(
      '\n',
    ),
    notes.map((note) => wrapped(note, columns)).join('\n'),
  ].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/** As a part of a text: with the full stop that a line of its own goes without. */
export const sentence = (text: string): string => (/[.!?:]$/.test(text) ? text : `${text}.`);

function sectionText(section: HelpSection, termWidth: number, columns: number): readonly string[] {
  const { heading, items = [], paragraphs = [], code = [] } = section;
  const lines = [
    ...items.map((item) => itemText(item, termWidth, columns)),
    ...paragraphs.map((text) => wrapped(`${GAP}${text}`, columns, GAP)),
    ...code.map((line) => `${GAP}${line}`.trimEnd()),
  ];
  return lines.length === 0 ? [] : [[`${heading}:`, ...lines].join('\n')];
}

/** A column of terms may take so much of the width; a longer term has its text on the next line. */
const MOST_FOR_TERMS = 0.45;
const GAP = '  ';
/** Narrower than this a text beside its term is harder to read than one below it. */
const LEAST_FOR_TEXT = 24;

function itemText({ term, text }: HelpItem, termWidth: number, columns: number): string {
  const left = GAP.length + termWidth + GAP.length;
  if (columns - left < LEAST_FOR_TEXT) return below(term, text, GAP.repeat(3), columns);
  const indent = ' '.repeat(left);
  if (term.length > termWidth) return below(term, text, indent, columns);
  return wrapped(`${GAP}${term.padEnd(termWidth)}${GAP}${text}`, columns, indent).trimEnd();
}

const below = (term: string, text: string, indent: string, columns: number): string =>
  `${GAP}${term}\n${wrapped(`${indent}${text}`, columns, indent)}`;

/**
 * By commander, which is loaded to read the command line anyhow: `text/wrapped.ts` would bring the tables of wide characters
 * to every page of help.
 * @param indent of the lines after the first
 */
function wrapped(text: string, columns: number, indent = ''): string {
  const help = new Help();
  help.minWidthToWrap = 1;
  const [first = '', ...rest] = help.boxWrap(text, columns).split('\n');
  if (rest.length === 0) return first;
  const more = help.boxWrap(rest.join(' '), Math.max(1, columns - indent.length)).split('\n');
  return [first, ...more.map((line) => `${indent}${line}`)].join('\n');
}
