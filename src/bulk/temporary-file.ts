/** Writes a list of any length to a temporary file next to its final path, and renames the file when the list is complete. */
import { lstat } from 'node:fs/promises';
import { createAtomicFile } from '../files/atomic-file.ts';
import { FileError, systemErrorReason } from '../files/errors.ts';
import { BulkError } from './errors.ts';

export interface TemporaryFile {
  /** Appends text. The text is kept in memory until there is enough for a large write. */
  readonly write: (text: string) => Promise<void>;
  /** Writes the text that is still in memory. A full disk is then noticed before a file of several is moved to its final path. */
  readonly flush: () => Promise<void>;
  /**
   * Writes the file to disk and moves it to its final path. If that fails, deletes the temporary file.
   * @throws BulkError if another run has put a temporary file in the place of this run's file
   */
  readonly commit: () => Promise<void>;
  /** Deletes the temporary file of this run. Keeps a temporary file that another run has put in its place. */
  readonly abort: () => Promise<void>;
}

const FULL = 64 * 1024;

/**
 * Creates the file with mode 0600, because it holds addresses of people.
 * @param force true if an existing file of that name is replaced; a symbolic link of that name is replaced too, and never followed
 * @throws BulkError if the file exists, or can't be written
 */
export async function openTemporaryFile(path: string, name: string, force: boolean): Promise<TemporaryFile> {
  await checkFileCanBeCreated(path, name, force);
  const file = begun(path, name);
  let pending: string[] = [];
  let size = 0;
  const flush = (): void => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') file.write(text);
  };
  return {
    write: async (text) => {
      pending.push(text);
      size += text.length;
      if (size >= FULL) written(name, flush);
    },
    flush: async () => written(name, flush),
    commit: async () => {
      try {
        written(name, () => {
          flush();
          file.commit();
        });
      } catch (error) {
        file.abort();
        throw error;
      }
    },
    abort: async () => file.abort(),
  };
}

/**
 * Checks in advance that the file can be created.
 * @throws BulkError if the file exists
 */
export async function checkFileCanBeCreated(path: string, name: string, force: boolean): Promise<void> {
  if (force || (await lstat(path).catch(() => undefined)) === undefined) return;
  throw new BulkError('input', `${name} already exists`, { hint: '--force replaces it' });
}

function begun(path: string, name: string): ReturnType<typeof createAtomicFile> {
  try {
    return createAtomicFile(path, { suffix: '.part' });
  } catch (error) {
    const cause = error instanceof FileError ? error.cause : error;
    throw new BulkError('input', `cannot write ${name}: ${systemErrorReason(cause)}`, { cause });
  }
}

function written(name: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const why = systemErrorReason(cause);
    const hints = cause instanceof FileError ? cause.hints : [];
    throw new BulkError('unwritable-file', `cannot write ${name}: ${why}`, { hints, cause });
  }
}
