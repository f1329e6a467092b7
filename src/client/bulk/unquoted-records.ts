/**
 * Splits a file into records up to its first quote. The parser in `records.ts` reads the rest, and takes ten times as long for the same
 * text.
 */

export interface TextRecord {
  /** Counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface UnparsedFileRest {
  readonly line: number;
  /** True if the record may start with a byte order mark. */
  readonly isStart: boolean;
  readonly chunks: AsyncIterable<Uint8Array>;
}

interface RecordSplitOptions {
  readonly delimiter: string;
  readonly trim: boolean;
  readonly maxRecordOctets: number;
}

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const EMPTY = Buffer.alloc(0);

/** Skips empty lines, but counts them. Returns the rest of the file for the parser in `records.ts`, or undefined at the end of the file. */
export async function* splitUnquotedRecords(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, trim, maxRecordOctets }: RecordSplitOptions,
): AsyncGenerator<TextRecord, UnparsedFileRest | undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  let line = 1;
  let isStart = true;
  let held: Buffer = EMPTY;
  for (let isOver = false; !isOver; ) {
    const { done, value } = await iterator.next();
    isOver = done === true;
    const read = done ? EMPTY : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const octets = held.length === 0 ? read : Buffer.concat([held, read]);
    // The text after the last line end is not a complete record yet. A CR at the end may still be followed by its LF.
    const end = isOver ? octets.length : endOfWholeLines(octets);
    held = octets.subarray(end);
    const lines =
      octets.includes(QUOTE) || held.length > maxRecordOctets ? undefined : linesOf(octets, end, isStart);
    // A character takes at most three octets for each unit of its text.
    if (lines?.every((text) => 3 * text.length <= maxRecordOctets) !== true)
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

function endOfWholeLines(octets: Buffer): number {
  const known = octets.at(-1) === CR ? octets.subarray(0, -1) : octets;
  return Math.max(known.lastIndexOf(LF), known.lastIndexOf(CR)) + 1;
}

/**
 * @param end index after the last complete line
 * @param isStart true if a byte order mark is removed
 */
function linesOf(octets: Buffer, end: number, isStart: boolean): readonly string[] {
  const hasMark = isStart && BYTE_ORDER_MARK.every((octet, at) => octets[at] === octet);
  const text = octets.toString('utf8', hasMark && end > 0 ? BYTE_ORDER_MARK.length : 0, end);
  if (text === '') return [];
  const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
  // The piece after the last line end is empty and is not a line.
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
