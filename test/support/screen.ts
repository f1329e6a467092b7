/** A terminal with the features that our views use: lines, a cursor, and the sequences that move and clear. */
import type { OutputStream } from '../../src/cli/outside/context.ts';
import { displayWidth } from '../../src/kit/text/display-width.ts';

export interface Screen extends OutputStream {
  columns: number;
  /** Returns what a person sees, without blanks at the ends of lines. */
  readonly shown: () => string;
  /** Each different picture, in order. */
  readonly frames: readonly string[];
  /** Returns all output. */
  readonly written: () => string;
}

/** @param prompts true if it also obeys the sequences of questions, which our own views never use */
export function createScreen(columns: number, { prompts = false } = {}): Screen {
  let rows: string[][] = [[]];
  let [row, column] = [0, 0];
  let written = '';
  const frames: string[] = [];
  const shown = (): string => rows.map((cells) => cells.join('').trimEnd()).join('\n');
  const screen: Screen = {
    isTTY: true,
    columns,
    frames,
    shown,
    written: () => written,
    write: async (text) => {
      written += text;
      for (const [piece] of text.matchAll(/\x1b\[\??[0-9;]*[A-Za-z]|\r|\n|\P{M}\p{M}*/gu)) take(piece);
      if (frames.at(-1) !== shown()) frames.push(shown());
    },
  };
  function take(piece: string): void {
    const control = /^\x1b\[([0-9;]*)([A-Za-z])$/.exec(piece);
    if (prompts && takeOfPrompt(piece)) return;
    if (piece === '\r') column = 0;
    else if (piece === '\n') {
      row += 1;
      column = 0;
    } else if (control?.[2] === 'A') row = Math.max(0, row - Number(control[1] || 1));
    else if (control?.[2] === 'K') rows[row] = line().slice(0, column);
    else if (control?.[2] === 'J') {
      rows[row] = line().slice(0, column);
      rows = rows.slice(0, row + 1);
    } else if (control?.[2] === 'm') return;
    else if (control) throw new Error(`a sequence that no view should write: ${JSON.stringify(piece)}`);
    else put(piece);
    while (rows.length <= row) rows.push([]);
  }
  /** Consumes a sequence that questions write, and returns whether it was one. */
  function takeOfPrompt(piece: string): boolean {
    if (/^\x1b\[\?25[hl]$/.test(piece)) return true;
    const [, count = '', what = ''] = /^\x1b\[([0-9]*)([GBCDK])$/.exec(piece) ?? [];
    if (what === 'K' && count !== '2') return false;
    const by = Number(count || 1);
    if (what === 'G') column = by - 1;
    else if (what === 'B') row += by;
    else if (what === 'C') column += by;
    else if (what === 'D') column = Math.max(0, column - by);
    else if (what === 'K') rows[row] = [];
    while (rows.length <= row) rows.push([]);
    return what !== '';
  }
  const line = (): string[] => rows[row] ?? [];
  function put(piece: string): void {
    const width = displayWidth(piece);
    if (column + width > screen.columns) {
      row += 1;
      column = 0;
      while (rows.length <= row) rows.push([]);
    }
    const cells = line();
    while (cells.length < column) cells.push(' ');
    cells.splice(column, width, piece, ...Array(Math.max(0, width - 1)).fill(''));
    column += width;
  }
  return screen;
}
