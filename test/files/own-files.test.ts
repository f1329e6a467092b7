import {
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkSandboxDataFolder,
  makeSandboxDataFolder,
  openSandboxDataFile,
  readSandboxDataFile,
  sandboxDataFileExists,
} from '../../src/kit/files/own-files.ts';

// Attack M5: files in a data folder are trusted and overwritten only if no other user can have written them.

const me = { platform: 'linux', uid: process.getuid?.() } as const;
const another = { platform: 'linux', uid: 4711 } as const;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-own-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder', () => {
  it('is created for this user alone, and its contents are left unchanged', () => {
    makeSandboxDataFolder(join(folder, 'a', 'b'), me);
    expect(() => checkSandboxDataFolder(join(folder, 'a', 'b'), me)).not.toThrow();
    expect(() => checkSandboxDataFolder(join(folder, 'none'), me)).not.toThrow();
  });

  it('of another user is refused', () => {
    expect(() => checkSandboxDataFolder(folder, another)).toThrow('belongs to another user');
    expect(() => makeSandboxDataFolder(folder, another)).toThrow('belongs to another user');
  });

  it('is refused if others may write to it', () => {
    chmodSync(folder, 0o770);
    expect(() => checkSandboxDataFolder(folder, me)).toThrow('can write to it');
  });

  it('is accepted if a link of this user names it, but not through a link of another user', () => {
    const link = join(folder, 'link');
    symlinkSync(mkdtempSync(join(folder, 'to-')), link);
    expect(() => checkSandboxDataFolder(link, me)).not.toThrow();
    expect(() => checkSandboxDataFolder(link, another)).toThrow('belongs to another user');
  });

  it('is refused if it is not a folder', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => checkSandboxDataFolder(join(folder, 'file'), me)).toThrow('is not a folder');
  });
});

describe('a file', () => {
  const { O_CREAT, O_RDWR, O_TRUNC } = constants;
  const writing = O_RDWR | O_CREAT | O_TRUNC;

  it('is not followed if it is a link, for reading or writing', () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'kept', { mode: 0o600 });
    symlinkSync(victim, join(folder, 'link'));
    expect(() => openSandboxDataFile(join(folder, 'link'), writing, me)).toThrow('is a symbolic link');
    expect(() => readSandboxDataFile(join(folder, 'link'), me)).toThrow('is a symbolic link');
    expect(() => openSandboxDataFile(join(folder, 'link'), writing, { ...me, platform: 'win32' })).toThrow(
      'is a symbolic link',
    );
    expect(readFileSync(victim, 'utf8')).toBe('kept');
  });

  it.each<[string, () => void, typeof me | typeof another]>([
    ['belongs to another user', () => writeFileSync(join(folder, 'it'), '', { mode: 0o600 }), another],
    ['is open to other users', () => writeFileSync(join(folder, 'it'), '', { mode: 0o644 }), me],
    ['is not a regular file', () => mkdirSync(join(folder, 'it')), me],
  ])('is refused if it %s', (why, make, user) => {
    make();
    expect(() => readSandboxDataFile(join(folder, 'it'), user)).toThrow(why);
    expect(() => sandboxDataFileExists(join(folder, 'it'), user)).toThrow(why);
  });

  it('is created for this user alone, and a missing one is reported as missing', () => {
    expect(readSandboxDataFile(join(folder, 'none'), me)).toBeUndefined();
    expect(sandboxDataFileExists(join(folder, 'none'), me)).toBe(false);
    rmSync(join(folder, 'none'), { force: true });
    openSandboxDataFile(join(folder, 'made'), writing, me);
    expect(sandboxDataFileExists(join(folder, 'made'), me)).toBe(true);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
