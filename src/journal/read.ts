/** Reads the journal: merges lines into writes, each by its number. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseJson } from '../protocol/json.ts';
import type { Entry, State, WriteOutcome } from './entry.ts';
import { KEPT_FILES } from './file.ts';
import { fileIn, type JournalPlace, openToRead } from './place.ts';

/** Returns all writes, oldest first. Unreadable lines are skipped. */
export async function readEntries(place: JournalPlace): Promise<readonly Entry[]> {
  const entries = new Map<number, Entry>();
  for (let age = KEPT_FILES; age >= 0; age -= 1) {
    for await (const line of linesOf(place, age)) entries.set(line.n, joined(entries.get(line.n), line));
  }
  return [...entries.values()].sort((a, b) => a.n - b.n);
}

/** Yields the lines of one file. Yields nothing if the file does not exist. */
async function* linesOf({ folder, platform }: JournalPlace, age: number): AsyncGenerator<Entry, void> {
  const file = openToRead(fileIn(folder, age), platform);
  if (file === undefined) return;
  const stream = createReadStream('', { fd: file, start: 0, encoding: 'utf8' });
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = parsed(text);
      if (line) yield line;
    }
  } finally {
    stream.destroy();
  }
}

/** Merges the outcome of a write into its intent. The start time and the noted previous state are kept. */
function joined(intent: Entry | undefined, line: Entry): Entry {
  if (intent === undefined) return line;
  return { ...intent, ...line, time: intent.time, before: line.before ?? intent.before };
}

const STATES: readonly State[] = ['intent', 'done', 'failed', 'unknown'];

/** Returns the entry in a line, or undefined for a line without one. */
export function parsed(text: string): Entry | undefined {
  if (text === '') return undefined;
  try {
    const value: Partial<Entry> & Partial<WriteOutcome> & { readonly last?: unknown } = Object(
      parseJson(text),
    );
    const isOurs = Number.isSafeInteger(value.n) && STATES.some((state) => state === value.state);
    if (!isOurs || typeof value.method !== 'string' || typeof value.resource !== 'string') return undefined;
    const { last: _, ...entry } = value;
    return entry as Entry;
  } catch {
    return undefined;
  }
}
