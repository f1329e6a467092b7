/** Opens the files in the data folder of a sandbox, which hold keys: only this user may read them, and links are never followed. */
import { readFileSync } from 'node:fs';
import { explainNewerFile, SvcError, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import { checkDirectoryAccess, type Owner, thisUser } from './directories.ts';
import { codeOf, FileError, type FileErrorKind } from './errors.ts';
import { makeFolders } from './make-folders.ts';
import { checkPrivateFile, openPrivateFile, withPrivateFile } from './private-file.ts';

export class DataDirError extends SvcError<'in-use' | 'unusable'> {
  override readonly name = 'DataDirError';

  constructor(kind: 'in-use' | 'unusable', message: string, hint: string, cause?: unknown) {
    super(kind, message, { hint, cause });
  }
}

/** @throws DataDirError if the folder belongs to another user, or other users may write in it */
export function makeSandboxDataFolder(path: string, user?: Owner): void {
  rethrowAsDataDirError(path, () => makeFolders(path));
  checkSandboxDataFolder(path, user);
}

/**
 * Accepts a missing folder.
 * @throws DataDirError if another user owns the folder or its symbolic link, or if other users may write in the folder
 */
export function checkSandboxDataFolder(path: string, user = thisUser()): void {
  rethrowAsDataDirError(path, () => checkDirectoryAccess(path, user), OF_FOLDERS);
}

/** @throws DataDirError if other users could have read, changed or created it */
export const readSandboxDataFile = (path: string, user = thisUser()): string | undefined =>
  rethrowAsDataDirError(path, () => withPrivateFile(path, user, (file) => readFileSync(file, 'utf8')));

/**
 * Accepts a file without `version`, because svc does not write a `version` into these files yet.
 * @throws DataDirError if a newer svc wrote the file
 */
export function refuseFileFromNewerSvc(path: string, content: unknown): void {
  const newer = explainNewerFile(path, content);
  if (newer !== undefined) throw new DataDirError('unusable', newer, `${UPDATE_SVC_HINT}; or ${ANOTHER}`);
}

/**
 * Returns a file descriptor; a new file gets mode 0600.
 * @throws DataDirError before anything is written
 */
export function openSandboxDataFile(path: string, flags: number, user = thisUser()): number {
  return rethrowAsDataDirError(path, () => openPrivateFile(path, flags, user));
}

/** @throws DataDirError if other users can access it */
export function sandboxDataFileExists(path: string, user = thisUser()): boolean {
  return rethrowAsDataDirError(path, () => checkPrivateFile(path, user));
}

/**
 * Converts each error that `work` throws to a DataDirError.
 * @throws DataDirError whose message names `path`; the hint says what to do, such as to choose another folder with `--data`
 */
export function rethrowAsDataDirError<T>(path: string, work: () => T, refusals = OF_FILES): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    const [why, hint] = (error instanceof FileError && refusals[error.kind]) || [];
    if (why !== undefined)
      throw new DataDirError('unusable', `${path} ${why}`, hint?.(path) ?? ANOTHER, error);
    if (error instanceof FileError && error.kind === 'no-folder')
      throw new DataDirError('unusable', error.message, ANOTHER, error);
    const cause = error instanceof FileError ? (error.cause ?? error) : error;
    throw new DataDirError(
      'unusable',
      `cannot use ${path} (${codeOf(cause) ?? String(cause)})`,
      ANOTHER,
      cause,
    );
  }
}

const ANOTHER = 'choose another folder with --data DIR';
const away = () => 'move it away';

type Refusals = Partial<
  Readonly<Record<FileErrorKind, readonly [why: string, hint?: (path: string) => string]>>
>;

const OF_FILES: Refusals = {
  link: ['is a symbolic link; svc does not follow it', away],
  'not-a-file': ['is not a regular file', away],
  'not-own': ['belongs to another user'],
  'open-to-others': ['is open to other users', (path) => `chmod 600 ${path}`],
};
const OF_FOLDERS: Refusals = {
  'not-a-directory': ['is not a folder'],
  'not-own': ['belongs to another user'],
  'open-to-others': ['is open to other users, who can write to it', (path) => `chmod 700 ${path}`],
};
