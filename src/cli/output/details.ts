/** Shows one item as a list of its attributes. As in lists, nothing is truncated; long texts continue on the next line. */
import { displayWidth } from '../../text/display-width.ts';
import { wrapped } from '../../text/wrap.ts';
import { linesIn, oneLine, readingFor } from './cell.ts';
import type { Painter } from './colour.ts';
import { loadLayOut } from './lay-out.ts';
import { namesForCells } from './names.ts';
import type { Column } from './result.ts';
import type { TableOptions, Write } from './tabling.ts';
import { undeclaredColumns, type View } from './view.ts';
import { GAP } from './widths.ts';

export async function writeDetails(
  view: View,
  options: TableOptions,
  paint: Painter,
  write: Write,
): Promise<void> {
  const row = view.first ?? {};
  const columns = view.chosen ?? shownColumns(view);
  const reading = await readingFor(columns, [row], options);
  const named = await namesForCells(columns, [row], options.names);
  const names = columns.map(({ name, title }) => oneLine(title ?? name));
  const widest = Math.max(...['ATTRIBUTE', ...names].map(displayWidth));
  const room = options.width === undefined ? undefined : Math.max(NARROWEST, options.width - widest - GAP);
  const cells = columns.flatMap((column, index) => {
    const lines = linesIn(column, row, { ...reading, named }, room).flatMap(({ text, tone }) => {
      const parts = room === undefined ? [text] : wrapped(text, room);
      return parts.map((part) =>
        tone === undefined ? { text: part } : { text: part, painted: paint[tone](part) },
      );
    });
    return lines.map((line, at) => [{ text: at === 0 ? (names[index] ?? '') : '' }, line]);
  });
  const heading = options.header ? [[{ text: 'ATTRIBUTE' }, { text: 'VALUE' }]] : [];
  const lines = (await loadLayOut())([...heading, ...cells], { widths: [widest, 0] });
  for (const [index, line] of lines.entries()) {
    await write(`${options.header && index === 0 ? paint.heading(line) : line}\n`);
  }
}

const NARROWEST = 20;

/** Returns all attributes of the item. A computed word replaces the attributes it is derived from. */
export function shownColumns({ declared, columns, first: row = {} }: View): readonly Column[] {
  const has = (name: string): boolean => Object.hasOwn(row, name);
  const words = columns.filter(({ computed: workedOut }) => workedOut?.from.every(has));
  const shown = declared
    .filter(({ name }) => has(name))
    .flatMap((column) => {
      const word = words.find(({ computed: workedOut }) => workedOut?.from.includes(column.name));
      if (word === undefined) return [column];
      return word.computed?.from[0] === column.name ? [word] : [];
    });
  return [...shown, ...undeclaredColumns(declared, row)];
}
