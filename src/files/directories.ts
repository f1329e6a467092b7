/** Where svc keeps what it keeps, and directories that are this user's alone. */
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
 * SVC_CONFIG_DIR, else `svc` in XDG_CONFIG_HOME or ~/.config (macOS too), on Windows in %APPDATA%. Empty when none of
 * them is known.
 */
export function configDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_CONFIG_DIR',
    xdg: ['XDG_CONFIG_HOME', '.config'],
    windows: ['APPDATA', 'Roaming'],
  });
}

/** SVC_STATE_DIR, else `svc` in XDG_STATE_HOME or ~/.local/state, on Windows in %LOCALAPPDATA%. */
export function stateDirOf(env: Environment, homeDir: string, platform: NodeJS.Platform): string {
  return directoryOf(env, homeDir, platform, {
    own: 'SVC_STATE_DIR',
    xdg: ['XDG_STATE_HOME', '.local/state'],
    windows: ['LOCALAPPDATA', 'Local'],
  });
}

/** Makes the directory, for this user alone whatever the umask. One that is there stays as it is. */
export function makeDirectory(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
}

/**
 * One that isn't there is fine.
 * @throws FileError where another user owns it or pointed to it by a link, or where others may put files
 */
export function checkDirectory(path: string, owner: Owner): void {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return;
  const isLink = named.isSymbolicLink();
  // The system's own links lead where its administrator wants them to.
  if (isLink && named.uid !== 0) checkOwner(path, named, owner);
  check(path, isLink ? (statSync(path, { throwIfNoEntry: false }) ?? named) : named, owner);
}

/**
 * A name in it is on disk only once the directory is. Windows can't open one, and some file systems and permissions
 * don't allow it either: then there is nothing to wait for. A disk that fails is told of.
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
      `other users may write in ${path} (mode ${modeOf(stats)})`,
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
