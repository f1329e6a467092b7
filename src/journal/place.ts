/** Locates the journal and opens its files: accessible to this user only, and never through a link. */
import { constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectory, makeDirectory, stateDirOf } from '../files/directories.ts';
import { FileError } from '../files/errors.ts';
import { thisUser } from '../files/owner.ts';
import { openPrivateFile } from '../files/private-file.ts';

/** Folder that holds the journal, and its operating system. */
export interface JournalPlace {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** Values that determine the folders of a user's files. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** Returns `journal` in the state folder, or undefined if there is no home folder and no variable names one. */
export function journalFolder({ env, cwd, homeDir, platform }: Surroundings): string | undefined {
  const state = stateDirOf(env, homeDir, platform);
  return state === '' ? undefined : join(resolve(cwd, state), 'journal');
}

/**
 * Returns the path of the current file or, for an `age` above 0, of an older file: `journal.1.ndjson` to `journal.5.ndjson`. The oldest
 * file has the highest number.
 */
export const fileIn = (folder: string, age = 0): string =>
  join(folder, age === 0 ? 'journal.ndjson' : `journal.${age}.ndjson`);

/** Creates the folder with mode 0700, whatever the umask. Rejects a folder of another user, or one that other users may write to. */
export function makeFolder(folder: string, platform: NodeJS.Platform): void {
  makeDirectory(folder);
  checkDirectory(folder, thisUser(platform));
}

/** Returns a descriptor for appending. Creates the file with mode 0600 if it does not exist. @param extra further flags of `open` */
export function openToAppend(path: string, platform: NodeJS.Platform, extra = 0): number {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  return openPrivateFile(path, O_RDWR | O_APPEND | O_CREAT | extra, thisUser(platform));
}

/** Returns a descriptor for reading, or undefined if the file does not exist. */
export function openToRead(path: string, platform: NodeJS.Platform): number | undefined {
  try {
    return openPrivateFile(path, constants.O_RDONLY, thisUser(platform));
  } catch (error) {
    if (error instanceof FileError && error.kind === 'missing') return undefined;
    throw error;
  }
}
