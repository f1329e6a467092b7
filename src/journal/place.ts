/** Where the journal is, and how its files are opened: for this user alone, and never through a link. */
import { constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkDirectory, makeDirectory, stateDirOf } from '../files/directories.ts';
import { FileError } from '../files/errors.ts';
import { thisUser } from '../files/owner.ts';
import { openPrivateFile } from '../files/private-file.ts';

/** The folder that holds the journal, and on what system. */
export interface JournalPlace {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/** What tells where a user's files are. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** `journal` in the state folder. Undefined where the system knows no home and no variable names one. */
export function journalFolder({ env, cwd, homeDir, platform }: Surroundings): string | undefined {
  const state = stateDirOf(env, homeDir, platform);
  return state === '' ? undefined : join(resolve(cwd, state), 'journal');
}

/** The file that is written now; older ones are `journal.1.ndjson` to `journal.5.ndjson`, the oldest last. */
export const fileIn = (folder: string, age = 0): string =>
  join(folder, age === 0 ? 'journal.ndjson' : `journal.${age}.ndjson`);

/** Mode 0700 whatever the umask. Refuses a folder of another user, or one where others may write. */
export function makeFolder(folder: string, platform: NodeJS.Platform): void {
  makeDirectory(folder);
  checkDirectory(folder, thisUser(platform));
}

/** A descriptor for appending; the file is made with mode 0600 where there is none. `extra`: further flags of open. */
export function openToAppend(path: string, platform: NodeJS.Platform, extra = 0): number {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  return openPrivateFile(path, O_RDWR | O_APPEND | O_CREAT | extra, thisUser(platform));
}

/** A descriptor for reading, or undefined where there is no such file. */
export function openToRead(path: string, platform: NodeJS.Platform): number | undefined {
  try {
    return openPrivateFile(path, constants.O_RDONLY, thisUser(platform));
  } catch (error) {
    if (error instanceof FileError && error.kind === 'missing') return undefined;
    throw error;
  }
}
