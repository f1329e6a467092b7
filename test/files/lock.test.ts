import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../src/kit/files/lock.ts';
import { thisProcessAsLockHolder } from '../../src/kit/files/lock-holder.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  path = join(folder, 'it.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const refused = (waitMs: number): Promise<Error & { readonly hints: readonly string[] }> =>
  withLock(path, () => 'done', waitMs).then(
    (value) => Promise.reject(new Error(`no refusal but ${value}`)),
    (error) => error,
  );

describe('a lock', () => {
  it('exists during the work, and not after it, even if the work failed', async () => {
    expect(await withLock(path, () => readdirSync(folder))).toEqual(['it.lock']);
    await expect(
      withLock(path, () => {
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    expect(readdirSync(folder)).toEqual([]);
  });

  // Profiles, the journal and bulk jobs use this lock, so its messages fit all of them.
  it('is awaited if another process holds it, and then reported with its holder and the next step', async () => {
    writeFileSync(path, JSON.stringify(thisProcessAsLockHolder()));
    const error = await refused(50);
    expect(error).toMatchObject({
      name: 'FileError',
      kind: 'held',
      message: expect.stringMatching(
        new RegExp(
          `^another svc process \\(${process.pid} on .+\\) has held the lock file ${path} for more than 0.05 s$`,
        ),
      ),
      hints: [
        `wait until that process ends; if it has ended already, delete ${path} (and ${path}.takeover, if it exists)`,
      ],
    });
    expect(`${error.message} ${error.hints}`).not.toContain('profile');
    expect(readdirSync(folder)).toEqual(['it.lock']);
  });

  it.each([
    ['an ended process', { pid: 2 ** 30 }],
    ['a process whose id another one has now', { started: '1' }],
  ])('of %s is taken over', async (_, holder) => {
    writeFileSync(path, JSON.stringify({ ...thisProcessAsLockHolder(), ...holder }));
    expect(await withLock(path, () => 'done', 2000)).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['that is empty', ''],
    ['of another machine', JSON.stringify({ pid: 1, started: null, host: 'another.example' })],
    // H2: its process id means nothing here, although the host has the same name.
    [
      'of another container',
      JSON.stringify({ ...thisProcessAsLockHolder(), pid: 2 ** 30, place: 'boot pid:[1]' }),
    ],
  ])('%s is taken over if it is old, and not before', async (_, text) => {
    writeFileSync(path, text);
    await refused(30);
    expect(readFileSync(path, 'utf8')).toBe(text);
    const old = new Date(Date.now() - 120_000);
    utimesSync(path, old, old);
    expect(await withLock(path, () => 'done', 2000)).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not followed if it is a link', async () => {
    symlinkSync(join(folder, 'victim'), path);
    await refused(30);
    expect(lstatSync(join(folder, 'victim'), { throwIfNoEntry: false })).toBeUndefined();
  });
});
