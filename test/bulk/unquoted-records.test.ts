/** Two ways to read records give the same result: lines are split until the first quote, and a parser reads the rest. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuotedRecords, readDelimitedRecords } from '../../src/client/bulk/records.ts';
import { splitUnquotedRecords } from '../../src/client/bulk/unquoted-records.ts';
import { depth, SEED, tried } from '../support/depth.ts';

async function* inChunks(octets: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

async function collected(
  records: AsyncIterable<unknown>,
): Promise<{ readonly given: readonly unknown[]; readonly problem: string | undefined }> {
  const given: unknown[] = [];
  try {
    for await (const record of records) given.push(record);
  } catch (error) {
    return { given, problem: String(error) };
  }
  return { given, problem: undefined };
}

const piece = fc.constantFrom(
  ...['a', 'b c', ' ', '\t', '\u00a0', ',', ',', ';', '\n', '\n', '\r', '\r\n', '"', '""', '"x"', 'é', '€'],
  ...['\u{1f600}', '\ufeff', '\u0000', '\u2028', '\f', 'x'.repeat(50), '1', '@example.com'],
);
const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')));
/** Generates files of random octets, most of them not UTF-8. `source.ts` converts UTF-16 earlier, so no file begins with its mark. */
const files = fc
  .oneof(
    { weight: 4, arbitrary: texts },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((octets) => Buffer.from(octets)) },
  )
  .filter((octets) => !/^(\xff\xfe|\xfe\xff)/.test(octets.toString('latin1', 0, 2)));
/** Acceptance, F2. */
const FILES = depth('SVC_CSV_FILES', { few: 200, full: 100_000 });

describe('records of a file', () => {
  it(`of ${FILES} files match those of the parser, errors included, however the file is split (SVC_SEED=${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (octets, size, trim) => {
        const first =
          octets
            .toString('latin1')
            .split(/[\r\n]+/)
            .find((line) => line !== '') ?? '';
        const bare = first.replaceAll(/"[^"]*"/g, '');
        const [delimiter = ','] = [',', ';', '\t'].sort(
          (a, b) => bare.split(b).length - bare.split(a).length,
        );
        const alone = { line: 1, isStart: true, chunks: inChunks(octets, 65_536) };
        const parsed = await collected(parseQuotedRecords(alone, 'rows.csv', { delimiter, trim }));
        const read = await collected(readDelimitedRecords(inChunks(octets, size), 'rows.csv', trim));
        expect(read.problem).toBe(parsed.problem);
        expect(read.problem ?? 'BulkError').toMatch(/^BulkError/);
        // The number of rows before an error depends on the position of the parser's stream.
        const most = parsed.problem === undefined ? read.given.length : parsed.given.length;
        expect(read.given.slice(0, most)).toEqual(parsed.given);
      }),
      { numRuns: FILES, seed: SEED },
    );
    tried('F2', FILES);
  }, 3_600_000);

  it.each([
    ['a\rb', 1],
    ['a\r\nb\r\n\r\nc', 1],
    ['a\n\r', 2],
    ['\ufeffa\n\ufeffb', 3],
    ['\r\n\n\ra', 1],
  ])('%j in chunks of %i', async (text, size) => {
    const octets = Buffer.from(text);
    const alone = { line: 1, isStart: true, chunks: inChunks(octets, 65_536) };
    const parsed = await collected(parseQuotedRecords(alone, 'rows.csv', { delimiter: ',', trim: false }));
    expect(parsed.given.length).toBeGreaterThan(0);
    expect(await collected(readDelimitedRecords(inChunks(octets, size), 'rows.csv'))).toEqual(parsed);
  });

  it('are left to the parser from the first quote on, and if one is too long', async () => {
    const splitting = { delimiter: ',', trim: false, maxRecordOctets: 30 };
    for (const [text, line, rest] of [
      ['a,b\nc\n"d"\ne\n', 1, 'a,b\nc\n"d"\ne\n'],
      [`a\n${'x'.repeat(11)}\n`, 1, `a\n${'x'.repeat(11)}\n`],
    ] as const) {
      const records = splitUnquotedRecords(inChunks(Buffer.from(text), 65_536), splitting);
      const { done, value } = await records.next();
      expect(done).toBe(true);
      expect(value).toMatchObject({ line, isStart: true });
      const chunks = value !== undefined && 'chunks' in value ? value.chunks : inChunks(Buffer.alloc(0), 1);
      const parts: Uint8Array[] = [];
      for await (const part of chunks) parts.push(part);
      expect(Buffer.concat(parts).toString()).toBe(rest);
    }
  });
});
