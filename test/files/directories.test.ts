import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkDirectoryAccess,
  checkOnlyOwnerWrites,
  configDirOf,
  flushDirectoryToDisk,
  stateDirOf,
  thisUser,
} from '../../src/kit/files/directories.ts';
import { makeFolders } from '../../src/kit/files/make-folders.ts';

describe('the directories by platform', () => {
  it.each<[string, Record<string, string>, string, NodeJS.Platform, string]>([
    ['named', { SVC_CONFIG_DIR: '/x/y', XDG_CONFIG_HOME: '/xdg' }, '/home/u', 'linux', '/x/y'],
    ['XDG', { XDG_CONFIG_HOME: '/xdg' }, '/home/u', 'linux', '/xdg/svc'],
    ['XDG that is not absolute', { XDG_CONFIG_HOME: 'xdg' }, '/home/u', 'linux', '/home/u/.config/svc'],
    ['home', {}, '/home/u', 'linux', '/home/u/.config/svc'],
    ['macOS', {}, '/Users/u', 'darwin', '/Users/u/.config/svc'],
    [
      'Windows',
      { APPDATA: 'C:\\Users\\u\\AppData\\Roaming' },
      'C:\\Users\\u',
      'win32',
      'C:\\Users\\u\\AppData\\Roaming\\svc',
    ],
    ['Windows, no APPDATA', {}, 'C:\\Users\\u', 'win32', 'C:\\Users\\u\\AppData\\Roaming\\svc'],
    ['no home', { SVC_CONFIG_DIR: '' }, '', 'linux', ''],
  ])('configuration: %s', (_, env, homeDir, platform, expected) => {
    expect(configDirOf(env, homeDir, platform)).toBe(expected);
  });

  it.each<[string, Record<string, string>, string, NodeJS.Platform, string]>([
    ['named', { SVC_STATE_DIR: '/x/y' }, '/home/u', 'linux', '/x/y'],
    ['XDG', { XDG_STATE_HOME: '/xdg' }, '/home/u', 'linux', '/xdg/svc'],
    ['home', {}, '/home/u', 'linux', '/home/u/.local/state/svc'],
    ['Windows', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Users\\u', 'win32', 'C:\\Local\\svc'],
    ['no home', {}, '', 'linux', ''],
  ])('state: %s', (_, env, homeDir, platform, expected) => {
    expect(stateDirOf(env, homeDir, platform)).toBe(expected);
  });
});

describe('a directory', () => {
  const me = thisUser('linux');
  const another = { platform: 'linux', uid: 4711 } as const;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-directories-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is created for this user alone, and an existing one is left unchanged', () => {
    makeFolders(join(folder, 'a', 'b'));
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    chmodSync(join(folder, 'a'), 0o755);
    makeFolders(join(folder, 'a'));
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o755);
    expect(() => checkDirectoryAccess(join(folder, 'a'), me)).not.toThrow();
  });

  it('is accepted if it is missing', () => {
    expect(() => checkDirectoryAccess(join(folder, 'none'), me)).not.toThrow();
  });

  it.each<[string, string, () => unknown, typeof me]>([
    ['of another user', 'not-own', () => mkdirSync(join(folder, 'it')), another],
    ['a folder that others may write to', 'open-to-others', () => mkdirAs(join(folder, 'it'), 0o730), me],
    ['that is a file', 'not-a-directory', () => writeFileSync(join(folder, 'it'), ''), me],
    ['a link to nowhere', 'not-a-directory', () => symlinkSync(join(folder, 'none'), join(folder, 'it')), me],
    ['a link to a folder that others may write to', 'open-to-others', () => linkTo(0o777), me],
  ])('%s is rejected', (_, kind, make, owner) => {
    make();
    expect(refusalOf(() => checkDirectoryAccess(join(folder, 'it'), owner))).toMatchObject({
      name: 'FileError',
      kind,
      message: expect.stringContaining(join(folder, 'it')),
      hints: [expect.any(String)],
    });
  });

  it('belongs to this user if a link of this user names it, and modes and owners do not count on Windows', () => {
    linkTo(0o700);
    expect(() => checkDirectoryAccess(join(folder, 'it'), me)).not.toThrow();
    chmodSync(join(folder, 'to'), 0o777);
    expect(() => checkDirectoryAccess(join(folder, 'it'), { ...another, platform: 'win32' })).not.toThrow();
  });

  const mkdirAs = (path: string, mode: number): void => {
    mkdirSync(path);
    chmodSync(path, mode);
  };
  const linkTo = (mode: number): void => {
    mkdirAs(join(folder, 'to'), mode);
    symlinkSync(join(folder, 'to'), join(folder, 'it'));
  };
});

describe('second attack L3: a file that only its owner can have written', () => {
  const stats = (mode: number, uid: number, gid: number) => Object.assign(statSync('.'), { mode, uid, gid });
  const owner = { platform: 'linux', uid: 1000 } as const;

  it.each<[string, number, number, number]>([
    ['for its owner alone', 0o600, 1000, 1000],
    ['readable by everybody', 0o644, 1000, 100],
    ["writable by the user's own group", 0o664, 1000, 1000],
    ['of root', 0o644, 0, 0],
  ])('%s is accepted', (_, ...given) => {
    expect(() => checkOnlyOwnerWrites('x', stats(...given), owner)).not.toThrow();
  });

  it.each<[string, string, number, number, number]>([
    ['writable by everybody', 'open-to-others', 0o666, 1000, 1000],
    ['writable by a group of several users', 'open-to-others', 0o664, 1000, 100],
    ['of root, and writable by everybody', 'open-to-others', 0o646, 0, 0],
    ['of another user', 'not-own', 0o600, 1001, 1001],
  ])('%s is rejected', (_, kind, ...given) => {
    expect(refusalOf(() => checkOnlyOwnerWrites('x', stats(...given), owner))).toMatchObject({
      name: 'FileError',
      kind,
    });
    expect(() => checkOnlyOwnerWrites('x', stats(...given), { ...owner, platform: 'win32' })).not.toThrow();
  });
});

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

// A file in this directory is already in its place, so reporting it as unwritten would be wrong.
it.runIf(process.platform === 'linux')(
  'a directory that its file system cannot sync is skipped, but a missing one is an error',
  () => {
    expect(() => fsyncOf('/proc')).toThrow('EINVAL');
    expect(() => flushDirectoryToDisk('/proc', 'linux')).not.toThrow();
    expect(() => flushDirectoryToDisk('/proc/none', 'linux')).toThrow('ENOENT');
  },
);

function fsyncOf(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
