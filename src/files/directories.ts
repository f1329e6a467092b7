/** Locates the directories of svc, and makes directories that only this user can access. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { posix, win32 } from 'node:path';
import { codeOf, FileError } from './errors.ts';
import { checkOwner, modeOf, type Owner } from './owner.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns SVC_CONFIG_DIR, else `svc` in XDG_CONFIG_HOME or ~/.config (macOS too), on Windows in %APPDATA%. It is empty if none of them is
 * known.
 */
export function configDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_CONFIG_DIR',
    xdg: ['XDG_CONFIG_HOME', '.config'],
    windows: ['APPDATA', 'Roaming'],
  });
}

/** Returns SVC_STATE_DIR, else `svc` in XDG_STATE_HOME or ~/.local/state, on Windows in %LOCALAPPDATA%. */
export function stateDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_STATE_DIR',
    xdg: ['XDG_STATE_HOME', '.local/state'],
    windows: ['LOCALAPPDATA', 'Local'],
  });
}

/** Creates the directory for this user alone, whatever the umask. An existing one is left unchanged. */
export function makeDirectory(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
}

/**
 * Checks that a directory is safe. A missing one is accepted.
 * @throws FileError if another user owns it or pointed to it by a link, or if others may put files there
 */
export function checkDirectory(path: string, owner: Owner): void {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return;
  const isLink = named.isSymbolicLink();
  // The system's own links are set by its administrator, and are trusted.
  if (isLink && named.uid !== 0) checkOwner(path, named, owner);
  check(path, isLink ? (statSync(path, { throwIfNoEntry: false }) ?? named) : named, owner);
}

/**
 * Syncs a directory. A new name in it is on disk only after that. Windows can't open a directory, and some file systems and permissions
 * don't allow it either; then it does nothing. Errors of the disk are thrown.
 */
export function syncDirectory(path: string, platform: NodeJS.Platform): void {
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
      `other users can write to ${path} (mode ${modeOf(stats)})`,
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
