/** Reads a file that holds keys, and refuses one that others could read, change or have put there. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { ProfileError } from './errors.ts';

/** Whose files are to be trusted. On Windows modes and owners mean nothing, and nothing is checked. */
export interface Owner {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
}

/** A larger file is not read, so it is not written either. */
export const MAX_OCTETS = 1024 * 1024;

/**
 * The text of the file, or undefined when there is none.
 * @throws ProfileError `storage`: a link, not a regular file, not this user's, open to others, over 1 MiB, not UTF-8
 */
export function readPrivateFile(path: string, owner: Owner): string | undefined {
  const file = openNoFollow(path, owner);
  if (file === undefined) return undefined;
  try {
    // What was opened is what is checked: the name may point elsewhere by now.
    const stats = fstatSync(file);
    if (!stats.isFile()) throw unsafe(`${path} is not a regular file`, `move it away`);
    checkOwner(path, stats, owner);
    if (owner.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      throw unsafe(`${path} is open to other users (mode ${modeOf(stats)})`, `chmod 600 ${path}`);
    return decode(readUpTo(file, MAX_OCTETS, path), path);
  } finally {
    closeSync(file);
  }
}

/** Refuses a directory of another user, or one where others may put files. One that isn't there is fine. */
export function checkDirectory(path: string, owner: Owner): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw unsafe(`${path} is not a directory`, 'move it away');
  checkOwner(path, stats, owner);
  if (owner.platform !== 'win32' && (stats.mode & 0o022) !== 0)
    throw unsafe(`other users may write in ${path} (mode ${modeOf(stats)})`, `chmod 700 ${path}`);
}

function openNoFollow(path: string, { platform }: Owner): number | undefined {
  try {
    if (platform === 'win32') {
      if (lstatSync(path).isSymbolicLink()) throw linkFound(path);
      return openSync(path, constants.O_RDONLY);
    }
    // Without O_NONBLOCK a named pipe would hold the program up for ever.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof ProfileError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw linkFound(path);
    throw new ProfileError('storage', `can't read ${path} (${String(code)})`, { cause: error });
  }
}

function checkOwner(path: string, stats: Stats, { platform, uid }: Owner): void {
  if (platform === 'win32' || uid === undefined || stats.uid === uid) return;
  throw unsafe(
    `${path} belongs to another user (uid ${stats.uid}, this is ${uid})`,
    'take it over with chown, name another directory in SVC_CONFIG_DIR, or give the credentials by the environment',
  );
}

function readUpTo(file: number, most: number, path: string): Buffer {
  const octets = Buffer.alloc(most + 1);
  let length = 0;
  while (length <= most) {
    const count = readSync(file, octets, length, octets.length - length, null);
    if (count === 0) return octets.subarray(0, length);
    length += count;
  }
  throw unsafe(`${path} is larger than ${most / 1024 / 1024} MiB`, 'move it away');
}

function decode(octets: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    throw unsafe(`${path} is not UTF-8 text`, 'mend it by hand, or move it away and add the profiles again');
  }
}

function linkFound(path: string): ProfileError {
  return unsafe(
    `${path} is a symbolic link; keys are not read or written through one`,
    'put the file itself there',
  );
}

function unsafe(message: string, hint: string): ProfileError {
  return new ProfileError('storage', message, { hints: [hint] });
}

function modeOf(stats: Stats): string {
  return `0${(stats.mode & 0o7777).toString(8)}`;
}
