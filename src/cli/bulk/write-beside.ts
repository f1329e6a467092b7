/** A file that is there whole or not at all: written beside, and renamed when it is done. */
import { constants } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { wordsFor } from '../../bulk/opened-file.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';

export interface Beside {
  /** Waits for the disk only when much is waiting. */
  readonly write: (text: string) => Promise<void>;
  /** On disk, under its name. */
  readonly keep: () => Promise<void>;
  readonly discard: () => Promise<void>;
  /** As it is, since it is another's by now. */
  readonly leave: () => Promise<void>;
}

const FULL = 64 * 1024;

/**
 * Mode 0600: it holds what people are called by.
 * @param force replaces a file of that name; a link of that name is replaced, never followed
 * @throws UsageError where the file is there, or can't be written
 */
export async function writeBeside(path: string, name: string, force: boolean): Promise<Beside> {
  if (!force && (await lstat(path).catch(() => undefined)) !== undefined)
    throw new UsageError(`${name} is there already`, { hint: '--force replaces it' });
  const part = `${path}.part`;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  const file = await open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new UsageError(`cannot write ${name}: ${wordsFor(cause)}`, { cause });
    },
  );
  let pending: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    size = 0;
    if (text !== '') await told(file.appendFile(text), name);
  };
  return {
    write: async (text) => {
      pending.push(text);
      size += text.length;
      if (size >= FULL) await flush();
    },
    keep: async () => {
      await flush();
      await told(file.sync(), name);
      await file.close();
      await told(rename(part, path), name);
    },
    discard: async () => {
      await file.close();
      await unlink(part).catch(() => undefined);
    },
    leave: () => file.close(),
  };
}

async function told(work: Promise<void>, name: string): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('system', `cannot write ${name}: ${why}`, { exit: EXIT.failed, cause });
  }
}
