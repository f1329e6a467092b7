/** src/cli/README.md, "The single executable": svc unpacks the database's library once, and trusts it by its hash alone. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

interface Library {
  readonly octets: Buffer;
  readonly hash: string;
  readonly folder: string | undefined;
  readonly uid: number | undefined;
  readonly dlopen: (path: string) => unknown;
  readonly isRunning?: (pid: number) => boolean;
}
const LIBRARY = fileURLToPath(new URL('../../.config/binary/native-library.cjs', import.meta.url));
const { loadNativeLibrary } = createRequire(import.meta.url)(LIBRARY) as {
  readonly loadNativeLibrary: (library: Library) => unknown;
};

const octets = Buffer.from('what the system would load');
const hash = createHash('sha256').update(octets).digest('hex');
const uid = process.getuid?.();

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('library');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the loaded path, and the contents of the file at that moment. */
const load = (more: Partial<Library> = {}) =>
  loadNativeLibrary({
    ...{ octets, hash, folder, uid },
    dlopen: (path) => ({ path, text: readFileSync(path, 'utf8') }),
    ...more,
  }) as { readonly path: string; readonly text: string };

describe('the library', () => {
  it('is unpacked once, for this user alone', () => {
    const { path, text } = load();
    expect({ folder: dirname(path), text }).toEqual({ folder, text: octets.toString() });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { ino } = statSync(path);
    expect(load()).toEqual({ path, text });
    expect(statSync(path).ino).toBe(ino);
  });

  it.each<[string, (path: string) => void]>([
    ['has other octets', (path) => writeFileSync(path, 'what somebody else would load')],
    ['is truncated', (path) => writeFileSync(path, octets.subarray(1))],
    ['is open to others', (path) => chmodSync(path, 0o666)],
    ['has another name as well', (path) => linkSync(path, join(dirname(path), 'other'))],
    [
      'is a folder',
      (path) => {
        rmSync(path);
        mkdirSync(join(path, 'inner'), { recursive: true });
      },
    ],
    [
      'is a link',
      (path) => {
        const other = join(dirname(path), 'other');
        writeFileSync(other, octets, { mode: 0o600 });
        rmSync(path);
        symlinkSync(other, path);
      },
    ],
  ])('is unpacked again if it %s', (_, spoil) => {
    const { path } = load();
    const { ino } = statSync(path);
    spoil(path);
    expect(load()).toEqual({ path, text: octets.toString() });
    expect(statSync(path)).toMatchObject({ nlink: 1 });
    expect(statSync(path).ino === ino && statSync(path).mode & 0o077).toBeFalsy();
  });

  it('is deleted if it is of an earlier version', () => {
    load();
    const newer = Buffer.from('a newer one');
    load({ octets: newer, hash: createHash('sha256').update(newer).digest('hex') });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('keeps the half-written file of a running process, and deletes that of an ended process and a folder', () => {
    const beside = (pid: number) => join(folder, `libsql-${hash.slice(0, 32)}.node.${pid}`);
    for (const pid of [11, 12]) writeFileSync(beside(pid), 'half', { mode: 0o600 });
    mkdirSync(join(folder, 'libsql-old.node', 'inner'), { recursive: true });
    const { path } = load({ isRunning: (pid) => pid === 11 });
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .sort(),
    ).toEqual([path, beside(11)].sort());
  });

  it('is written again if an earlier process with the same id left it half-written', () => {
    const beside = join(folder, `libsql-${hash.slice(0, 32)}.node.${process.pid}`);
    writeFileSync(beside, 'half', { mode: 0o600 });
    expect(load().text).toBe(octets.toString());
    expect(existsSync(beside)).toBe(false);
  });

  // Six first starts at once each used to delete the half-written files of the others.
  it('is unpacked by many processes at once, and each of them loads it', async () => {
    const script = `
      const { loadNativeLibrary } = require(${JSON.stringify(LIBRARY)});
      const octets = Buffer.alloc(8_000_000, 'x');
      const hash = require('node:crypto').createHash('sha256').update(octets).digest('hex');
      const [folder] = process.argv.slice(1);
      loadNativeLibrary({ octets, hash, folder, uid: process.getuid?.(), dlopen: (path) => {
        if (!require('node:fs').readFileSync(path).equals(octets)) throw new Error('not whole');
      } });`;
    const start = () =>
      new Promise<string>((resolve) => {
        execFile(process.execPath, ['-e', script, folder], (_, __, stderr) => resolve(stderr));
      });
    for (let round = 0; round < 3; round += 1) {
      expect(await Promise.all(Array.from({ length: 6 }, start))).toEqual(
        Array.from({ length: 6 }, () => ''),
      );
      const left = readdirSync(folder);
      expect(left).toEqual([expect.stringMatching(/^libsql-[0-9a-f]{32}\.node$/)]);
      for (const name of left) rmSync(join(folder, name));
    }
  });

  it('is never loaded if its hash differs', () => {
    expect(() => load({ octets: Buffer.from('not it') })).toThrow('has changed since svc wrote it');
  });

  it('is unpacked for this process alone and then deleted if there is no safe folder', () => {
    const { path, text } = load({ folder: undefined });
    expect(text).toBe(octets.toString());
    expect(() => statSync(dirname(path))).toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});
