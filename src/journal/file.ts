/** Appends to the journal, one line at a time, whoever else is writing. */
import { closeSync, constants, fstatSync, fsyncSync, readSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../files/atomic-file.ts';
import { syncDirectory } from '../files/directories.ts';
import { withLock } from '../files/lock.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { fileIn, makeFolder, openToAppend, openToRead } from './place.ts';

/** A full file is put aside; so many of them are kept. */
export const FULL_OCTETS = 5 * 1024 * 1024;
export const KEPT_FILES = 5;

export interface AppendOptions {
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  /** Returns once the line is on disk, not only on its way there. */
  readonly sync: boolean;
  /** The number of a write that has one already. */
  readonly n?: number;
}

/**
 * The number of the write: 1 for the first, and then one more for each. One line is one `write`, under a lock, so that
 * numbers and lines of two processes never mix; a line that a full disk cut off doesn't spoil the next one.
 * @throws when the line could not be written: of a failing disk, of a file or folder that isn't this user's alone
 */
export async function appendLine(
  line: JsonObject,
  { folder, platform, sync, n }: AppendOptions,
): Promise<number> {
  makeFolder(folder, platform);
  return withLock(join(folder, 'journal.lock'), () => {
    rotate(folder, platform);
    const path = fileIn(folder);
    const isNew = openAndClose(path, platform);
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
    if (sync && isNew) syncDirectory(folder, platform);
    return number;
  });
}

/** A file of its own beside the journal, for what is too much for a line. */
export async function writeSidecar(
  name: string,
  { folder, platform }: Pick<AppendOptions, 'folder' | 'platform'>,
  lines: AsyncIterable<string>,
): Promise<void> {
  makeFolder(folder, platform);
  const file = openToAppend(join(folder, name), platform, constants.O_EXCL);
  try {
    for await (const line of lines) writeWhole(file, `${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectory(folder, platform);
}

/** Makes the file where there is none, and says whether it did. */
function openAndClose(path: string, platform: NodeJS.Platform): boolean {
  const known = openToRead(path, platform);
  closeSync(known ?? openToAppend(path, platform));
  return known === undefined;
}

/** A writer that has the old file open goes on in it; its line is kept all the same. */
function rotate(folder: string, platform: NodeJS.Platform): void {
  const file = openToRead(fileIn(folder), platform);
  if (file === undefined) return;
  const { size } = fstatSync(file);
  closeSync(file);
  if (size < FULL_OCTETS) return;
  for (let age = KEPT_FILES - 1; age >= 0; age -= 1) {
    const there = openToRead(fileIn(folder, age), platform);
    if (there === undefined) continue;
    closeSync(there);
    renameSync(fileIn(folder, age), fileIn(folder, age + 1));
  }
}

/** The highest number given so far; every line says it. */
function lastNumber(folder: string, platform: NodeJS.Platform): number {
  for (const age of [0, 1]) {
    const file = openToRead(fileIn(folder, age), platform);
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

/** Of the last line that can be read; from the end, in pieces that grow. */
function lastIn(file: number): number | undefined {
  const { size } = fstatSync(file);
  for (let length = 4096; ; length *= 8) {
    const from = Math.max(0, size - length);
    const octets = Buffer.alloc(size - from);
    readSync(file, octets, 0, octets.length, from);
    const lines = octets.toString('utf8').split('\n');
    // The first one is cut, unless this is the whole file.
    for (const line of lines.slice(from === 0 ? 0 : 1).reverse()) {
      const last = numberIn(line);
      if (last !== undefined) return last;
    }
    if (from === 0) return undefined;
  }
}

function numberIn(line: string): number | undefined {
  try {
    const { last }: { readonly last?: unknown } = Object(parseJson(line));
    return typeof last === 'number' && Number.isSafeInteger(last) ? last : undefined;
  } catch {
    return undefined;
  }
}

function endsInLine(file: number): boolean {
  const { size } = fstatSync(file);
  const octet = Buffer.alloc(1);
  return size === 0 || (readSync(file, octet, 0, 1, size - 1) === 1 && octet[0] === 0x0a);
}
