/** The files of a data folder hold keys: they are this user's alone, and no link is followed to or from them. */
import { closeSync, constants, readFileSync } from 'node:fs';
import { checkDirectory, makeDirectory } from '../../files/directories.ts';
import { codeOf, FileError, type FileErrorKind } from '../../files/errors.ts';
import { type Owner, thisUser } from '../../files/owner.ts';
import { checkPrivateFile, openPrivateFile } from '../../files/private-file.ts';

/** The folder can't be used as it is; `hint` says what to do. Nothing in it was changed. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
  readonly kind: 'in-use' | 'unusable';
  readonly hint: string;

  constructor(kind: 'in-use' | 'unusable', message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hint = hint;
  }
}

/** Makes the folder where there is none, 0700. @throws DataDirError where it is not, or not only, this user's */
export function makeOwnFolder(path: string, user?: Owner): void {
  asDataDirError(path, () => makeDirectory(path));
  checkOwnFolder(path, user);
}

/**
 * One that isn't there is fine.
 * @throws DataDirError where another user owns it, may write in it, or pointed to it by a link
 */
export function checkOwnFolder(path: string, user = thisUser()): void {
  asDataDirError(path, () => checkDirectory(path, user), OF_FOLDERS);
}

/** Its text, or undefined where there is none. @throws DataDirError where others could read, change or have put it */
export function readOwnFile(path: string, user = thisUser()): string | undefined {
  if (!checkOwnFile(path, user)) return undefined;
  const file = openOwnFile(path, constants.O_RDONLY, user);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** A descriptor; a file that is made gets 0600. @throws DataDirError, and nothing was written */
export function openOwnFile(path: string, flags: number, user = thisUser()): number {
  return asDataDirError(path, () => openPrivateFile(path, flags, user));
}

/** Whether it is there. @throws DataDirError where it is not this user's alone */
export function checkOwnFile(path: string, user = thisUser()): boolean {
  return asDataDirError(path, () => checkPrivateFile(path, user));
}

/** What the work gives. @throws DataDirError of `path`, which knows the flag that names another folder */
export function asDataDirError<T>(path: string, work: () => T, refusals = OF_FILES): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    const [why, hint] = (error instanceof FileError && refusals[error.kind]) || [];
    if (why !== undefined)
      throw new DataDirError('unusable', `${path} ${why}`, hint?.(path) ?? ANOTHER, error);
    const cause = error instanceof FileError ? (error.cause ?? error) : error;
    throw new DataDirError(
      'unusable',
      `${path} can't be used (${codeOf(cause) ?? String(cause)})`,
      ANOTHER,
      cause,
    );
  }
}

const ANOTHER = '--data DIR names another folder';
const away = () => 'move it away';

type Refusals = Partial<
  Readonly<Record<FileErrorKind, readonly [why: string, hint?: (path: string) => string]>>
>;

const OF_FILES: Refusals = {
  link: ['is a link, which is not followed', away],
  'not-a-file': ['is no regular file', away],
  'not-own': ['belongs to another user'],
  'open-to-others': ['is open to other users', (path) => `chmod 600 ${path}`],
};
const OF_FOLDERS: Refusals = {
  'not-a-directory': ['is not a folder'],
  'not-own': ['belongs to another user'],
  'open-to-others': ['is open to other users, who may write in it', (path) => `chmod 700 ${path}`],
};
