import { Help } from 'commander';
import { wrapShellCommand } from '../../kit/text/words.ts';

export interface HelpItem {
  readonly term: string;
  readonly text: string;
}

export interface HelpSection {
  readonly heading: string;
  readonly items?: readonly HelpItem[];
  readonly paragraphs?: readonly string[];
  readonly code?: readonly string[];
}

export interface HelpPage {
  readonly summary: string;
  readonly usage: string;
  readonly sections: readonly HelpSection[];
  readonly examples: readonly string[];
  /** Lines of the example's output. On a terminal, they are omitted if the page would no longer fit the screen. */
  readonly exampleOutput?: readonly string[] | undefined;
  readonly facts?: readonly string[];
  readonly factsInShort?: readonly string[];
  readonly notes: readonly string[];
}

export function formatHelpPage(helpPage: HelpPage, terminalWidth: number | undefined): string {
  const columns = terminalWidth ?? HELP_WIDTH_WITHOUT_TERMINAL;
  // A program reads the whole example from one line.
  const examples = helpPage.examples.map((line) => `Example: ${line}`);
  const page = {
    ...helpPage,
    examples:
      terminalWidth === undefined ? examples : examples.map((line) => wrapShellCommand(line, columns)),
  };
  const { facts = [], factsInShort = facts, exampleOutput } = page;
  const pages = [page, { ...page, facts: factsInShort }];
  if (terminalWidth !== undefined && exampleOutput !== undefined)
    pages.unshift({ ...page, examples: [...page.examples, ...exampleOutput.map((line) => GAP + line)] });
  const [first = '', ...others] = pages.map((each) => textOf(each, columns));
  return [first, ...others].find((text) => heightOf(text, columns) <= SCREEN_LINES) ?? first;
}

/** The documentation uses the same width. */
export const HELP_WIDTH_WITHOUT_TERMINAL = 100;

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

/** The text of a longer term starts on the next line. */
const MAX_TERM_SHARE = 0.45;
const GAP = '  ';
/** If less space is left, the text is below the term. */
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

/** `kit/text/display-width.ts` would load the tables of wide characters for every help page. */
function wrapped(text: string, columns: number, indent = ''): string {
  const help = new Help();
  help.minWidthToWrap = 1;
  const [first = '', ...rest] = help.boxWrap(text, columns).split('\n');
  if (rest.length === 0) return first;
  const more = help.boxWrap(rest.join(' '), Math.max(1, columns - indent.length)).split('\n');
  return [first, ...more.map((line) => `${indent}${line}`)].join('\n');
}

/** @param rows the text of each term, or pairs of a term and its text */
export const helpSection = (
  heading: string,
  rows: Readonly<Record<string, string>> | readonly (readonly [term: string, text: string])[],
): HelpSection => {
  const pairs = Array.isArray(rows) ? rows : Object.entries(rows);
  return { heading, items: pairs.map(([term, text]) => ({ term, text })) };
};
