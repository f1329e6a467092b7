/** Records of a CSV, a TSV or a file of plain lines, as a stream, each with the line on which it begins. */
import { UsageError } from '../errors.ts';

export interface TextRecord {
  /** 1 and up; of a record with line breaks in quotes the first. */
  readonly line: number;
  readonly cells: readonly string[];
}

const LONGEST_RECORD = 100_000;

/**
 * Empty lines are passed over and counted. The delimiter is the one of comma, semicolon and tab that the first line
 * holds most of; a byte order mark, LF, CR LF and quotes are taken as they come.
 * @throws UsageError for a quote that is never closed, or a record of more than 100,000 octets
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<TextRecord> {
  const [{ parse }, { Readable }] = await Promise.all([import('csv-parse'), import('node:stream')]);
  const iterator = chunks[Symbol.asyncIterator]();
  const { first, all } = await withFirstLine(iterator);
  const parser = parse({
    bom: true,
    delimiter: delimiterIn(first),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: LONGEST_RECORD,
  });
  // As little as can be is read ahead of the rows that are given.
  const source = Readable.from(all, { objectMode: true, highWaterMark: 1 });
  source.on('error', (error: Error) => parser.destroy(error));
  source.pipe(parser);
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      if (cells.length > 1 || cells[0] !== '') yield { line, cells };
      line += 1 + lineBreaksIn(cells);
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && /^(CSV_|INVALID_)/.test(String(cause.code)))
      throw new UsageError(`cannot read ${name}: ${cause.message}`, { cause });
    throw cause;
  } finally {
    source.destroy();
    await iterator.return?.();
  }
}

/** Reads as far as the end of the first line that isn't empty, and gives all that was read again. */
async function withFirstLine(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ readonly first: string; readonly all: AsyncIterable<Uint8Array> }> {
  const read: Uint8Array[] = [];
  let text = '';
  let isOver = false;
  while (!isOver && text.length < LONGEST_RECORD && !/[^\r\n\ufeff][\r\n]/.test(text)) {
    const { done, value } = await iterator.next();
    isOver = done === true;
    if (done) break;
    read.push(value);
    text += Buffer.from(value.buffer, value.byteOffset, Math.min(value.length, LONGEST_RECORD)).toString(
      'latin1',
    );
  }
  const [first = ''] = text.split(/[\r\n]+/).filter((line) => line !== '');
  return { first, all: restOf(read, iterator) };
}

async function* restOf(
  read: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return;
    yield value;
  }
}

function delimiterIn(line: string): string {
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  const best = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return best.delimiter;
}

function lineBreaksIn(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return count;
}
