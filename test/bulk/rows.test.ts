/** The parts of a bulk job: records, columns and fingerprints. */
import { describe, expect, it } from 'vitest';
import { mapConcurrentlyInOrder } from '../../src/cli/nouns/dnc/check-contacts.ts';
import { findColumn } from '../../src/client/bulk/columns.ts';
import { createTextFingerprintSet } from '../../src/client/bulk/fingerprints.ts';
import { readDelimitedRecords } from '../../src/client/bulk/records.ts';

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

async function recordsOf(text: string, size = 65_536) {
  const records: [number, readonly string[]][] = [];
  for await (const { line, cells } of readDelimitedRecords(inChunks(text, size), 'rows.csv'))
    records.push([line, cells]);
  return records;
}

const WHY_NOT_SKIPPED =
  'the row cannot be skipped: because of a misplaced quote, svc cannot tell where the row ends';

describe('records', () => {
  const TEXT = '\ufeffa,"b ""x"""\r\n\r\n"one\r\ntwo",é\n,\nlast,';
  const RECORDS = [
    [1, ['a', 'b "x"']],
    [3, ['one\r\ntwo', 'é']],
    [5, ['', '']],
    [6, ['last', '']],
  ];
  it.each([65_536, 1, 2, 3, 7])(
    'are the same in chunks of %i octets, with the correct line numbers',
    async (size) => {
      expect(await recordsOf(TEXT, size)).toEqual(RECORDS);
    },
  );

  it.each([
    ['semicolons', 'a;b,c;d\n1;2', ['a', 'b,c', 'd']],
    ['tabs', 'a\tb\n', ['a', 'b']],
    ['commas inside quotes', '"a,b,c";d\n', ['a,b,c', 'd']],
    ['nothing', 'a b\n', ['a b']],
  ])('are split at %s', async (_, text, cells) => {
    expect((await recordsOf(text))[0]).toEqual([1, cells]);
  });

  // A faulty quote in line 39 used to be reported as "Max Record Size at line 4461".
  const before = Array.from({ length: 38 }, (_, row) =>
    `p${row}@example.com,"b\nc"`.replace(row > 0 ? '\n' : '', ''),
  );
  const after = Array.from({ length: 9000 }, (_, row) => `q${row}@example.com,b`);
  const more = [...after, 'x,"y"'];
  it.each([
    ['is not closed within 100,000 bytes', ['x,"y', ...after], 40],
    ['is never closed', ['x,"y', ...after.slice(0, 30)], 40],
    ['text after the closing quote', ['x,"y', ...after.slice(0, 30), ...more.slice(-1)], 40],
    ['is not closed within 100,000 bytes', ['"v\nw","y', ...after], 41],
    ['text after the closing quote', ['"x"y,z'], 40],
  ])('name the line on which a faulty quote opens (%s)', async (words, lines, opened) => {
    // A hundred thousand chunks of one octet would take a second. Chunks of seven also cut each kind of place in a line.
    const smallest = lines.length > 100 ? 7 : 1;
    for (const [ending, size] of [
      ['\n', 65_536],
      ['\r\n', 65_536],
      ['\n', 999],
      ['\r\n', smallest],
    ] as const) {
      const text = [...before, ...lines].join('\n').replaceAll('\n', ending);
      const read = recordsOf(size === smallest ? text.slice(0, 250_000) : text, size);
      await expect(read).rejects.toMatchObject({
        name: 'BulkError',
        kind: 'input',
        message: expect.stringContaining(`rows.csv: line ${opened}: `),
        hints: [expect.stringContaining('close the quote'), WHY_NOT_SKIPPED],
      });
      await expect(read).rejects.toThrow(words);
    }
  });

  it('say why svc does not skip a row with a quote inside a cell', async () => {
    await expect(recordsOf('a,b\nx"y,z\n')).rejects.toMatchObject({
      hints: [expect.stringContaining('put quotes around the whole cell'), WHY_NOT_SKIPPED],
    });
  });

  it.each([
    ['a,b\n\nx"y,z\n', 'line 3: unexpected quote inside a cell'],
    [
      `a,b\n${'x'.repeat(200_000)}\n`,
      'line 2: the row is longer than 100,000 bytes (the longest row that svc reads)',
    ],
  ])('name the line of a record that cannot be read', async (text, words) => {
    await expect(recordsOf(text)).rejects.toThrow(words);
  });

  it('returns no rows for an empty file', async () => {
    expect(await recordsOf('')).toEqual([]);
    expect(await recordsOf('\n\r\n')).toEqual([]);
  });
});

describe('the column with the values', () => {
  const known = [{ name: 'email', names: ['email'] }];
  const isValue = (cell: string) => cell.includes('@');
  it.each([
    [['Name', 'E-Mail'], undefined, { at: 1, hasHeader: true }],
    [['a@b.cd'], undefined, { at: 0, hasHeader: false }],
    [['x', 'Mail to'], 'mail to', { at: 1, hasHeader: true }],
    [['x', 'a@b.cd'], '2', { at: 1, hasHeader: false }],
    [['x', 'y'], '2', { at: 1, hasHeader: true }],
  ])('%j with %s', (first, asked, expected) => {
    expect(findColumn(first, asked, known, isValue)).toEqual(expected);
  });
});

describe('fingerprints', () => {
  it('distinguish known texts from new ones in sets of all sizes', () => {
    const prints = createTextFingerprintSet(Buffer.from('salt of a test'));
    const places = new Set<number>();
    // The set grows twice.
    for (let at = 0; at < 24_000; at += 1) places.add(prints.add(`person${at}@example.com`));
    expect(places.has(-1)).toBe(false);
    expect([prints.size(), prints.add('person7@example.com'), prints.find('nobody@example.com')]).toEqual([
      24_000, -1, -1,
    ]);
    const place = prints.find('person23999@example.com');
    expect([prints.flag(place), prints.flag(place)]).toEqual([false, true]);
  });

  it('keep their flags when the set grows', () => {
    const prints = createTextFingerprintSet(Buffer.from('salt of a test'));
    prints.flag(prints.add('first'));
    for (let at = 0; at < 24_000; at += 1) prints.add(String(at));
    expect(prints.flag(prints.find('first'))).toBe(true);
    expect(prints.flag(prints.find('0'))).toBe(false);
  });
});

describe('ordered results', () => {
  it('come in the order of the items, and an error is thrown at its turn', async () => {
    const items = async function* () {
      yield* [30, 10, 20, 0];
    };
    const work = async (item: number) => {
      await new Promise((resolve) => setTimeout(resolve, item));
      if (item === 0) throw new Error('the last one');
      return item;
    };
    const results: number[] = [];
    const reading = (async () => {
      for await (const result of mapConcurrentlyInOrder(items(), 3, work)) results.push(result);
    })();
    await expect(reading).rejects.toThrow('the last one');
    expect(results).toEqual([30, 10, 20]);
  });
});
