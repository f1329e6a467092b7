/** Acceptance, I4 to I6: the checkpoint of a bulk job. */
import { appendFile, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainError } from '../../src/cli/errors/explain-error.ts';
import {
  type AppendOnlyFile,
  createBulkJobCheckpoint,
  createRowOutcomes,
} from '../../src/client/bulk/checkpoint.ts';
import { type BulkJobIdentity, lockCheckpoint } from '../../src/client/bulk/checkpoint-file.ts';
import { temporaryFolder } from '../cli/bulk/folder.ts';
import { tried } from '../support/depth.ts';

const REPORT = {
  rows: 0,
  added: 0,
  skipped: 0,
  rejected: 0,
  failed: 0,
  unconfirmed: 0,
  open: 0,
  rejects: null,
};
const NEW = { sendableBelow: 0, outcomes: createRowOutcomes() };

/** Makes a file in memory that records its appends and syncs. It fails from event number `failsAt` on. */
function memoryFile(failsAt = Number.POSITIVE_INFINITY) {
  const events: string[] = [];
  const step = async (event: string): Promise<void> => {
    if (events.length + 1 >= failsAt)
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    events.push(event);
  };
  const file: AppendOnlyFile = { append: step, sync: () => step('sync'), close: async () => undefined };
  return { file, events };
}

describe('the two marks of a checkpoint', () => {
  it('I4: no row is allowed before the mark above it is on disk; it moves by the step', async () => {
    let onDisk = 0;
    let written = 0;
    const file: AppendOnlyFile = {
      append: async (text) => {
        await Promise.resolve();
        for (const [, high] of text.matchAll(/^H (\d+)$/gm)) written = Number(high);
      },
      sync: async () => {
        await Promise.resolve();
        onDisk = written;
      },
      close: async () => undefined,
    };
    const checkpoint = createBulkJobCheckpoint(file, NEW, 256);
    // The row sender also allows several rows at once.
    for (let row = 0; row < 1000; row += 8)
      await Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          await checkpoint.allowSending(row + at);
          expect(onDisk).toBeGreaterThan(row + at);
        }),
      );
    expect(onDisk).toBe(1024);
  });

  it('gathers outcomes and writes them with the next mark', async () => {
    const { file, events } = memoryFile();
    const checkpoint = createBulkJobCheckpoint(file, NEW, 2);
    await checkpoint.allowSending(0);
    checkpoint.noteDone(0, 2, 'added');
    checkpoint.noteDone(1, 3, 'skipped');
    checkpoint.noteFailed('failed', { row: 2, line: 4, value: 'x', reason: 'is no address' });
    await checkpoint.allowSending(2);
    checkpoint.noteDone(3, 5, 'unsent');
    await checkpoint.flush();
    expect(events).toEqual([
      'H 2\n',
      'sync',
      'A 0\nS 1\nF {"row":2,"line":4,"value":"x","reason":"is no address"}\nH 4\n',
      'sync',
      // Row 3 was never allowed, so the mark goes back.
      'N 3\nH 3\n',
      'sync',
    ]);
  });

  it('a row that an earlier run did not send is in doubt again before it is sent', async () => {
    const outcomes = createRowOutcomes();
    outcomes.set(1, 'unsent');
    const { file, events } = memoryFile();
    const checkpoint = createBulkJobCheckpoint(file, { sendableBelow: 4, outcomes }, 2);
    await Promise.all([checkpoint.allowSending(0), checkpoint.allowSending(1)]);
    expect(events).toEqual(['R 1\n', 'sync']);
  });

  it.each(Array.from({ length: 50 }, (_, at) => at + 1))(
    'I5: a disk that fails at write %i stops the job and names the rows whose outcome is unknown',
    async (failsAt) => {
      const { file, events } = memoryFile(failsAt);
      const checkpoint = createBulkJobCheckpoint(file, NEW, 4);
      const noted: number[] = [];
      const work = async (): Promise<void> => {
        for (let row = 0; row < 200; row += 1) {
          await checkpoint.allowSending(row);
          checkpoint.noteDone(row, row + 1, 'added');
          noted.push(row + 1);
        }
        await checkpoint.flush();
        await checkpoint.finish(REPORT);
      };
      const error = await work().catch((cause: unknown) => cause);
      expect(explainError(error)).toMatchObject({
        kind: 'journal',
        exit: 1,
        message: expect.stringContaining('ENOSPC'),
      });
      const written =
        events
          .join('\n')
          .match(/^A \d+$/gm)
          ?.map((line) => Number(line.slice(2)) + 1) ?? [];
      const [told = ''] = (error as { readonly details: readonly string[] }).details;
      const named = told.split('lines ')[1]?.split(', ').map(Number) ?? [];
      expect([...new Set([...written, ...named])].sort((a, b) => a - b)).toEqual(noted);
      expect(events.join('')).not.toContain('E {');
      tried('I5', 1);
    },
  );
});

const IDENTITY: BulkJobIdentity = {
  command: 'dnc import',
  sha256: 'aa',
  origin: 'https://api.example.com',
  company: 1,
  user: 1,
  partner: null,
  options: { column: null, domainOk: false },
};

