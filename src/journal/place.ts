/** Where the journal is, and how its files are opened: for this user alone, and never through a link. */
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectory, makeDirectory, stateDirOf } from '../files/directories.ts';
import type { Owner } from '../files/owner.ts';
import { JournalError } from './errors.ts';

/** The folder that holds the journal, and on what system. */
export interface JournalPlace {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** What tells where a user's files are. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** `journal` in the state folder. Undefined where the system knows no home and no variable names one. */
export function journalFolder({ env, cwd, homeDir, platform }: Surroundings): string | undefined {
  const state = stateDirOf(env, homeDir, platform);
  return state === '' ? undefined : join(resolve(cwd, state), 'journal');
}

/** The file that is written now; older ones are `journal.1.ndjson` to `journal.5.ndjson`, the oldest last. */
export const fileIn = (folder: string, age = 0): string =>
  join(folder, age === 0 ? 'journal.ndjson' : `journal.${age}.ndjson`);

/** Mode 0700 whatever the umask. Refuses a folder of another user, or one where others may write. */
export function makeFolder(folder: string, platform: NodeJS.Platform): void {
  makeDirectory(folder);
  checkDirectory(folder, ownerOn(platform));
}

/** A descriptor for appending; the file is made with mode 0600 where there is none. `extra`: further flags of open. */
export function openToAppend(path: string, platform: NodeJS.Platform, extra = 0): number {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  return opened(path, O_RDWR | O_APPEND | O_CREAT | extra, platform);
}

/** A descriptor for reading, or undefined where there is no such file. */
export function openToRead(path: string, platform: NodeJS.Platform): number | undefined {
  try {
    return opened(path, constants.O_RDONLY, platform);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The name of a new file is on disk only once its folder is. Windows can't open one. */
export function syncFolder(folder: string, platform: NodeJS.Platform): void {
  if (platform === 'win32') return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function opened(path: string, flags: number, platform: NodeJS.Platform): number {
  const isWindows = platform === 'win32';
  if (isWindows && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw refused(path, 'a link');
  // Without O_NONBLOCK a named pipe would hold the program up for ever.
  const safe = isWindows ? flags : flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openSync(path, safe, 0o600);
  const stats = fstatSync(file);
  const { uid } = ownerOn(platform);
  const problem = !stats.isFile()
    ? 'no regular file'
    : !isWindows && uid !== undefined && stats.uid !== uid
      ? "another user's"
      : !isWindows && (stats.mode & 0o077) !== 0
        ? 'open to other users (chmod 600)'
        : undefined;
  if (problem === undefined) return file;
  closeSync(file);
  throw refused(path, problem);
}

const refused = (path: string, problem: string): JournalError =>
  new JournalError('storage', `${path} is ${problem}`);

const ownerOn = (platform: NodeJS.Platform): Owner => ({ platform, uid: process.getuid?.() });
