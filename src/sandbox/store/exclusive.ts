/** A data folder belongs to one process at a time. */
import { closeSync, constants, existsSync } from 'node:fs';
import Database from 'libsql';
import { openOwnFile } from '../data/own-files.ts';

export interface Hold {
  readonly release: () => void;
}

/**
 * Holds the file until released, or undefined while another process holds it. The system's own file lock carries it,
 * so that of a process that was killed is gone with the process, and no process id has to be judged.
 */
export function holdExclusively(path: string): Hold | undefined {
  create(path);
  const database = new Database(path);
  try {
    // `sandbox stop` looks whether it is held by holding it for a moment.
    database.pragma('busy_timeout = 100');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      // Closing alone lets go only once every statement has been collected.
      database.exec('rollback');
      database.close();
    },
  };
}

// Only where there is none: closing a file of this process would drop the locks that it holds on it.
function create(path: string): void {
  if (!existsSync(path)) closeSync(openOwnFile(path, constants.O_RDWR | constants.O_CREAT));
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
