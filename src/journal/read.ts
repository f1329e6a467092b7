/** Reads the journal, and combines the lines of each write by the write's number. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseJson } from '../protocol/json.ts';
import { objectIn } from '../text/json-object.ts';
import { isSameActor } from './actor.ts';
import type { Actor, Entry, State } from './entry.ts';
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

/** Combines a write's intent with the line of its outcome. The intent's start time and previous state are kept. */
function joined(intent: Entry | undefined, line: Entry): Entry {
  if (intent === undefined) return line;
  return { ...intent, ...line, time: intent.time, before: line.before ?? intent.before };
}

const STATES: readonly State[] = ['intent', 'done', 'failed', 'unknown'];

/** Returns the entry in a line, or undefined if the line holds no entry. */
export function parsed(text: string): Entry | undefined {
  const { last: _, ...entry } = objectIn(text, parseJson) ?? {};
  const { n, state, method, resource } = entry;
  const isOurs = Number.isSafeInteger(n) && STATES.some((each) => each === state);
  if (!isOurs || typeof method !== 'string' || typeof resource !== 'string') return undefined;
  return entry as unknown as Entry;
}

/** Returns the earlier writes of this profile by the same user of the same company, oldest first. */
export async function ownEntries(
  place: JournalPlace,
  actor: Omit<Actor, 'command'>,
): Promise<readonly Entry[]> {
  const entries = await readEntries(place);
  return entries.filter((entry) => isSameActor(entry, actor));
}
