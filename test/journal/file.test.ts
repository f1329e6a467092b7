import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  appendJournalLine,
  MAX_JOURNAL_FILE_OCTETS,
  MAX_ROTATED_JOURNAL_FILES,
  readJournalFile,
} from '../../src/client/journal/file.ts';
import { readJournalEntries } from '../../src/client/journal/read.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
const platform = 'linux';
const LINE = {
  state: 'done',
  method: 'POST',
  resource: 'folder',
  time: '2026-12-01T09:00:00.000Z',
  command: 'x',
};

beforeEach(async () => {
  folder = join(await makeTemporaryFolder('journal'), 'state', 'journal');
});
afterEach(() => rm(dirname(dirname(folder)), { recursive: true }));

const append = (more: object = {}, n?: number) =>
  appendJournalLine(
    { ...LINE, ...more },
    { folder, platform, sync: true, ...(n === undefined ? {} : { n }) },
  );
const path = (name = 'journal.ndjson') => join(folder, name);

it('writes one JSON line each, numbered from 1', async () => {
  expect([await append(), await append(), await append()]).toEqual([1, 2, 3]);
  const lines = (await readFile(path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).n)).toEqual([1, 2, 3]);
});

it('writes an intent and its result as one write, and never uses a number twice', async () => {
  const n = await append({ state: 'intent', before: [{ id: 7 }] });
  const other = await append();
  await append({ state: 'done', after: { id: 8 } }, n);
  expect(await append()).toBe(3);
  const entries = await readJournalEntries({ folder, platform });
  expect(entries.map((entry) => [entry.n, entry.state])).toEqual([
    [n, 'done'],
    [other, 'done'],
    [3, 'done'],
  ]);
  expect(entries[0]).toMatchObject({ before: [{ id: 7 }], after: { id: 8 } });
});

it('ignores a line that a full disk cut, and still reads the others', async () => {
  await append();
  await append();
  await truncate(path(), (await stat(path())).size - 20);
  expect(await append()).toBe(2);
  expect((await readJournalEntries({ folder, platform })).map(({ n }) => n)).toEqual([1, 2]);
});

it.each(['"7"', '7.5', '1e999'])(
  'continues after the last line with a whole number, not after %s',
  async (last) => {
    await append();
    await writeFile(path(), `${JSON.stringify(LINE).slice(0, -1)},"last":${last}}\n`, { flag: 'a' });
    expect(await append()).toBe(2);
  },
);

it.each([
  [MAX_JOURNAL_FILE_OCTETS - 1, 1],
  [MAX_JOURNAL_FILE_OCTETS, 2],
])('of %i octets, the next line leaves %i files', async (size, files) => {
  await append();
  await writeFile(path(), `${'x'.repeat(size - (await stat(path())).size - 1)}\n`, { flag: 'a' });
  await append();
  expect(await readdir(folder)).toHaveLength(files);
});

it('reports an unreadable file, and treats only a missing file as an empty one', async () => {
  const read = () => readJournalFile({ folder, platform }, 0, () => 'read');
  expect(read()).toBeUndefined();
  await append();
  expect(read()).toBe('read');
  await chmod(path(), 0o644);
  expect(read).toThrow(path());
});

it(`rotates a file of 5 MiB, keeps ${MAX_ROTATED_JOURNAL_FILES} files, and continues the numbers`, async () => {
  expect(MAX_JOURNAL_FILE_OCTETS).toBe(5 * 1024 * 1024);
  const filler = 'x'.repeat(MAX_JOURNAL_FILE_OCTETS);
  for (let each = 1; each <= 8; each += 1) expect(await append({ filler })).toBe(each);
  expect((await readdir(folder)).sort()).toEqual([
    'journal.1.ndjson',
    'journal.2.ndjson',
    'journal.3.ndjson',
    'journal.4.ndjson',
    'journal.5.ndjson',
    'journal.ndjson',
  ]);
  expect((await readJournalEntries({ folder, platform })).map(({ n }) => n)).toEqual([3, 4, 5, 6, 7, 8]);
});

describe('a file that is refused', () => {
  it('is a link', async () => {
    await append();
    await rm(path());
    const elsewhere = join(dirname(folder), 'elsewhere');
    await writeFile(elsewhere, '', { mode: 0o600 });
    await symlink(elsewhere, path());
    await expect(append()).rejects.toThrow();
    expect(await readFile(elsewhere, 'utf8')).toBe('');
  });

  it('can be read by others, or is in a folder that others may write to', async () => {
    await append();
    await chmod(path(), 0o644);
    await expect(append()).rejects.toThrow('open to other users');
    await chmod(path(), 0o600);
    await chmod(folder, 0o777);
    await expect(append()).rejects.toThrow('other users can write');
  });

  it('is full and can be read by others, and no older file is moved', async () => {
    const filler = 'x'.repeat(MAX_JOURNAL_FILE_OCTETS);
    for (let each = 0; each < 2; each += 1) await append({ filler });
    await chmod(path(), 0o644);
    const before = await readFile(path('journal.1.ndjson'));
    await expect(append()).rejects.toThrow('open to other users');
    expect((await readdir(folder)).sort()).toEqual(['journal.1.ndjson', 'journal.ndjson']);
    expect(before.equals(await readFile(path('journal.1.ndjson')))).toBe(true);
  });

  it('is a folder with the name of the file', async () => {
    await mkdir(path(), { recursive: true, mode: 0o700 });
    await expect(append()).rejects.toThrow();
  });
});
