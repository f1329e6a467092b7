/**
 * A campaign file may come from somebody else, so it must not put files with secrets into a message: hidden files such as `.git/config`,
 * files of svc, and files with a key.
 */
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { MAX_BODY_OCTETS } from '../../../service/protocol/json.ts';

/** A fault completes a sentence about the file: `does not exist`. */
export type ContentFileResult = { readonly octets: Uint8Array } | { readonly fault: string };

export interface ContentFileLimits {
  readonly ownFolders: readonly string[];
  readonly secrets: readonly string[];
}

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

/**
 * Follows a symbolic link only if the target is inside the folder. A part of the path is hidden if it begins with a dot; the folder itself
 * may be in a hidden folder.
 */
export function createContentFileReader(
  folder: string,
  limits: ContentFileLimits,
): (path: string) => Promise<ContentFileResult> {
  return async (path) => {
    try {
      const root = await realpath(folder);
      const parts = path.split('/');
      const found = await realpath(join(folder, ...parts));
      if (!isInside(found, root))
        return { fault: 'is a symbolic link to a file outside the campaign folder' };
      if ([...parts, ...relative(root, found).split(sep)].some((part) => part.startsWith('.')))
        return { fault: HIDDEN_FILE_FAULT };
      for (const own of limits.ownFolders)
        if (isInside(found, await realpath(own).catch(() => resolve(own))))
          return { fault: 'is in a folder in which svc keeps keys' };
      return refuseSecrets(await readContentFile(found, MAX_BODY_OCTETS), limits);
    } catch (error) {
      return { fault: describeReadError(error) };
    }
  };
}

export const HIDDEN_FILE_FAULT = 'is hidden: a part of its path begins with a dot';

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The fault does not repeat the content. */
export function refuseSecrets(
  read: ContentFileResult,
  { secrets }: Pick<ContentFileLimits, 'secrets'>,
): ContentFileResult {
  if ('fault' in read) return read;
  const octets = Buffer.from(read.octets.buffer, read.octets.byteOffset, read.octets.byteLength);
  return secrets.some((secret) => octets.includes(secret))
    ? { fault: 'holds an API key or a token of svc' }
    : read;
}

/**
 * Never blocks: a pipe is refused.
 * @throws the system's error
 */
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

/** Returns undefined for other octets. */
export function decodeText(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return undefined;
  }
}

/** Editors add a final line end, for which the service would charge. */
export const smsTextOfFile = (content: string): string => content.replace(/\r?\n$/, '');
