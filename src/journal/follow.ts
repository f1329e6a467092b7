/** Follows new entries of the journal. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { Clock } from '../client/ports.ts';
import type { Entry } from './entry.ts';
import { fileIn, type JournalPlace, openToRead } from './place.ts';
import { parsed } from './read.ts';

const POLL_MS = 500;

/**
 * Yields the lines that are written after the call. An intent and its outcome are two lines. It ends only when Ctrl-C interrupts the clock.
 * A file that is rotated in the meantime is read to its end.
 */
export function follow(
  place: JournalPlace,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): AsyncIterable<Entry> {
  const start = endOf(place);
  return {
    async *[Symbol.asyncIterator]() {
      let { inode, at } = start;
      for (;;) {
        for (const age of [1, 0]) {
          const piece = readFrom(place, age, inode, at);
          if (piece === undefined) continue;
          inode = piece.inode;
          at = piece.at;
          for (const text of piece.lines) {
            const entry = parsed(text);
            if (entry) yield entry;
          }
        }
        await clock.sleep(POLL_MS, signal);
      }
    },
  };
}

interface Position {
  /** Inode of the current file. Undefined before the journal exists. */
  readonly inode: number | undefined;
  readonly at: number;
}

function endOf({ folder, platform }: JournalPlace): Position {
  const file = openToRead(fileIn(folder), platform);
  if (file === undefined) return { inode: undefined, at: 0 };
  const { ino, size } = fstatSync(file);
  closeSync(file);
  return { inode: ino, at: size };
}

/**
 * Returns the complete lines of a file that were not read yet. Reads a rotated file only if it is the file that was read last. Reads the
 * current file from its start if it is a new file.
 */
function readFrom(
  { folder, platform }: JournalPlace,
  age: number,
  inode: number | undefined,
  at: number,
): { readonly inode: number; readonly at: number; readonly lines: readonly string[] } | undefined {
  const file = openToRead(fileIn(folder, age), platform);
  if (file === undefined) return undefined;
  try {
    const { ino, size } = fstatSync(file);
    if (age > 0 && ino !== inode) return undefined;
    const from = ino === inode ? at : 0;
    if (size <= from) return undefined;
    const octets = Buffer.alloc(size - from);
    const length = readSync(file, octets, 0, octets.length, from);
    const end = octets.subarray(0, length).lastIndexOf(0x0a) + 1;
    return { inode: ino, at: from + end, lines: octets.subarray(0, end).toString('utf8').split('\n') };
  } finally {
    closeSync(file);
  }
}
