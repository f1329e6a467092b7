/** Writes into a device or a named pipe that the user named as an output file. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, FileError } from './errors.ts';

export interface StreamTarget {
  /**
   * Waits while a pipe is full.
   * @throws the system's error, or the reason of an aborted signal
   */
  readonly write: (content: string | Uint8Array) => Promise<void>;
  /** Does nothing the second time. */
  readonly close: () => void;
}

/** Time that svc waits for a program that reads the pipe, because a shell starts both at the same time. */
const READER_WITHIN_MS = 2000;
const POLL_MS = 10;

/** @throws FileError `not-a-file` if something else is at the path; `unusable` if no program reads the pipe */
export async function openStreamTarget(path: string, signal?: AbortSignal): Promise<StreamTarget> {
  const file = await openWhenRead(path, signal);
  const stats = fstatSync(file);
  // Something else may be at the path by now.
  if (!stats.isFIFO() && !stats.isCharacterDevice()) {
    closeSync(file);
    throw new FileError('not-a-file', `${path} is neither a device nor a named pipe`);
  }
  let isOpen = true;
  return {
    write: async (content) => {
      const octets = Buffer.from(content);
      for (let at = 0; at < octets.length; ) {
        const count = writeSome(file, octets, at);
        if (count === 0) await sleep(POLL_MS, undefined, { signal });
        at += count;
      }
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** Opens without blocking: an `open` that waits for a reader of the pipe would ignore Ctrl-C. */
async function openWhenRead(path: string, signal: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      return openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch (error) {
      if (codeOf(error) !== 'ENXIO') throw error;
      if (waited >= READER_WITHIN_MS)
        throw new FileError(
          'unusable',
          'no program reads the pipe',
          'start the reading program first',
          error,
        );
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function writeSome(file: number, octets: Buffer, at: number): number {
  try {
    return writeSync(file, octets, at);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return 0;
    throw error;
  }
}
