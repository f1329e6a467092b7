/** The files of a data folder hold keys: they are this user's alone, and no link is followed to or from them. */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs';

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

/** Whose files are believed. On Windows modes and owners mean nothing: the rights of the folder have to do. */
export interface User {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
}

const thisUser = (): User => ({ platform: process.platform, uid: process.getuid?.() });

/** Makes the folder where there is none, 0700. @throws DataDirError where it is not, or not only, this user's */
export function makeOwnFolder(path: string, user = thisUser()): void {
  try {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
  } catch (error) {
    throw unusable(path, error);
  }
  checkOwnFolder(path, user);
}

/**
 * One that isn't there is fine.
 * @throws DataDirError where another user owns it, may write in it, or pointed to it by a link
 */
export function checkOwnFolder(path: string, user = thisUser()): void {
  const named = lstatSync(path, { throwIfNoEntry: false });
  const stats = named?.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : named;
  if (named === undefined) return;
  if (!stats?.isDirectory()) throw refusal(path, 'is not a folder', OTHER_FOLDER);
  if (isOthers(named, user) || isOthers(stats, user))
    throw refusal(path, 'belongs to another user', OTHER_FOLDER);
  if (user.platform !== 'win32' && (stats.mode & 0o022) !== 0)
    throw refusal(path, 'is open to other users, who may write in it', `chmod 700 ${path}`);
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
  const { O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    if (user.platform === 'win32') checkOwnFile(path, user);
    // Without O_NONBLOCK a named pipe would hold the program up for ever.
    const safe = user.platform === 'win32' ? flags : flags | O_NOFOLLOW | O_NONBLOCK;
    const file = openSync(path, safe, 0o600);
    try {
      // What was opened is what is checked: the name may point elsewhere by now.
      check(path, fstatSync(file), user);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP')
      throw refusal(path, A_LINK, AWAY);
    throw unusable(path, error);
  }
}

/** Whether it is there. @throws DataDirError where it is not this user's alone */
export function checkOwnFile(path: string, user = thisUser()): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) check(path, stats, user);
  return stats !== undefined;
}

function check(path: string, stats: Stats, user: User): void {
  if (stats.isSymbolicLink()) throw refusal(path, A_LINK, AWAY);
  if (!stats.isFile()) throw refusal(path, 'is no regular file', AWAY);
  if (isOthers(stats, user)) throw refusal(path, 'belongs to another user', OTHER_FOLDER);
  if (user.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    throw refusal(path, 'is open to other users', `chmod 600 ${path}`);
}

const isOthers = (stats: Stats, { platform, uid }: User): boolean =>
  platform !== 'win32' && uid !== undefined && stats.uid !== uid;

const OTHER_FOLDER = '--data DIR names another folder';
const AWAY = 'move it away';
const A_LINK = 'is a link, which is not followed';

const refusal = (path: string, why: string, hint: string): DataDirError =>
  new DataDirError('unusable', `${path} ${why}`, hint);

function unusable(path: string, error: unknown): DataDirError {
  const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new DataDirError('unusable', `${path} can't be used (${why})`, OTHER_FOLDER, error);
}
