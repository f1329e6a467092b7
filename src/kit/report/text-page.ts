/** Lays out a page of text for people: headings, paragraphs, bullet points, terms and commands. Wraps text, and never cuts it off. */
import { alignColumns, displayWidth, wrapLinesBreakingWords } from '../text/display-width.ts';
import { escapeForTerminal } from '../text/terminal.ts';
import {
  linesOfCell,
  type Report,
  type ReportBlock,
  type ReportSection,
  type ReportTable,
  type TermWithText,
} from './report.ts';

export interface TextPageLine {
  readonly text: string;
  readonly isHeading: boolean;
}

/**
 * Returns the lines of the page, in which control characters and line feeds of a text are escaped. A line is wider than `width` columns only
 * if not even one character fits.
 */
export function formatTextPageLines({ title, sections }: Report, width: number): readonly TextPageLine[] {
  const heading = (text: string): readonly TextPageLine[] =>
    wrapLinesBreakingWords(escapeForTerminal(text), width).map((line) => ({ text: line, isHeading: true }));
  const body = ({ blocks }: ReportSection): readonly TextPageLine[] =>
    blocks.flatMap((block) => formatTextBlock(block, width)).map((text) => ({ text, isHeading: false }));
  return [
    ...heading(title),
    ...sections
      .filter(({ blocks }) => blocks.length > 0)
      .flatMap((section) => [EMPTY, ...heading(section.title), ...body(section)]),
  ];
}

const EMPTY: TextPageLine = { text: '', isHeading: false };
const MARGIN = '  ';

export function formatTextBlock(block: ReportBlock, width: number): readonly string[] {
  const safe = (text: string): string => escapeForTerminal(text);
  switch (block.kind) {
    case 'paragraph':
      return hanging(safe(block.text), width, MARGIN, MARGIN);
    case 'points':
      return block.texts.flatMap((text) => hanging(safe(text), width, `${MARGIN}- `, `${MARGIN}  `));
    case 'terms':
      return linesOfTerms(
        block.terms.map(({ term, text }) => ({ term: safe(term), text: safe(text) })),
        width,
      );
    case 'entry':
      return [
        ...hanging(safe(block.head), width, MARGIN, MARGIN.repeat(2)),
        ...hanging(safe(block.text), width, MARGIN.repeat(3), MARGIN.repeat(3)),
      ];
    case 'command':
      return linesOfCommand(safe(block.line), width);
    case 'verbatim':
      return block.lines
        .map(safe)
        .flatMap((line) =>
          displayWidth(line) + MARGIN.length <= width
            ? [`${MARGIN}${line}`.trimEnd()]
            : hanging(line.trim(), width, MARGIN, MARGIN),
        );
    case 'unbroken':
      return block.lines.flatMap((line) => markedLines(`${MARGIN}${safe(line)}`.trimEnd(), width));
    case 'diff':
      return formatTextBlock({ kind: 'unbroken', lines: block.unified.trimEnd().split('\n') }, width);
    case 'findings': {
      const texts = block.findings.map(({ severity, text }) => `${severity}: ${text}`);
      return formatTextBlock({ kind: 'points', texts: texts.length === 0 ? ['None.'] : texts }, width);
    }
    case 'table':
      return formatTextBlock(
        block.sentences === undefined
          ? { kind: 'unbroken', lines: alignedRows(block) }
          : { kind: 'terms', terms: block.sentences },
        width,
      );
    case 'message':
      return [];
    default:
      return block satisfies never;
  }
}

const alignedRows = ({ columns, rows }: ReportTable): readonly string[] =>
  alignColumns(
    [
      columns.map(({ title }) => title),
      ...rows.map((row) => row.map((cell) => escapeForTerminal(linesOfCell(cell).join(', ')))),
    ],
    (at) => columns[at]?.isNumber === true,
  );

const GOES_ON_BELOW = '┆ ';

/** Wraps a line that other people wrote. `┆` begins each continued line, so that no part of the text looks like a line of the page. */
function markedLines(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const start = `${/^ */.exec(line)?.[0] ?? ''}${MARGIN}${GOES_ON_BELOW}`;
  const lines: string[] = [];
  let current = '';
  for (const character of line) {
    if (current !== '' && displayWidth(current + character) > width) {
      lines.push(current);
      current = start;
    }
    current += character;
  }
  return [...lines, current];
}

/** Wraps the text. `first` precedes its first line, and `rest` precedes every other line. */
function hanging(text: string, width: number, first: string, rest: string): readonly string[] {
  const room = Math.max(1, width - Math.max(displayWidth(first), displayWidth(rest)));
  return wrapLinesBreakingWords(text, room).map((line, index) =>
    `${index === 0 ? first : rest}${line}`.trimEnd(),
  );
}

function linesOfTerms(terms: readonly TermWithText[], width: number): readonly string[] {
  const widest = Math.max(0, ...terms.map(({ term }) => displayWidth(term)));
  const column = MARGIN.length + widest + 2;
  if (column > width / 2) {
    return terms.flatMap(({ term, text }) => [
      ...(term === '' ? [] : hanging(term, width, MARGIN, MARGIN.repeat(2))),
      ...hanging(text, width, MARGIN.repeat(3), MARGIN.repeat(3)),
    ]);
  }
  return terms.flatMap(({ term, text }) =>
    hanging(
      text,
      width,
      `${MARGIN}${term}${' '.repeat(widest - displayWidth(term) + 2)}`,
      ' '.repeat(column),
    ),
  );
}

const PROMPT = '$ ';
const GOES_ON = ' \\';

/** Wraps a shell command between its words, and keeps a flag next to its value if there is room. */
function linesOfCommand(line: string, width: number): readonly string[] {
  const room = width - MARGIN.length * 2 - GOES_ON.length;
  const [first = '', ...words] = wordsOfShell(line);
  const units: string[] = [];
  for (const word of words) {
    const last = units.at(-1) ?? '';
    const isValue = /^--?[a-z-]+$/.test(last) && !word.startsWith('-');
    if (isValue && displayWidth(`${last} ${word}`) <= room) units[units.length - 1] = `${last} ${word}`;
    else units.push(word);
  }
  const lines: string[] = [];
  let current = `${MARGIN}${PROMPT}${first}`;
  for (const [index, unit] of units.entries()) {
    const longer = `${current} ${unit}`;
    const end = index === units.length - 1 ? 0 : GOES_ON.length;
    if (displayWidth(longer) + end <= width) {
      current = longer;
      continue;
    }
    lines.push(`${current}${GOES_ON}`);
    current = `${MARGIN.repeat(2)}${unit}`;
  }
  return [...lines, current].flatMap((each) =>
    displayWidth(each) > width ? wrapLinesBreakingWords(each, width) : [each],
  );
}

const wordsOfShell = (line: string): readonly string[] => line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