describe('a checkpoint on disk', () => {
  const begin = async () => ({ since: 5 });
  const none = async () => undefined;

  async function begun(text = 'H 256\nA 0\nS 1\n') {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'rows.csv.svc-journal');
    const held = await lockCheckpoint(path);
    const opened = await held.open(IDENTITY, begin, none);
    await opened.file.append(text);
    await opened.file.close();
    held.release();
    const again = async (identity: BulkJobIdentity = IDENTITY) => {
      const next = await lockCheckpoint(path);
      try {
        const read = await next.open(identity, () => Promise.reject(new Error('begun twice')), none);
        await read.file.close();
        return read;
      } finally {
        next.release();
      }
    };
    return { folder, path, again, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
  }

  it('has mode 0600, holds no key, and gives the next run the finished rows', async () => {
    await using journal = await begun();
    expect((await stat(journal.path)).mode & 0o777).toBe(0o600);
    const [header = ''] = (await readFile(journal.path, 'utf8')).split('\n');
    expect(JSON.parse(header)).toEqual({ version: 1, ...IDENTITY, start: { since: 5 } });
    const past = await journal.again();
    expect(past).toMatchObject({
      isResumed: true,
      sendableBelow: 256,
      start: { since: 5 },
      finished: undefined,
    });
    expect([0, 1, 2].map(past.outcomes.get)).toEqual(['added', 'skipped', undefined]);
  });

  // Contract, "Numbers, ids and names, once more": also in the journal. Records above this id may come from the job.
  it('keeps the highest id before the first row digit for digit, beyond 2^53', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'rows.csv.svc-journal');
    for (const isFirst of [true, false]) {
      const held = await lockCheckpoint(path);
      const start = async () => ({ since: 5, above: 9007199254740993n });
      const opened = await held.open(
        IDENTITY,
        isFirst ? start : () => Promise.reject(new Error('twice')),
        none,
      );
      expect(opened.start).toEqual({ since: 5, above: 9007199254740993n });
      await opened.file.close();
      held.release();
    }
    expect(await readFile(path, 'utf8')).toContain('"above":9007199254740993}');
  });

  it('ignores a last line that was cut off, and continues after the line before it', async () => {
    await using journal = await begun('H 256\nA 0\nA 1');
    expect([0, 1].map((await journal.again()).outcomes.get)).toEqual(['added', undefined]);
    await appendFile(journal.path, 'A 2\n');
    expect([0, 1, 2].map((await journal.again()).outcomes.get)).toEqual(['added', undefined, 'added']);
  });

  it('keeps the order in which rows were unsent and sent', async () => {
    await using journal = await begun('H 4\nN 0\nN 1\nR 1\nN 2\nR 2\nA 2\n');
    const { outcomes } = await journal.again();
    expect([0, 1, 2, 3].map(outcomes.get)).toEqual(['unsent', undefined, 'added', undefined]);
  });

  it('starts over if even the header is incomplete', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'j');
    await writeFile(path, '{"version":1,"com');
    const held = await lockCheckpoint(path);
    const opened = await held.open(IDENTITY, begin, none);
    await opened.file.close();
    held.release();
    expect(opened).toMatchObject({ isResumed: false, sendableBelow: 0 });
    expect((await readFile(path, 'utf8')).startsWith('{"version":1,"command"')).toBe(true);
  });

  const changed: readonly [string, Partial<BulkJobIdentity>][] = [
    ...Array.from({ length: 95 }, (_, at): [string, Partial<BulkJobIdentity>] => [
      `file ${at}`,
      { sha256: `b${at}` },
    ]),
    ['origin', { origin: 'https://other.example.com' }],
    ['company', { company: 2 }],
    ['user', { user: 2 }],
    ['column', { options: { column: 'mail', domainOk: false } }],
    ['command', { command: 'sms send' }],
  ];
  it('I6: refuses 100 changed files, flags and origins', async () => {
    await using journal = await begun();
    const before = await readFile(journal.path, 'utf8');
    for (const [, change] of changed) {
      const error = await journal.again({ ...IDENTITY, ...change }).catch((cause: unknown) => cause);
      expect(error).toMatchObject({
        name: 'BulkError',
        kind: 'input',
        hints: [expect.any(String), expect.any(String), expect.any(String)],
      });
    }
    expect([changed.length, await readFile(journal.path, 'utf8')]).toEqual([100, before]);
    tried('I6', changed.length);
  });

  it.each([
    ['a line of another kind', 'X 1\nA 2\n'],
    ['a header that is no JSON', undefined],
  ])('refuses %s', async (_, text) => {
    await using journal = await begun(text ?? '');
    if (text === undefined) await writeFile(journal.path, 'what is this\nA 1\n');
    const error = await journal.again().catch((cause: unknown) => cause);
    expect(explainError(error)).toMatchObject({ kind: 'journal', exit: 2 });
  });

  it('does not follow a link', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'j');
    await writeFile(join(folder.path, 'other'), 'as it was');
    await symlink(join(folder.path, 'other'), path);
    const held = await lockCheckpoint(path);
    await expect(held.open(IDENTITY, begin, none)).rejects.toMatchObject({ code: 'ELOOP' });
    held.release();
    expect(await folder.read('other')).toBe('as it was');
  });
});
