/** Creates folders that only this user can access. */
import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, FileError, systemErrorReason } from './errors.ts';

/**
 * Creates one level at a time: where the system reports that an existing parent does not exist, as in /proc, Node's recursive option never
 * returns.
 * @returns the created folders, the uppermost first
 * @throws FileError `not-a-directory` if something else is at the path; `no-folder` if a folder can't be created
 */
export function makeFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let at = path; !exists(at); at = dirname(at)) missing.unshift(at);
  if (missing.length === 0 && !isFolder(path))
    throw new FileError('not-a-directory', `${path} is not a directory`, 'move it away');
  return missing.filter(makeFolder);
}

/** Returns false if another process has just created it. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && isFolder(path)) return false;
    // The parent exists, so the system means something else.
    const isOddFileSystem = codeOf(cause) === 'ENOENT' && exists(dirname(path));
    throw cannotCreate(
      path,
      isOddFileSystem ? 'this file system accepts no new folders' : systemErrorReason(cause),
      cause,
    );
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    // A file is in the place of a parent folder. The nearest existing parent is that file.
    if (codeOf(cause) === 'ENOTDIR') return false;
    throw cannotCreate(path, systemErrorReason(cause), cause);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const cannotCreate = (path: string, why: string, cause: unknown): FileError =>
  new FileError('no-folder', `cannot create the folder ${path}: ${why}`, 'choose another folder', cause);
