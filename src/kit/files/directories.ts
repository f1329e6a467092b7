/** Locates the directories of svc, and checks that only this user can access them. */
import { closeSync, fsyncSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { codeOf, FileError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the configuration directory: SVC_CONFIG_DIR, else `svc` in XDG_CONFIG_HOME or ~/.config (macOS too). On Windows: SVC_CONFIG_DIR,
 * else `svc` in %APPDATA%. Returns an empty text if no variable names a directory and the user has no home directory.
 */
export function configDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_CONFIG_DIR',
    xdg: ['XDG_CONFIG_HOME', '.config'],
    windows: ['APPDATA', 'Roaming'],
  });
}

/**
 * Returns the directory for state files: SVC_STATE_DIR, else `svc` in XDG_STATE_HOME or ~/.local/state. On Windows, `svc` in
 * %LOCALAPPDATA%.
 */
export function stateDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_STATE_DIR',
    xdg: ['XDG_STATE_HOME', '.local/state'],
    windows: ['LOCALAPPDATA', 'Local'],
  });
}

/**
 * Accepts a missing directory.
 * @throws FileError if another user owns the directory or its symbolic link, or if other users may put files into the directory
 */
export function checkDirectoryAccess(path: string, owner: Owner): void {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return;
  const isLink = named.isSymbolicLink();
  // The system's own links are set by its administrator, and are trusted.
  if (isLink && named.uid !== 0) checkOwner(path, named, owner);
  check(path, isLink ? (statSync(path, { throwIfNoEntry: false }) ?? named) : named, owner);
}

/** Does nothing where a directory can't be synced, as on Windows and on some file systems. Throws if the disk fails. */
export function flushDirectoryToDisk(path: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return;
  try {
    syncOpened(path);
  } catch (error) {
    if (!NOT_FOR_DIRECTORIES.has(codeOf(error) ?? '')) throw error;
  }
}

const NOT_FOR_DIRECTORIES: ReadonlySet<string> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
]);

function syncOpened(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function check(path: string, stats: Stats, owner: Owner): void {
  if (!stats.isDirectory())
    throw new FileError('not-a-directory', `${path} is not a directory`, 'move it away');
  checkOwner(path, stats, owner);
  if (owner.platform !== 'win32' && (stats.mode & 0o022) !== 0)
    throw new FileError(
      'open-to-others',
      `other users can write to ${path} (mode ${octalFileMode(stats)})`,
      `chmod 700 ${path}`,
    );
}

function directoryOf(
  env: Environment,
  homeDir: string,
  platform: NodeJS.Platform,
  names: {
    readonly own: string;
    readonly xdg: readonly [variable: string, underHome: string];
    readonly windows: readonly [variable: string, underAppData: string];
  },
): string {
  const own = env[names.own];
  if (own !== undefined && own !== '') return own;
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const [variable, underHome] = platform === 'win32' ? names.windows : names.xdg;
  const base = env[variable];
  // XDG: a path that isn't absolute is to be ignored.
  if (base !== undefined && isAbsolute(base)) return join(base, 'svc');
  if (homeDir === '') return '';
  return platform === 'win32' ? join(homeDir, 'AppData', underHome, 'svc') : join(homeDir, underHome, 'svc');
}

/** User whose files are trusted. On Windows, svc skips the checks of owners and modes, because both have no meaning there. */
export interface Owner {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
}

export const thisUser = (platform: NodeJS.Platform = process.platform): Owner => ({
  platform,
  uid: process.geteuid?.(),
});

function belongsToAnother({ uid: theirs }: Stats, { platform, uid }: Owner): boolean {
  return platform !== 'win32' && uid !== undefined && theirs !== uid;
}

/** @throws FileError `not-own` */
export function checkOwner(path: string, stats: Stats, owner: Owner): void {
  if (!belongsToAnother(stats, owner)) return;
  throw new FileError(
    'not-own',
    `${path} belongs to another user (uid ${stats.uid}; yours is ${owner.uid})`,
    'take it over with chown',
  );
}

/**
 * A group with the number of its user may write: many systems give each user such a group, which has no other members.
 * @throws FileError `not-own`, `open-to-others`
 */
export function checkOnlyOwnerWrites(name: string, stats: Stats, owner: Owner): void {
  if (owner.platform === 'win32') return;
  if (stats.uid !== 0) checkOwner(name, stats, owner);
  const others = stats.gid === stats.uid ? 0o002 : 0o022;
  if ((stats.mode & others) === 0) return;
  throw new FileError(
    'open-to-others',
    `other users can write to ${name} (mode ${octalFileMode(stats)})`,
    `chmod go-w ${name}`,
  );
}

export function octalFileMode(stats: Stats): string {
  return `0${(stats.mode & 0o7777).toString(8)}`;
}
