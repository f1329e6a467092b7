import { BulkError } from './errors.ts';
import { splitUnquotedRecords, type TextRecord, type UnparsedFileRest } from './unquoted-records.ts';

const MAX_RECORD_OCTETS = 100_000;

/**
 * Empty lines are skipped but counted. A misplaced quote ends the reading: svc could mistake the lines of a quoted cell for records.
 * @param trim removes white space around cells, but not inside quotes
 * @throws BulkError with the line, for a quote that is never closed, and for a record of more than 100,000 bytes
 */
export async function* readDelimitedRecords(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  trim = false,
): AsyncGenerator<TextRecord> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const { first, all } = await withFirstLine(iterator);
    const splitting = { delimiter: delimiterIn(first), trim, maxRecordOctets: MAX_RECORD_OCTETS };
    const unread = yield* splitUnquotedRecords(all, splitting);
    if (unread !== undefined) yield* parseQuotedRecords(unread, name, splitting);
  } finally {
    await iterator.return?.();
  }
}

export async function* parseQuotedRecords(
  unread: UnparsedFileRest,
  name: string,
  { delimiter, trim }: { readonly delimiter: string; readonly trim: boolean },
): AsyncGenerator<TextRecord> {
  const [{ parse }, { Readable }] = await Promise.all([import('csv-parse'), import('node:stream')]);
  /** The parser reads ahead of the loop below, so `next` can be greater than `line`. */
  let next = unread.line;
  let line = unread.line;
  const parser = parse({
    bom: unread.isStart,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_RECORD_OCTETS,
    trim,
    on_record: (cells: string[]) => {
      next += 1 + lineBreaksIn(cells);
      return cells;
    },
  });
  // The parser names lines in some of its messages.
  Object.assign(parser.info, { lines: unread.line });
  // A low mark keeps the reading as little as possible ahead of the yielded rows.
  const source = Readable.from(unread.chunks, { objectMode: true, highWaterMark: 1 });
  source.on('error', (error: Error) => parser.destroy(error));
  source.pipe(parser);
  try {
    const records: AsyncIterable<readonly string[]> = parser;
    for await (const cells of records) {
      if (cells.length > 1 || cells[0] !== '') yield { line, cells };
      line += 1 + lineBreaksIn(cells);
    }
  } catch (cause) {
    throw describeParseError(cause, name, next, parser);
  } finally {
    source.destroy();
  }
}

/** @param line number of the line on which the unreadable record begins */
function describeParseError(cause: unknown, name: string, line: number, parser: object): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  const { quoting, record = [] } = stateOf(parser);
  // Complete cells of that record may have line breaks too.
  const opened = line + lineBreaksIn(record);
  const problem = (at: number, reason: string, hint?: string): BulkError =>
    new BulkError('input', `cannot read ${name}: line ${at}: ${reason}`, {
      ...(hint && { hints: [hint, NOT_SKIPPED] }),
      cause,
    });
  switch (cause.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return problem(opened, 'a quote is never closed', CLOSE);
    case 'CSV_INVALID_CLOSING_QUOTE':
      return problem(opened, 'unexpected text after the closing quote of the cell that begins here', CLOSE);
    case 'INVALID_OPENING_QUOTE':
      return problem(
        line,
        'unexpected quote inside a cell',
        'put quotes around the whole cell, and double the quotes inside it ("")',
      );
    case 'CSV_MAX_RECORD_SIZE':
      return quoting
        ? problem(
            opened,
            'a quote is not closed within 100,000 bytes (the longest row that svc reads)',
            CLOSE,
          )
        : problem(line, 'the row is longer than 100,000 bytes (the longest row that svc reads)');
    default:
      return /^CSV_/.test(String(cause.code))
        ? new BulkError('input', `cannot read ${name}: ${cause.message}`, { cause })
        : cause;
  }
}

/** Users expect svc to skip it, because svc skips rows with other faults. */
const NOT_SKIPPED =
  'the row cannot be skipped: because of a misplaced quote, svc cannot tell where the row ends';
const CLOSE = 'close the quote, or double a quote that belongs to the text ("")';

/** The types of the parser's package do not declare this state. */
const stateOf = (parser: object): { readonly quoting?: boolean; readonly record?: readonly string[] } =>
  ('state' in parser && typeof parser.state === 'object' && parser.state) || {};

/** `all` replays the octets that were read to find the first line. */
async function withFirstLine(
  iterator: AsyncIterator<Uint8Array>,
): Promise<{ readonly first: string; readonly all: AsyncIterable<Uint8Array> }> {
  const read: Uint8Array[] = [];
  let text = '';
  let isOver = false;
  while (!isOver && text.length < MAX_RECORD_OCTETS && !/[^\r\n\ufeff][\r\n]/.test(text)) {
    const { done, value } = await iterator.next();
    isOver = done === true;
    if (done) break;
    read.push(value);
    text += Buffer.from(value.buffer, value.byteOffset, Math.min(value.length, MAX_RECORD_OCTETS)).toString(
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
