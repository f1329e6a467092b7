import { closeSync, constants, fstatSync, fsyncSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renameOver, writeWhole } from '../files/atomic-file.ts';
import { checkDirectoryAccess, flushDirectoryToDisk, stateDirOf, thisUser } from '../files/directories.ts';
import { FileError } from '../files/errors.ts';
import { withLock } from '../files/lock.ts';
import { makeFolders } from '../files/make-folders.ts';
import { openPrivateFile } from '../files/private-file.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { parseJsonObject } from '../text/json-object.ts';
import { SvcError } from '../text/svc-error.ts';

export interface JournalLocation {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** Returns undefined if no environment variable names a state folder and the user has no home folder. */
export function journalFolder({ env, cwd, homeDir, platform }: Surroundings): string | undefined {
  const state = stateDirOf(env, homeDir, platform);
  return state === '' ? undefined : join(resolve(cwd, state), 'journal');
}

export const journalFilePath = (folder: string, age = 0): string =>
  join(folder, age === 0 ? 'journal.ndjson' : `journal.${age}.ndjson`);

/** Rejects a folder of another user, or one that other users may write to. */
export function makeJournalFolder(folder: string, platform: NodeJS.Platform): void {
  makeFolders(folder);
  checkDirectoryAccess(folder, thisUser(platform));
}

function openToAppend(path: string, platform: NodeJS.Platform, extra = 0): number {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  return openPrivateFile(path, O_RDWR | O_APPEND | O_CREAT | extra, thisUser(platform));
}

export function openJournalFile(path: string, platform: NodeJS.Platform): number | undefined {
  try {
    return openPrivateFile(path, constants.O_RDONLY, thisUser(platform));
  } catch (error) {
    if (error instanceof FileError && error.kind === 'missing') return undefined;
    throw error;
  }
}

export type JournalErrorKind =
  /** The journal's folder or one of its files is missing or unsafe, or belongs to another program. */
  | 'storage'
  /**
   * svc could not write a record that must exist before the request: a write that can't be undone, or the list of rules to pause. So svc
   * sent no request.
   */
  | 'journal';

/** An error of the journal. Its message, hint and cause never hold a secret. */
export class JournalError extends SvcError<JournalErrorKind> {
  override readonly name = 'JournalError';
}

/** Octets. */
export const MAX_JOURNAL_FILE_OCTETS = 5 * 1024 * 1024;
export const MAX_ROTATED_JOURNAL_FILES = 5;

interface AppendOptions {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly sync: boolean;
  /** Default: the next free number. */
  readonly n?: number;
}

/**
 * Writes are numbered from 1, and several lines can describe the same write. Each line is written with one system call under a lock, so
 * lines of two processes never mix. If a full disk truncates a line, the next line stays intact.
 * @throws if the line could not be written, because the disk fails or other users can access the file or its folder
 */
export async function appendJournalLine(
  line: object,
  { folder, platform, sync, n }: AppendOptions,
): Promise<number> {
  makeJournalFolder(folder, platform);
  return withLock(join(folder, 'journal.lock'), () => {
    rotate(folder, platform);
    const path = journalFilePath(folder);
    const isNew = createIfMissing(path, platform);
    const last = lastNumber(folder, platform);
    const number = n ?? last + 1;
    const file = openToAppend(path, platform);
    try {
      const text = `${formatJson({ n: number, last: Math.max(last, number), ...line })}\n`;
      writeWhole(file, endsInLine(file) ? text : `\n${text}`);
      if (sync) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (sync && isNew) flushDirectoryToDisk(folder, platform);
    return number;
  });
}

export async function writeFileInJournalFolder(
  name: string,
  { folder, platform }: Pick<AppendOptions, 'folder' | 'platform'>,
  lines: AsyncIterable<string>,
): Promise<void> {
  makeJournalFolder(folder, platform);
  const file = openToAppend(join(folder, name), platform, constants.O_EXCL);
  try {
    for await (const line of lines) writeWhole(file, `${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  flushDirectoryToDisk(folder, platform);
}

function createIfMissing(path: string, platform: NodeJS.Platform): boolean {
  const known = openJournalFile(path, platform);
  closeSync(known ?? openToAppend(path, platform));
  return known === undefined;
}

/** A writer that still has the old file open continues in the old file, and its line is kept. */
function rotate(folder: string, platform: NodeJS.Platform): void {
  const file = openJournalFile(journalFilePath(folder), platform);
  if (file === undefined) return;
  const { size } = fstatSync(file);
  closeSync(file);
  if (size < MAX_JOURNAL_FILE_OCTETS) return;
  for (let age = MAX_ROTATED_JOURNAL_FILES - 1; age >= 0; age -= 1) {
    const there = openJournalFile(journalFilePath(folder, age), platform);
    if (there === undefined) continue;
    closeSync(there);
    renameOver(journalFilePath(folder, age), journalFilePath(folder, age + 1), platform);
  }
}

function lastNumber(folder: string, platform: NodeJS.Platform): number {
  for (const age of [0, 1]) {
    const file = openJournalFile(journalFilePath(folder, age), platform);
    if (file === undefined) continue;
    try {
      const last = lastIn(file);
      if (last !== undefined) return last;
    } finally {
      closeSync(file);
    }
  }
  return 0;
}

function lastIn(file: number): number | undefined {
  const { size } = fstatSync(file);
  for (let length = 4096; ; length *= 8) {
    const from = Math.max(0, size - length);
    const octets = Buffer.alloc(size - from);
    readSync(file, octets, 0, octets.length, from);
    const lines = octets.toString('utf8').split('\n');
    // The first line is cut, unless this is the whole file.
    for (const line of lines.slice(from === 0 ? 0 : 1).reverse()) {
      const last = numberIn(line);
      if (last !== undefined) return last;
    }
    if (from === 0) return undefined;
  }
}

function numberIn(line: string): number | undefined {
  const { last }: { readonly last?: unknown } = parseJsonObject(line, parseJson) ?? {};
  return typeof last === 'number' && Number.isSafeInteger(last) ? last : undefined;
}

function endsInLine(file: number): boolean {
  const { size } = fstatSync(file);
  const octet = Buffer.alloc(1);
  return size === 0 || (readSync(file, octet, 0, 1, size - 1) === 1 && octet[0] === 0x0a);
}
