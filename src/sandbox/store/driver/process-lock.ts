/** Locks a data folder, so that one process at a time uses it. */
import { closeSync, constants, existsSync } from 'node:fs';
import Database from 'libsql';
import { openSandboxDataFile } from '../../../files/own-files.ts';

export interface FileLock {
  readonly release: () => void;
}

/**
 * Locks the file until `release`; returns undefined if another process holds it. It uses the operating system's file lock, which ends with
 * the process. A killed process therefore leaves no lock, and no process id has to be checked.
 */
export function lockFile(path: string): FileLock | undefined {
  create(path);
  const database = new Database(path);
  try {
    // `sandbox stop` tests the lock by holding it for a moment.
    database.pragma('busy_timeout = 100');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      // Closing alone would keep the lock until every statement has been garbage-collected.
      database.exec('rollback');
      database.close();
    },
  };
}

// Creates only a missing file: closing any descriptor of a file drops all locks that this process holds on it.
function create(path: string): void {
  if (!existsSync(path)) closeSync(openSandboxDataFile(path, constants.O_RDWR | constants.O_CREAT));
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');

/**
 * Creates a database without tables in an existing file, so that the file is not empty. A later start would treat an empty file as lost
 * data.
 */
export function createEmptySqliteFile(path: string): void {
  const database = new Database(path);
  database.exec('vacuum');
  database.close();
}
