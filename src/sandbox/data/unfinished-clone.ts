/** Stores the records that `svc sandbox clone` has read, so that it can resume. Such a folder can't be started as a sandbox. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkSandboxDataFolder,
  DataDirError,
  makeSandboxDataFolder,
  readSandboxDataFile,
  refuseFileFromNewerSvc,
  sandboxDataFileExists,
} from '../../kit/files/own-files.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import { formatJson, parseJson } from '../../service/protocol/json.ts';
import { setClockMode } from '../engine/clock.ts';
import { type AccountCopy, seedAccountCopy } from '../seed/copied-account.ts';
import { openStore } from '../store/open.ts';
import {
  createDatabaseFileIfMissing,
  type DataDir,
  lockDataDir,
  removeDatabase,
  writeFileAtomically,
} from './data-dir.ts';

const folderOf = ({ path }: DataDir): string => join(path, 'clone');

/** Throws `DataDirError` if the folder holds an interrupted clone. */
export function refuseUnfinishedClone(dir: DataDir): void {
  if (!existsSync(folderOf(dir))) return;
  throw new DataDirError(
    'unusable',
    `${dir.path} holds a clone that is not finished`,
    `finish it: repeat svc sandbox clone with --data ${quoteShellWord(dir.path)}, or delete the folder`,
  );
}

/** The account that is cloned. A clone resumes only for the same account. */
interface ClonedAccount {
  readonly origin: string;
  readonly company: string;
  readonly user: string;
}

interface CloningMachine {
  readonly random: (octets: number) => Uint8Array;
  /** This machine's time in milliseconds. */
  readonly now: () => number;
}

/** Seconds by which clocks of two machines may differ, and both show real time. */
const MAX_CLOCK_DIFFERENCE = 300;

interface UnfinishedClone {
  readonly readPart: (part: string) => Promise<readonly object[] | undefined>;
  readonly writePart: (part: string, records: readonly object[]) => Promise<void>;
  /**
   * Completes the clone. If the service's clock is ahead of this machine's, the clone gets a manual clock; otherwise its sent tasks would be in
   * its future.
   */
  readonly finish: (copy: AccountCopy, machine: CloningMachine) => Promise<void>;
  readonly close: () => void;
}

/**
 * Opens the folder for a new clone or one that resumes.
 * @throws DataDirError if the folder is in use, or holds a sandbox or the clone of another account
 */
export function startOrResumeClone(dir: DataDir, cloned: ClonedAccount): UnfinishedClone {
  const hold = lockDataDir(dir);
  const folder = folderOf(dir);
  const pathOf = (part: string): string => join(folder, `${part.replaceAll(/[^a-z]+/gi, '-')}.json`);
  try {
    if (!existsSync(folder) && (sandboxDataFileExists(dir.database) || existsSync(dir.store)))
      throw new DataDirError(
        'in-use',
        `${dir.path} already holds a sandbox`,
        'choose another folder with --data DIR',
      );
    makeSandboxDataFolder(folder);
    checkSandboxDataFolder(folder);
    const known = readSandboxDataFile(pathOf('cloned'));
    refuseFileFromNewerSvc(pathOf('cloned'), parseJsonObject(known ?? ''));
    if (known === undefined) writeFileAtomically(pathOf('cloned'), ({ write }) => write(formatJson(cloned)));
    else if (known !== formatJson(cloned))
      throw new DataDirError(
        'in-use',
        `${dir.path} holds an unfinished clone of another account`,
        'choose another folder with --data DIR',
      );
  } catch (error) {
    hold.release();
    throw error;
  }
  return {
    readPart: async (part) => {
      const text = readSandboxDataFile(pathOf(part));
      const records = text === undefined ? undefined : parseJson(text);
      return Array.isArray(records) ? records : undefined;
    },
    writePart: async (part, records) =>
      writeFileAtomically(pathOf(part), ({ write }) => write(formatJson(records))),
    finish: async (copy, { random, now }) => {
      removeDatabase(dir);
      createDatabaseFileIfMissing(dir);
      const store = await openStore(dir.database);
      try {
        await store.transaction(async (db) => {
          await seedAccountCopy({ db, random }, copy);
          const isAhead = copy.at - now() / 1000 > MAX_CLOCK_DIFFERENCE;
          if (isAhead) await setClockMode(db, 'manual', copy.at * 1000);
        });
      } finally {
        await store.close();
      }
      rmSync(folder, { recursive: true });
    },
    close: () => hold.release(),
  };
}
