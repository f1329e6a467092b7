/** Reads and follows the journal, and combines the lines of each write by the write's number. */
import { fstatSync } from 'node:fs';
import { readLines } from '../../kit/files/ledger.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import { parseJson } from '../../service/protocol/json.ts';
import type { Clock } from '../requests/ports.ts';
import { type Entry, isSameWriteRequestSender, type WriteRequestSender, type WriteState } from './entry.ts';
import {
  JournalError,
  type JournalLocation,
  journalFilePath,
  MAX_ROTATED_JOURNAL_FILES,
  readJournalFile,
} from './file.ts';

/** Unreadable lines are skipped. */
export async function readJournalEntries(place: JournalLocation): Promise<readonly Entry[]> {
  const entries = new Map<number, Entry>();
  for (let age = MAX_ROTATED_JOURNAL_FILES; age >= 0; age -= 1) {
    for (const { text } of readJournalFile(place, age, (file) => [...readLines(file)]) ?? []) {
      const line = parsed(text, journalFilePath(place.folder, age));
      if (line) entries.set(line.n, joined(entries.get(line.n), line));
    }
  }
  return [...entries.values()].sort((a, b) => a.n - b.n);
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
  const start: Position = readJournalFile(place, 0, endOf) ?? { inode: undefined, at: 0 };
  return {
    async *[Symbol.asyncIterator]() {
      let position = start;
      for (;;) {
        for (const age of [1, 0]) {
          const piece = readJournalFile(place, age, (file) => linesAfter(file, age, position));
          position = piece?.end ?? position;
          for (const { text } of piece?.lines ?? []) {
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

function endOf(file: number): Position {
  const { ino, size } = fstatSync(file);
  return { inode: ino, at: size };
}

/**
 * Returns the complete lines of one file since the previous call, and where the next call must continue. Another inode means a rotation:
 * the current file is then read from its start, and an older one is skipped. Returns undefined without new lines.
 * @param age number of rotations since svc last wrote to the file
 */
function linesAfter(file: number, age: number, { inode, at: from }: Position) {
  const { ino } = fstatSync(file);
  if (age > 0 && ino !== inode) return undefined;
  const lines = [...readLines(file, ino === inode ? from : 0)].filter(({ isWhole }) => isWhole);
  const at = lines.at(-1)?.end;
  return at === undefined ? undefined : { lines, end: { inode: ino, at } };
}
