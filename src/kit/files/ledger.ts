/**
 * A ledger is a file to which svc only appends lines, so that a later command can resume, show or undo what this one did. The caller
 * chooses the lock, and what the lines and the errors say.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { writeWhole } from './atomic-file.ts';
import { flushDirectoryToDisk, thisUser } from './directories.ts';
import { openChecked, openPrivateFile } from './private-file.ts';

interface LedgerGuard {
  /** Called before each append. Throws if this process has lost its lock: its new holder has already read the file. */
  readonly check: () => void;
  readonly onSynced?: () => void;
}

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;

/** @throws FileError as `openPrivateFile` does. @param flags such as O_CREAT */
export const openPrivateLedger = (path: string, platform: NodeJS.Platform, flags = 0): Ledger =>
  ledgerIn(path, openPrivateFile(path, O_RDWR | O_APPEND | flags, thisUser(platform)));

/** Creates a missing file, follows no link. @param check throws for a file that svc must not use */
export function openLedger(path: string, check: (stats: Stats) => void, guard: LedgerGuard): Ledger {
  const open = () => openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  return ledgerIn(path, openChecked(open, check), guard);
}

export type Ledger = ReturnType<typeof ledgerIn>;

function ledgerIn(path: string, file: number, guard?: LedgerGuard) {
  const { size } = fstatSync(file);
  let isTruncated = !endsInLine(file, size);
  // A crash may leave an empty file whose name is not on disk.
  let isNameOnDisk = size > 0;
  const endSync = (): void => {
    if (!isNameOnDisk) flushDirectoryToDisk(dirname(path));
    isNameOnDisk = true;
    guard?.onSynced?.();
  };
  return {
    descriptor: file,
    /** Removes the rest of the file, such as a truncated line: svc never acted upon it. */
    truncate: (end: number): void => {
      ftruncateSync(file, end);
      isTruncated = false;
    },
    /** Hands whole lines to the system's cache in one call, so lines of two processes never mix, and none continues a truncated line. */
    append: (lines: string): void => {
      guard?.check();
      const text = isTruncated ? `\n${lines}` : lines;
      isTruncated = true;
      writeWhole(file, text);
      isTruncated = false;
    },
    sync: async (): Promise<void> => {
      await promisify(fdatasync)(file);
      endSync();
    },
    /** Blocks the thread. */
    syncNow: (): void => {
      fdatasyncSync(file);
      endSync();
    },
    close: (): void => closeSync(file),
  };
}

const LINE_END = 0x0a;
const READ_OCTETS = 64 * 1024;
const MAX_LINE_OCTETS = 64 * 1024 * 1024;

function endsInLine(file: number, size: number): boolean {
  const octet = Buffer.alloc(1);
  return size === 0 || (readSync(file, octet, 0, 1, size - 1) === 1 && octet[0] === LINE_END);
}

interface LedgerLine {
  readonly text: string;
  /** Position after the line, in octets. */
  readonly end: number;
  /** False for a last line that a crash or a full disk truncated, or that is too long. */
  readonly isWhole: boolean;
}

export function* readLines(file: number, from = 0): Generator<LedgerLine, void> {
  let rest = Buffer.alloc(0);
  let start = from;
  while (rest.length <= MAX_LINE_OCTETS) {
    // Doubles for a long line, to copy it less often.
    const part = Buffer.allocUnsafe(Math.max(READ_OCTETS, rest.length));
    const count = readSync(file, part, 0, part.length, start + rest.length);
    if (count === 0) break;
    rest = Buffer.concat([rest, part.subarray(0, count)]);
    let begin = 0;
    for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END, begin)) {
      yield { text: rest.toString('utf8', begin, end), end: start + end + 1, isWhole: true };
      begin = end + 1;
    }
    rest = rest.subarray(begin);
    start += begin;
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), end: start + rest.length, isWhole: false };
}
