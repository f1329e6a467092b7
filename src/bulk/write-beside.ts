/** A file that is there whole or not at all: written beside, and renamed when it is done. */
import { constants } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { BulkError } from './errors.ts';
import { wordsFor } from './opened-file.ts';

export interface AtomicFile {
  /** Waits for the disk only when much is waiting. */
  readonly write: (text: string) => Promise<void>;
  /** On disk, under its name. */
  readonly commit: () => Promise<void>;
  readonly abort: () => Promise<void>;
  /** As it is, since it is another's by now. */
  readonly leave: () => Promise<void>;
}

const FULL = 64 * 1024;

/**
 * Mode 0600: it holds what people are called by.
 * @param force replaces a file of that name; a link of that name is replaced, never followed
 * @throws BulkError where the file is there, or can't be written
 */
export async function writeBeside(path: string, name: string, force: boolean): Promise<AtomicFile> {
  if (!force && (await lstat(path).catch(() => undefined)) !== undefined)
    throw new BulkError('input', `${name} is there already`, { hint: '--force replaces it' });
  const part = `${path}.part`;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const file = await open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new BulkError('input', `cannot write ${name}: ${wordsFor(cause)}`, { cause });
    },
  );
  let pending: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') await written(file.appendFile(text), name);
  };
  return {
    write: async (text) => {
      pending.push(text);
      size += text.length;
      if (size >= FULL) await flush();
    },
    commit: async () => {
      await flush();
      await written(file.sync(), name);
      await file.close();
      await written(rename(part, path), name);
    },
    abort: async () => {
      await file.close();
      await unlink(part).catch(() => undefined);
    },
    leave: () => file.close(),
  };
}

async function written(work: Promise<void>, name: string): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BulkError('unwritable-file', `cannot write ${name}: ${why}`, { cause });
  }
}
