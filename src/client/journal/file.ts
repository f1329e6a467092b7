import { constants, fstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renameOver } from '../../kit/files/atomic-file.ts';
import { checkDirectoryAccess, stateDirOf, thisUser } from '../../kit/files/directories.ts';
import { openPrivateLedger, readLines } from '../../kit/files/ledger.ts';
import { withLock } from '../../kit/files/lock.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { checkPrivateFile, withPrivateFile } from '../../kit/files/private-file.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { SvcError } from '../../kit/text/svc-error.ts';
import { formatJson, parseJson } from '../../service/protocol/json.ts';

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

/** Returns undefined if there is no such file. @param age 0 for the current file; a higher number for an older file */
export const readJournalFile = <T>(
  { folder, platform }: JournalLocation,
  age: number,
  read: (file: number) => T,
): T | undefined => withPrivateFile(journalFilePath(folder, age), thisUser(platform), read);

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

interface AppendOptions extends JournalLocation {
  readonly sync: boolean;
  /** Default: the next free number. */
  readonly n?: number;
}

/**
 * Writes are numbered from 1, and several lines can describe the same write. A lock protects the numbers.
 * @throws if the line could not be written, because the disk fails or other users can access the file or its folder
 */
export async function appendJournalLine(
  line: object,
  { folder, platform, sync, n }: AppendOptions,
): Promise<number> {
  makeJournalFolder(folder, platform);
  const lastOf = (age: number): number | undefined =>
    readJournalFile({ folder, platform }, age, lastNumberIn);
  return withLock(join(folder, 'journal.lock'), () => {
    rotate(folder, platform);
    const last = lastOf(0) ?? lastOf(1) ?? 0;
    const number = n ?? last + 1;
    const ledger = openPrivateLedger(journalFilePath(folder), platform, constants.O_CREAT);
    try {
      ledger.append(`${formatJson({ n: number, last: Math.max(last, number), ...line })}\n`);
      if (sync) ledger.syncNow();
      return number;
    } finally {
      ledger.close();
    }
  });
}

export async function writeFileInJournalFolder(
  name: string,
  { folder, platform }: JournalLocation,
  lines: AsyncIterable<string>,
): Promise<void> {
  makeJournalFolder(folder, platform);
  const ledger = openPrivateLedger(join(folder, name), platform, constants.O_CREAT | constants.O_EXCL);
  try {
    for await (const line of lines) ledger.append(`${line}\n`);
    ledger.syncNow();
  } finally {
    ledger.close();
  }
}

/** A writer that still has the old file open continues in the old file, and its line is kept. */
function rotate(folder: string, platform: NodeJS.Platform): void {
  const size = readJournalFile({ folder, platform }, 0, (file) => fstatSync(file).size) ?? 0;
  if (size < MAX_JOURNAL_FILE_OCTETS) return;
  for (let age = MAX_ROTATED_JOURNAL_FILES - 1; age >= 0; age -= 1)
    if (checkPrivateFile(journalFilePath(folder, age), thisUser(platform)))
      renameOver(journalFilePath(folder, age), journalFilePath(folder, age + 1), platform);
}

function lastNumberIn(file: number): number | undefined {
  const { size } = fstatSync(file);
  for (let length = 4096; ; length *= 8) {
    const from = Math.max(0, size - length);
    // The first line is cut, unless this is the whole file.
    for (const { text } of [...readLines(file, from)].slice(from === 0 ? 0 : 1).reverse()) {
      const last = numberIn(text);
      if (last !== undefined) return last;
    }
    if (from === 0) return undefined;
  }
}

function numberIn(line: string): number | undefined {
  const { last }: { readonly last?: unknown } = parseJsonObject(line, parseJson) ?? {};
  return typeof last === 'number' && Number.isSafeInteger(last) ? last : undefined;
}
