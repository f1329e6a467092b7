/** Content of a help page, and its layout for the width of a terminal. */
import { Help } from 'commander';
import { wrapShellCommand } from '../../text/words.ts';

/** Row of a help page: a flag, a command or a word, with its description. */
export interface HelpItem {
  readonly term: string;
  readonly text: string;
}

export interface HelpSection {
  readonly heading: string;
  readonly items?: readonly HelpItem[];
  readonly paragraphs?: readonly string[];
  /** Lines of a file or of a shell, shown unchanged so that they can be copied. */
  readonly code?: readonly string[];
}

export interface HelpPage {
  readonly summary: string;
  readonly usage: string;
  readonly sections: readonly HelpSection[];
  readonly examples: readonly string[];
  /** Lines below the examples: exit codes, the section of the interface, and aliases. */
  readonly facts?: readonly string[];
  /** Shorter version of `facts`, for a page that would not fit a screen with `facts`. */
  readonly factsInShort?: readonly string[];
  /** Paragraphs at the end of the help page, after the flags, so that the flags stay on the first screen. */
  readonly notes: readonly string[];
}

/** Returns the page as text, wrapped and never truncated. @param terminalWidth the width of the terminal, if there is one */
export function formatHelpPage(helpPage: HelpPage, terminalWidth: number | undefined): string {
  const columns = terminalWidth ?? HELP_WIDTH_WITHOUT_TERMINAL;
  // A program reads the whole example from one line.
  const examples = helpPage.examples.map((line) => `Example: ${line}`);
  const page = {
    ...helpPage,
    examples:
      terminalWidth === undefined ? examples : examples.map((line) => wrapShellCommand(line, columns)),
  };
  const { factsInShort } = page;
  const text = textOf(page, columns);
  if (factsInShort === undefined || heightOf(text, columns) <= SCREEN_LINES) return text;
  const shorter = textOf({ ...page, facts: factsInShort }, columns);
  return heightOf(shorter, columns) <= SCREEN_LINES ? shorter : text;
}

/** Width of help in columns if there is no terminal. The documentation uses the same width. */
export const HELP_WIDTH_WITHOUT_TERMINAL = 100;

/** Height of the smallest terminal that a help page should fit: 80 by 24. */
const SCREEN_LINES = 24;

const heightOf = (text: string, columns: number): number =>
  text
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);

function textOf(page: HelpPage, columns: number): string {
  const { summary, usage, sections, examples, facts = [], notes } = page;
  const terms = sections.flatMap(({ items = [] }) => items.map(({ term }) => term.length));
  const termWidth = Math.min(Math.max(0, ...terms), Math.floor(columns * MAX_TERM_SHARE));
  const parts = [
    [wrapped(summary, columns), wrapped(`Usage: ${usage}`, columns, '         ')].join('\n'),
    ...sections.flatMap((section) => sectionText(section, termWidth, columns)),
    [...examples, ...facts.map((fact) => wrapped(fact, columns))].join('\n'),
    notes.map((note) => wrapped(note, columns)).join('\n'),
  ].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/** Returns the text with a full stop at its end, unless the text already has one. */
export const withFinalPunctuation = (text: string): string => (/[.!?:]$/.test(text) ? text : `${text}.`);

function sectionText(section: HelpSection, termWidth: number, columns: number): readonly string[] {
  const { heading, items = [], paragraphs = [], code = [] } = section;
  const lines = [
    ...items.map((item) => itemText(item, termWidth, columns)),
    ...paragraphs.map((text) => wrapped(`${GAP}${text}`, columns, GAP)),
    ...code.map((line) => `${GAP}${line}`.trimEnd()),
  ];
  return lines.length === 0 ? [] : [[`${heading}:`, ...lines].join('\n')];
}

/** Maximum share of the width that the column of terms may take. The text of a longer term starts on the next line. */
const MAX_TERM_SHARE = 0.45;
const GAP = '  ';
/** Minimum width of the text beside a term. If less space is left, the text is below the term. */
const MIN_TEXT_WIDTH = 24;

function itemText({ term, text }: HelpItem, termWidth: number, columns: number): string {
  const left = GAP.length + termWidth + GAP.length;
  if (columns - left < MIN_TEXT_WIDTH) return below(term, text, GAP.repeat(3), columns);
  const indent = ' '.repeat(left);
  if (term.length > termWidth) return below(term, text, indent, columns);
  return wrapped(`${GAP}${term.padEnd(termWidth)}${GAP}${text}`, columns, indent).trimEnd();
}

const below = (term: string, text: string, indent: string, columns: number): string =>
  `${GAP}${term}\n${wrapped(`${indent}${text}`, columns, indent)}`;

/**
 * Wraps text with commander, which is loaded anyway to parse the command line. `text/display-width.ts` would load the tables of wide characters
 * for every help page.
 * @param indent indentation of the lines after the first
 */
function wrapped(text: string, columns: number, indent = ''): string {
  const help = new Help();
  help.minWidthToWrap = 1;
  const [first = '', ...rest] = help.boxWrap(text, columns).split('\n');
  if (rest.length === 0) return first;
  const more = help.boxWrap(rest.join(' '), Math.max(1, columns - indent.length)).split('\n');
  return [first, ...more.map((line) => `${indent}${line}`)].join('\n');
}

/** Returns a section of a help page. @param rows the text of each term, or pairs of a term and its text */
export const helpSection = (
  heading: string,
  rows: Readonly<Record<string, string>> | readonly (readonly [term: string, text: string])[],
): HelpSection => {
  const pairs = Array.isArray(rows) ? rows : Object.entries(rows);
  return { heading, items: pairs.map(([term, text]) => ({ term, text })) };
};
