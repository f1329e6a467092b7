/** Locks a data folder, so that one process at a time uses it. */
import { closeSync, constants, existsSync } from 'node:fs';
import Database from 'libsql';
import { openSandboxDataFile } from '../../../kit/files/own-files.ts';

export interface FileLock {
  readonly release: () => void;
}

/** Locks the file; returns undefined if another process holds it. The operating system ends the lock of a killed process. */
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

/** Makes an empty file a database without tables, because a later start would treat an empty file as lost data. */
export function createEmptySqliteFile(path: string): void {
  const database = new Database(path);
  database.exec('vacuum');
  database.close();
}
