/** Writes a file atomically: it exists completely or not at all, whenever the process or the machine stops. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { flushDirectoryToDisk } from './directories.ts';
import { codeOf, FileError } from './errors.ts';
import { checkReplaceable } from './target.ts';

export interface AtomicFile {
  /** A library may write into the file at this path. */
  readonly temporaryPath: string;
  readonly write: (content: string | Uint8Array) => void;
  /** @throws FileError `held` if another svc process has replaced the temporary file with its own */
  readonly commit: () => void;
  readonly abort: () => void;
}

interface AtomicFileOptions {
  readonly platform?: NodeJS.Platform;
  /** Default: `.new`. */
  readonly suffix?: string;
  /** Default: 0600. */
  readonly mode?: number;
}

/**
 * A symbolic link at either path is replaced, never followed.
 * @throws FileError `not-a-file` if a folder, device, pipe or socket is at either path; `unusable`
 */
export function createAtomicFile(
  path: string,
  { platform = process.platform, suffix = '.new', mode = 0o600 }: AtomicFileOptions = {},
): AtomicFile {
  const temporaryPath = `${path}${suffix}`;
  for (const each of [path, temporaryPath]) checkReplaceable(each);
  const file = create(temporaryPath, mode, platform);
  const { ino } = fstatSync(file, { bigint: true });
  const isOwn = (): boolean => lstatSync(temporaryPath, { bigint: true, throwIfNoEntry: false })?.ino === ino;
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    temporaryPath,
    write: (content) => writeWhole(file, content),
    commit: () => {
      if (!isOwn())
        throw new FileError(
          'held',
          `another svc process is writing ${path}`,
          'wait until that process ends, then try again',
        );
      close();
      moveIntoPlace(temporaryPath, path, platform);
    },
    abort: () => {
      if (isOwn()) rmSync(temporaryPath, { force: true });
      close();
    },
  };
}

/** Leaves no temporary file if `write` fails. */
export function fillFile(file: AtomicFile, write: (file: AtomicFile) => void): void {
  try {
    write(file);
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
}

/**
 * Syncs the content of `from` first.
 * @throws FileError `not-a-file` if a folder, device, pipe or socket is at `to`
 */
export function moveIntoPlace(from: string, to: string, platform: NodeJS.Platform = process.platform): void {
  // Windows flushes only files that are open for writing.
  const file = openSync(from, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameOver(from, to, platform);
  flushDirectoryToDisk(dirname(to), platform);
}

/** @throws FileError `not-a-file` */
export function renameOver(from: string, to: string, platform: NodeJS.Platform = process.platform): void {
  checkReplaceable(to);
  retryWhileFileBusy(() => renameSync(from, to), platform);
}

/** Uses several writes if the system accepts only a part at a time. */
export function writeWhole(descriptor: number, content: string | Uint8Array): void {
  const octets = Buffer.from(content);
  let at = 0;
  while (at < octets.length) at += writeSync(descriptor, octets, at);
}

function create(path: string, mode: number, platform: NodeJS.Platform): number {
  try {
    rmSync(path, { force: true });
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    return retryWhileFileBusy(() => openSync(path, flags, mode), platform);
  } catch (error) {
    throw new FileError(
      'unusable',
      `can't write ${path} (${codeOf(error) ?? String(error)})`,
      undefined,
      error,
    );
  }
}

/** Error codes that Windows reports if another program has the file open, or if the file is deleted but still open. */
const BUSY: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Pauses between attempts to change a busy file, in milliseconds: 630 in all. Virus scanners and indexers close a file sooner. */
const PAUSES = [10, 20, 40, 80, 160, 320];

/**
 * On Windows, repeats it up to six times while another program has the file open.
 * @throws the last error if the file stays open. Every other error is thrown at the first attempt.
 */
export function retryWhileFileBusy<T>(
  work: () => T,
  platform: NodeJS.Platform = process.platform,
  pause: (milliseconds: number) => void = block,
): T {
  if (platform !== 'win32') return work();
  for (const milliseconds of PAUSES) {
    try {
      return work();
    } catch (error) {
      if (!BUSY.has(codeOf(error))) throw error;
    }
    pause(milliseconds);
  }
  return work();
}

function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
