/** Rejects a file that other users could read or could have written. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { checkOnlyOwnerWrites, checkOwner, type Owner, octalFileMode } from './directories.ts';
import { codeOf, FileError } from './errors.ts';

/**
 * A new file gets mode 0600.
 * @throws FileError before anything is written: `missing`, `link`, `not-a-file`, `not-own`, `open-to-others`, `unusable`
 */
export function openPrivateFile(path: string, flags: number, owner: Owner): number {
  return openChecked(
    () => openWithoutLinks(path, flags, owner),
    (stats) => check(path, stats, owner),
  );
}

/** Checks the opened file, because the name may point elsewhere by now. */
export function openChecked(open: () => number, check: (stats: Stats) => void): number {
  const file = open();
  try {
    check(fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** @throws FileError as `openPrivateFile` does, `too-large`, and `not-text` if it is not UTF-8 */
export const readPrivateFile = (path: string, owner: Owner, maxOctets: number): string | undefined =>
  withPrivateFile(path, owner, (file) => decode(readUpTo(file, maxOctets, path), path));

/** Returns undefined if the file does not exist. @throws FileError as `openPrivateFile` does */
export function withPrivateFile<T>(path: string, owner: Owner, read: (file: number) => T): T | undefined {
  const file = openIfThere(path, owner);
  if (file === undefined) return undefined;
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks its owner and its mode without opening the file.
 * @throws FileError as `openPrivateFile` does
 */
export function checkPrivateFile(path: string, owner: Owner): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) check(path, stats, owner);
  return stats !== undefined;
}

function openIfThere(path: string, owner: Owner): number | undefined {
  try {
    return openPrivateFile(path, constants.O_RDONLY, owner);
  } catch (error) {
    if (error instanceof FileError && error.kind === 'missing') return undefined;
    throw error;
  }
}

function openWithoutLinks(path: string, flags: number, { platform }: Owner): number {
  try {
    if (platform === 'win32') {
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkFound(path);
      return openSync(path, flags, 0o600);
    }
    // Without O_NONBLOCK, opening a named pipe would block the program for ever.
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    if (error instanceof FileError) throw error;
    const code = codeOf(error);
    if (code === 'ELOOP') throw linkFound(path);
    // No program can open a socket.
    if (code === 'ENXIO') throw notAFile(path);
    const kind = code === 'ENOENT' ? 'missing' : 'unusable';
    throw new FileError(kind, `can't open ${path} (${code ?? String(error)})`, undefined, error);
  }
}

function check(path: string, stats: Stats, owner: Owner): void {
  if (stats.isSymbolicLink()) throw linkFound(path);
  if (!stats.isFile()) throw notAFile(path);
  checkOwner(path, stats, owner);
  if (owner.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    throw new FileError(
      'open-to-others',
      `${path} is open to other users (mode ${octalFileMode(stats)})`,
      `chmod 600 ${path}`,
    );
}

const READ_OCTETS = 64 * 1024;

function readUpTo(file: number, most: number, path: string): Buffer {
  // The maximum is megabytes, but most files are small. Memory for the maximum would take longer to get than the file to read.
  const parts: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const part = Buffer.allocUnsafe(READ_OCTETS);
    const count = readSync(file, part, 0, READ_OCTETS, null);
    if (count === 0) return Buffer.concat(parts, length);
    parts.push(part.subarray(0, count));
    length += count;
  }
  throw new FileError('too-large', `${path} is larger than ${most / 1024 / 1024} MiB`, 'move it away');
}

function decode(octets: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    throw new FileError(
      'not-text',
      `${path} is not UTF-8 text`,
      'correct the file, or move it to another folder',
    );
  }
}

const notAFile = (path: string): FileError =>
  new FileError('not-a-file', `${path} is not a regular file`, 'move it away');

function linkFound(path: string): FileError {
  return new FileError(
    'link',
    `${path} is a symbolic link; svc does not follow it`,
    'put the file itself at this path, not a symbolic link to the file',
  );
}

/**
 * A link is followed.
 * @param writer user who alone may be able to write the file; undefined if that does not matter
 * @throws FileError `missing`, `not-a-file`, `too-large`, `unusable`; with a writer also `not-own`, `open-to-others`
 */
export function readRegularFile(path: string, name: string, maxOctets: number, writer?: Owner): Buffer {
  const file = openToRead(path, name);
  try {
    // The opened file is checked, because the name may point elsewhere by now.
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FileError('not-a-file', `${name} is not a regular file`);
    if (writer !== undefined) checkOnlyOwnerWrites(name, stats, writer);
    if (stats.size > maxOctets) throw tooLarge(name, maxOctets);
    const octets = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < octets.length; length += count)
      count = readSync(file, octets, length, octets.length - length, null);
    if (length > stats.size) throw new FileError('unusable', `${name} is being written`);
    return octets.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function openToRead(path: string, name: string): number {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  try {
    // Without O_NONBLOCK, opening a named pipe would block the program for ever.
    return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new FileError('missing', `file not found: ${name}`, undefined, error);
    throw new FileError('unusable', `can't read ${name} (${code ?? String(error)})`, undefined, error);
  }
}

function tooLarge(name: string, most: number): FileError {
  const limit = most < 1024 * 1024 ? `${most / 1024} KiB` : `${most / 1024 / 1024} MiB`;
  return new FileError('too-large', `${name} is larger than ${limit}`);
}
