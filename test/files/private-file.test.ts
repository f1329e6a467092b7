import { constants, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Owner, thisUser } from '../../src/kit/files/directories.ts';
import { checkPrivateFile, openPrivateFile, readPrivateFile } from '../../src/kit/files/private-file.ts';

// Acceptance, S2, and attack M5: a file with keys is trusted only if no other user can have written or changed it.

const MOST = 64;
const me = thisUser('linux');
const another: Owner = { platform: 'linux', uid: 4711 };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-private-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WRITING = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC;

describe('a file', () => {
  it('is reported as missing if it does not exist', () => {
    expect(readPrivateFile(path, me, MOST)).toBeUndefined();
    expect(checkPrivateFile(path, me)).toBe(false);
    expect(refusalOf(() => openPrivateFile(path, constants.O_RDONLY, me))).toMatchObject({ kind: 'missing' });
  });

  const put = (mode = 0o600) => writeFileSync(path, 'kept', { mode });
  it.each<[string, string, () => unknown, Owner]>([
    ['of another user', 'not-own', put, another],
    ['that others can read', 'open-to-others', () => put(0o640), me],
    ['that is a directory', 'not-a-file', () => mkdirSync(path), me],
    ['that is a named pipe', 'not-a-file', () => execaSync('mkfifo', ['-m', '600', path]), me],
    ['that is a link', 'link', () => linkTo('kept'), me],
    ['that is a link, on Windows', 'link', () => linkTo('kept'), { ...me, platform: 'win32' }],
  ])('%s is refused, and nothing is written', (_, kind, make, owner) => {
    make();
    const flags = kind === 'not-a-file' ? constants.O_RDONLY : WRITING & ~constants.O_TRUNC;
    for (const work of [
      () => openPrivateFile(path, flags, owner),
      () => readPrivateFile(path, owner, MOST),
      () => checkPrivateFile(path, owner),
    ])
      expect(refusalOf(work)).toMatchObject({
        name: 'FileError',
        kind,
        message: expect.stringContaining(path),
        hints: [expect.any(String)],
      });
    if (kind !== 'not-a-file') expect(readFileSync(path, 'utf8')).toBe('kept');
  });

  it.each<[string, string | Uint8Array, string]>([
    ['over the maximum size', 'x'.repeat(MOST + 1), 'too-large'],
    ['that is not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'not-text'],
  ])('%s is refused', (_, content, kind) => {
    writeFileSync(path, content, { mode: 0o600 });
    expect(refusalOf(() => readPrivateFile(path, me, MOST))).toMatchObject({ name: 'FileError', kind });
  });

  it('is read up to exactly the maximum size', () => {
    writeFileSync(path, 'x'.repeat(MOST), { mode: 0o600 });
    expect(readPrivateFile(path, me, MOST)).toHaveLength(MOST);
  });

  it("is reported with the reason if the system refuses it, and the system's error is the cause", () => {
    put();
    expect(refusalOf(() => openPrivateFile(join(path, 'below'), constants.O_RDONLY, me))).toMatchObject({
      kind: 'unusable',
      message: `can't open ${join(path, 'below')} (ENOTDIR)`,
      cause: expect.any(Error),
    });
  });

  const linkTo = (text: string): void => {
    writeFileSync(join(folder, 'victim'), text, { mode: 0o600 });
    symlinkSync(join(folder, 'victim'), path);
  };
});

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
