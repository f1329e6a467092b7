/** Reads and follows the journal, and combines the lines of each write by the write's number. */
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Clock } from '../client/ports.ts';
import { parseJson } from '../protocol/json.ts';
import { parseJsonObject } from '../text/json-object.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import { type Entry, isSameWriteRequestSender, type WriteRequestSender, type WriteState } from './entry.ts';
import {
  JournalError,
  type JournalLocation,
  journalFilePath,
  MAX_ROTATED_JOURNAL_FILES,
  openJournalFile,
} from './file.ts';

/** Unreadable lines are skipped. */
export async function readJournalEntries(place: JournalLocation): Promise<readonly Entry[]> {
  const entries = new Map<number, Entry>();
  for (let age = MAX_ROTATED_JOURNAL_FILES; age >= 0; age -= 1) {
    for await (const line of linesOf(place, age)) entries.set(line.n, joined(entries.get(line.n), line));
  }
  return [...entries.values()].sort((a, b) => a.n - b.n);
}

/** @param age 0 for the current file; a higher number for an older file */
async function* linesOf({ folder, platform }: JournalLocation, age: number): AsyncGenerator<Entry, void> {
  const path = journalFilePath(folder, age);
  const file = openJournalFile(path, platform);
  if (file === undefined) return;
  const stream = createReadStream('', { fd: file, start: 0, encoding: 'utf8' });
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = parsed(text, path);
      if (line) yield line;
    }
  } finally {
    stream.destroy();
  }
}

/**
 * For all other members, the value in `line` takes precedence. If `line` has no previous state (`before`), the result has the previous
 * state of `intent`.
 */
function joined(intent: Entry | undefined, line: Entry): Entry {
  if (intent === undefined) return line;
  return { ...intent, ...line, time: intent.time, before: line.before ?? intent.before };
}

const STATES: readonly WriteState[] = ['intent', 'done', 'failed', 'unknown'];

/**
 * The entry keeps JSON members that this svc does not know.
 * @throws JournalError if a newer svc wrote the line, which then has a `version` above 1; otherwise `svc undo` could undo the wrong write
 */
function parsed(text: string, path: string): Entry | undefined {
  const { last: _, ...entry } = parseJsonObject(text, parseJson) ?? {};
  const newer = explainNewerFile(path, entry);
  if (newer !== undefined) throw new JournalError('storage', newer, { hint: UPDATE_SVC_HINT });
  return isEntry(entry) ? entry : undefined;
}

const isEntry = (line: Partial<Record<keyof Entry, unknown>>): line is Entry =>
  Number.isSafeInteger(line.n) &&
  STATES.some((each) => each === line.state) &&
  typeof line.method === 'string' &&
  typeof line.resource === 'string';

export async function readJournalEntriesOfRequestSender(
  place: JournalLocation,
  sender: Omit<WriteRequestSender, 'command'>,
): Promise<readonly Entry[]> {
  const entries = await readJournalEntries(place);
  return entries.filter((entry) => isSameWriteRequestSender(entry, sender));
}

const POLL_MS = 500;

/**
 * A write that was noted before it was sent has two lines. Waits for more lines until Ctrl-C aborts `signal`. If the journal's file is
 * rotated while this function waits, reads the old file to its end and then the new one.
 */
export function followJournal(
  place: JournalLocation,
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
            const entry = parsed(text, journalFilePath(place.folder, age));
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

function endOf({ folder, platform }: JournalLocation): Position {
  const file = openJournalFile(journalFilePath(folder), platform);
  if (file === undefined) return { inode: undefined, at: 0 };
  const { ino, size } = fstatSync(file);
  closeSync(file);
  return { inode: ino, at: size };
}

/**
 * Returns the complete lines of one file since the previous call, and where the next call must continue. Another inode means a rotation:
 * the current file is then read from its start, and an older one is skipped. Returns undefined without new octets.
 * @param age number of rotations since svc last wrote to the file
 */
function readFrom(
  { folder, platform }: JournalLocation,
  age: number,
  inode: number | undefined,
  at: number,
): { readonly inode: number; readonly at: number; readonly lines: readonly string[] } | undefined {
  const file = openJournalFile(journalFilePath(folder, age), platform);
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
