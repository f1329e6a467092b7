/**
 * The records of a file up to its first quote, split at line ends and delimiters: for those that is all a CSV is. The rest
 * is left to the parser in `records.ts`, which takes ten times as long.
 */

export interface TextRecord {
  /** 1 and up; of a record with line breaks in quotes the first. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** What is left to the parser. */
export interface Unread {
  /** On which its first record begins. */
  readonly line: number;
  /** Whether that is the first record of the file, which a byte order mark may stand before. */
  readonly isStart: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Splitting {
  readonly delimiter: string;
  /** White space around cells is no part of them. */
  readonly trim: boolean;
  /** A longer record, in octets, is the parser's to judge. */
  readonly longest: number;
}

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const EMPTY = Buffer.alloc(0);

/** Empty lines are passed over and counted. Returns what it can't read, undefined at the end of the file. */
export async function* unquotedRecords(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, trim, longest }: Splitting,
): AsyncGenerator<TextRecord, Unread | undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  let line = 1;
  let isStart = true;
  let held: Buffer = EMPTY;
  for (let isOver = false; !isOver; ) {
    const { done, value } = await iterator.next();
    isOver = done === true;
    const read = done ? EMPTY : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const octets = held.length === 0 ? read : Buffer.concat([held, read]);
    // What follows the last line end is no whole record yet, and a CR at the end may have its LF still to come.
    const end = isOver ? octets.length : wholeLines(octets);
    held = octets.subarray(end);
    const lines = octets.includes(QUOTE) || held.length > longest ? undefined : linesOf(octets, end, isStart);
    // A character takes three octets at most for each unit of its text.
    if (lines?.every((text) => 3 * text.length <= longest) !== true)
      return { line, isStart, chunks: followedBy(octets, iterator) };
    if (end > 0) isStart = false;
    for (const text of lines) {
      const cells = cellsOf(text, delimiter, trim);
      if (cells.length > 1 || cells[0] !== '') yield { line, cells };
      line += 1;
    }
  }
  return undefined;
}

/** Where the last whole line ends. */
function wholeLines(octets: Buffer): number {
  const known = octets.at(-1) === CR ? octets.subarray(0, -1) : octets;
  return Math.max(known.lastIndexOf(LF), known.lastIndexOf(CR)) + 1;
}

/** Each without its end. */
function linesOf(octets: Buffer, end: number, isStart: boolean): readonly string[] {
  const hasMark = isStart && BYTE_ORDER_MARK.every((octet, at) => octets[at] === octet);
  const text = octets.toString('utf8', hasMark && end > 0 ? BYTE_ORDER_MARK.length : 0, end);
  if (text === '') return [];
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  // After the last line end there is nothing.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function cellsOf(line: string, delimiter: string, trim: boolean): readonly string[] {
  const cells = line.includes(delimiter) ? line.split(delimiter) : [line];
  return trim ? cells.map((cell) => cell.trim()) : cells;
}

async function* followedBy(
  octets: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (octets.length > 0) yield octets;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return;
    yield value;
  }
}
