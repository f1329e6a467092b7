import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAtomicFile, fillFile, retryWhileFileBusy } from '../../src/kit/files/atomic-file.ts';

// Acceptance, S4: the file is written next to the old one, synced, and renamed, and the directory is synced, too.

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-atomic-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an atomic file', () => {
  it('exists under its name after it is committed, with mode 0600, and not before', () => {
    const file = createAtomicFile(path);
    file.write('one, ');
    file.write('zwölf');
    expect(existsSync(path)).toBe(false);
    file.commit();
    expect(readFileSync(path, 'utf8')).toBe('one, zwölf');
    expect(statSync(path).mode & 0o7777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves the previous file and nothing next to it after it is aborted', () => {
    writeFileSync(path, 'old');
    const file = createAtomicFile(path);
    file.write('new');
    file.abort();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves the previous file and nothing next to it if it cannot be filled', () => {
    writeFileSync(path, 'old');
    const fill = () =>
      fillFile(createAtomicFile(path), ({ write }) => {
        write('ne');
        throw new Error('the disk is full');
      });
    expect(fill).toThrow('the disk is full');
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['file'], 'old']);
  });

  it("replaces links and the remains of a killed writer, and the link's target stays", () => {
    writeFileSync(join(folder, 'victim'), 'kept');
    symlinkSync(join(folder, 'victim'), path);
    symlinkSync(join(folder, 'victim'), `${path}.part`);
    const file = createAtomicFile(path, { suffix: '.part' });
    file.write('new');
    file.commit();
    expect([readFileSync(path, 'utf8'), readFileSync(join(folder, 'victim'), 'utf8')]).toEqual([
      'new',
      'kept',
    ]);
    expect(readdirSync(folder).sort()).toEqual(['file', 'victim']);
  });

  it('is committed unchanged if a library wrote it in place', () => {
    const file = createAtomicFile(path);
    writeFileSync(file.temporaryPath, 'of a library');
    file.commit();
    expect(readFileSync(path, 'utf8')).toBe('of a library');
  });

  it('is neither committed nor removed if another writer has started since', () => {
    const first = createAtomicFile(path);
    const second = createAtomicFile(path);
    second.write('second');
    expect(() => first.commit()).toThrow(expect.objectContaining({ name: 'FileError', kind: 'held' }));
    first.abort();
    second.commit();
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('is refused with its name if it cannot be created', () => {
    writeFileSync(path, '');
    expect(() => createAtomicFile(join(path, 'below'))).toThrow(
      expect.objectContaining({ kind: 'unusable', message: expect.stringContaining(join(path, 'below')) }),
    );
  });
});

// Windows refuses to rename, replace or create a file that a virus scanner has open, with EPERM, EACCES or EBUSY.
/** Makes work that fails with the code `times` times, on a platform. */
function attempts(times: number, code: string, platform: NodeJS.Platform) {
  let count = 0;
  const pauses: number[] = [];
  const work = (): string => {
    count += 1;
    if (count <= times) throw Object.assign(new Error(code), { code });
    return 'done';
  };
  const run = (): string => retryWhileFileBusy(work, platform, (milliseconds) => pauses.push(milliseconds));
  return { run, pauses, count: () => count };
}

it.each(['EPERM', 'EACCES', 'EBUSY'])('repeats an operation on Windows after %s', (code) => {
  const { run, pauses, count } = attempts(2, code, 'win32');
  expect(run()).toBe('done');
  expect([count(), pauses]).toEqual([3, [10, 20]]);
});

it('gives up after seven attempts on Windows', () => {
  const { run, pauses, count } = attempts(99, 'EBUSY', 'win32');
  expect(run).toThrow('EBUSY');
  expect([count(), pauses.reduce((sum, each) => sum + each, 0)]).toEqual([7, 630]);
});

it.each([
  ['ENOENT', 'win32'],
  ['EEXIST', 'win32'],
  ['EPERM', 'linux'],
  ['EBUSY', 'darwin'],
] as const)('throws %s on %s at once', (code, platform) => {
  const { run, pauses, count } = attempts(1, code, platform);
  expect(run).toThrow(code);
  expect([count(), pauses]).toEqual([1, []]);
});
