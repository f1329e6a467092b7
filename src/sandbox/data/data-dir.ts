/** Locates the folder of a sandbox: its database, its lock, and the file with which other commands find the running sandbox. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AtomicFile, createAtomicFile, fillFile } from '../../kit/files/atomic-file.ts';
import {
  checkSandboxDataFolder,
  DataDirError,
  makeSandboxDataFolder,
  readSandboxDataFile,
  refuseFileFromNewerSvc,
  rethrowAsDataDirError,
  sandboxDataFileExists,
} from '../../kit/files/own-files.ts';
import { createShape, fits, matching, objectWithAtLeast, text } from '../../kit/schema/shape.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import { createEmptySqliteFile, type FileLock, lockFile } from '../store/driver/process-lock.ts';

/** Tells other commands how to reach the running sandbox. The file `sandbox.json` holds these values. Only this user can read the file. */
export interface SandboxEndpoint {
  readonly pid: number;
  /** The host to which commands on this machine connect. */
  readonly host: string;
  readonly port: number;
  /** The URL by which clients reach the sandbox, from this machine or from others. */
  readonly baseUrl: string;
  readonly controlToken: string;
  /** SHA-256 of the sandbox's certificate. Undefined if the sandbox uses plain HTTP. */
  readonly fingerprint?: string | undefined;
}

export interface DataDir {
  /** Absolute path of the folder. */
  readonly path: string;
  readonly database: string;
  /** Path of the file with the output of a sandbox that runs in the background. */
  readonly log: string;
  readonly lock: string;
  readonly snapshots: string;
  /** The file with the names of headers and attributes of the last start (docs/contract.md, "Naming files"). */
  readonly naming: string;
  /** The file with the URL of an external database, if the sandbox uses one. */
  readonly store: string;
  /** The file with the port of the last start. */
  readonly port: string;
  /** The file with the sessions of the sandbox's pages. It holds only digests of their secrets. */
  readonly sessions: string;
}

export function dataDirAt(path: string): DataDir {
  const absolute = resolve(path);
  return {
    path: absolute,
    database: join(absolute, 'sandbox.db'),
    log: join(absolute, 'sandbox.out'),
    lock: join(absolute, 'sandbox.lock'),
    snapshots: join(absolute, 'snapshots'),
    naming: join(absolute, 'naming.json'),
    store: join(absolute, 'store.json'),
    port: join(absolute, 'port.json'),
    sessions: join(absolute, 'sessions.json'),
  };
}

/**
 * Creates the folder with mode 0700 if needed, and locks it for this process.
 * @throws DataDirError `in-use` while another sandbox runs in it, `unusable` if other users have access to it
 */
export function lockDataDir(dir: DataDir): FileLock {
  makeSandboxDataFolder(dir.path);
  checkFiles(dir);
  const hold = lockOwnFile(dir.lock);
  if (hold) return hold;
  const other = readSandboxEndpointFile(dir);
  const who = other ? ` (process ${other.pid}, ${other.baseUrl})` : '';
  throw new DataDirError(
    'in-use',
    `another sandbox is running in ${dir.path}${who}`,
    `stop it with svc sandbox stop --data ${quoteShellWord(dir.path)}, or choose another folder with --data DIR`,
  );
}

function lockOwnFile(path: string): FileLock | undefined {
  try {
    return lockFile(path);
  } catch (error) {
    // The disk failed; the file is not to blame.
    if (/^SQLITE_(?:FULL|IOERR|READONLY)/.test(String(Object(error).code))) throw error;
    const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const why = isFolder ? 'the path is a folder' : error instanceof Error ? error.message : String(error);
    const hint = 'move it away, and svc creates a new one; or choose another folder with --data DIR';
    throw new DataDirError('unusable', `cannot use ${path} as a lock (${why})`, hint, error);
  }
}

/** Reports whether a sandbox runs in the folder: a running sandbox holds a file lock, which the operating system ends with the process. */
export function isDataDirLocked(dir: DataDir): boolean {
  checkSandboxDataFolder(dir.path);
  if (!sandboxDataFileExists(dir.lock)) return false;
  const hold = lockFile(dir.lock);
  hold?.release();
  return hold === undefined;
}

/** Creates a missing database file for this user alone; SQLite's further files get the same mode. Returns true if it is new. */
export function createDatabaseFileIfMissing({ database }: DataDir): boolean {
  if (sandboxDataFileExists(database)) return false;
  writeFileAtomically(database, ({ temporaryPath }) => createEmptySqliteFile(temporaryPath));
  return true;
}

/** Removes the database file and the files that SQLite keeps beside it. */
export function removeDatabase({ database }: Pick<DataDir, 'database'>): void {
  for (const end of DATABASE_FILES) rmSync(`${database}${end}`, { force: true });
}

/** Checks that the files are regular files of this user. Runs before any file is opened, because SQLite would follow a symbolic link. */
function checkFiles({ database, lock, log, snapshots }: DataDir): void {
  for (const end of DATABASE_FILES) sandboxDataFileExists(`${database}${end}`);
  for (const path of [lock, log]) sandboxDataFileExists(path);
  if (lstatSync(snapshots, { throwIfNoEntry: false })) checkSandboxDataFolder(snapshots);
}

const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

export function readSandboxEndpointFile({ path }: DataDir): SandboxEndpoint | undefined {
  checkSandboxDataFolder(path);
  const file = join(path, ENDPOINT_FILE);
  const text = readSandboxDataFile(file);
  if (text === undefined) return undefined;
  const stored = parseJsonObject(text);
  refuseFileFromNewerSvc(file, stored);
  return fits(endpointShape, stored) ? (stored as SandboxEndpoint) : undefined;
}

/** Writes `sandbox.json` atomically. */
export function writeSandboxEndpointFile({ path }: DataDir, endpoint: SandboxEndpoint): void {
  writeFileAtomically(join(path, ENDPOINT_FILE), ({ write }) => write(`${JSON.stringify(endpoint)}\n`));
}

/** Fills a temporary file and moves it to `path`, so that no process sees an incomplete file. */
export const writeFileAtomically = (path: string, write: (file: AtomicFile) => void): void =>
  fillFile(
    rethrowAsDataDirError(path, () => createAtomicFile(path)),
    write,
  );

export function removeSandboxEndpointFile({ path }: DataDir): void {
  rmSync(join(path, ENDPOINT_FILE), { force: true });
}

/** Removes the sandbox's own files. Other files in the folder stay. */
export function removeSandboxFiles(dir: DataDir): void {
  removeSandboxEndpointFile(dir);
  removeDatabase(dir);
  for (const name of readdirSync(dir.path)) if (LOG.test(name)) rmSync(join(dir.path, name));
  rmSync(dir.snapshots, { recursive: true, force: true });
  for (const path of [dir.naming, dir.store, dir.port, dir.sessions]) rmSync(path, { force: true });
}

const ENDPOINT_FILE = 'sandbox.json';

/** Matches `sandbox.out` and the logs of failed starts. */
const LOG = /^sandbox(-[0-9a-f]{8})?\.out$/;

const endpointShape = objectWithAtLeast({
  pid: createShape<number>((value) => Number.isSafeInteger(value) && Number(value) > 0, 'a process id'),
  port: createShape<number>(Number.isSafeInteger, 'a port'),
  baseUrl: matching(/^https?:\/\/[^/\s]+$/, 'a URL'),
  controlToken: text,
});
