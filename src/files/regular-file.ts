/** Reads a file that a person names, completely and up to a size limit. Never reads a folder, a pipe or a device, which might never end. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf, FileError } from './errors.ts';

/**
 * Returns the octets of the file. A link is followed.
 * @param name name of the file in error messages
 * @throws FileError `missing`, `not-a-file`, `too-large`, `unusable`
 */
export function readRegularFile(path: string, name: string, maxOctets: number): Buffer {
  const file = openToRead(path, name);
  try {
    // The opened file is checked, because the name may point elsewhere by now.
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FileError('not-a-file', `${name} is not a regular file`);
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
