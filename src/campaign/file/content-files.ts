/** Reads contents of messages from files beside or below the campaign's file, and from nowhere else. */
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { MAX_BODY_OCTETS } from '../../protocol/wire.ts';

/** Content of a file, or the fault that completes a sentence about the file: `does not exist`. */
export type ContentFileResult = { readonly octets: Uint8Array } | { readonly fault: string };

/** Returns the path in its shortest form, with `/` between folders. */
export function parseContentPath(text: string): { readonly path: string } | { readonly fault: string } {
  if (text.trim() === '') return { fault: 'is empty; give the name of a file in this folder or below it' };
  if (text.includes('\u0000') || /[\r\n]/.test(text))
    return { fault: 'must be the name of a file that holds the content' };
  if (text.includes('\\')) return { fault: `must use / between folders: ${shown(text)}` };
  if (text.startsWith('/') || /^[A-Za-z]:/.test(text))
    return { fault: `must be a path relative to this file: ${shown(text)}` };
  if (text.split('/').includes('..'))
    return { fault: `must not leave the folder of this file: ${shown(text)}` };
  return { path: posix.normalize(text) };
}

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Returns a function that reads files of that folder. It follows a symbolic link only if the target is inside the folder. */
export function createContentFileReader(folder: string): (path: string) => Promise<ContentFileResult> {
  return async (path) => {
    try {
      const root = await realpath(folder);
      const found = await realpath(join(folder, ...path.split('/')));
      const way = relative(root, found);
      if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
        return { fault: 'is a symbolic link to a file outside the campaign folder' };
      return await readContentFile(found, MAX_BODY_OCTETS);
    } catch (error) {
      return { fault: describeReadError(error) };
    }
  };
}

/** Reads a regular file of at most `maxOctets` octets. Never blocks: a pipe is refused. @throws the system's error */
export async function readContentFile(path: string, maxOctets: number): Promise<ContentFileResult> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return { fault: 'is a folder' };
    if (!stats.isFile()) return { fault: 'is not a regular file' };
    return await readUpTo(file, maxOctets);
  } finally {
    await file.close();
  }
}

async function readUpTo(file: FileHandle, most: number): Promise<ContentFileResult> {
  const octets = Buffer.alloc(Math.min(most, (await file.stat()).size) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(octets, length, octets.length - length, null);
    length += bytesRead;
    if (bytesRead === 0) return { octets: octets.subarray(0, length) };
    if (length > most) return { fault: `is larger than ${most / 1024 / 1024} MiB` };
    if (length === octets.length) return { fault: 'is being written' };
  }
}

/** Returns the system's error as the end of a sentence about a file, such as `does not exist`. */
export function describeReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read: permission denied';
    case 'ENAMETOOLONG':
      return 'has a name that is too long';
    case 'ELOOP':
      return 'is a link to itself';
    default:
      return `can't be read (${code})`;
  }
}

/** Decodes UTF-8 and removes a byte order mark at the beginning. Returns undefined for other octets. */
export function decodeText(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return undefined;
  }
}

/** Returns the text of an SMS without the final line end, which editors add and for which the service would charge. */
export const smsTextOfFile = (content: string): string => content.replace(/\r?\n$/, '');
