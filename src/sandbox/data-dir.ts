/** The folder in which a sandbox lives: its database, its lock, and where it can be found while it runs. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type Hold, holdExclusively } from './store/exclusive.ts';

/** How other commands find a sandbox that runs: `sandbox.json`, readable by this user alone. */
export interface Whereabouts {
  readonly pid: number;
  readonly port: number;
  readonly baseUrl: string;
  readonly controlToken: string;
}

/** The folder can't be used as it is; `hint` says what to do. Nothing in it was changed. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
  readonly kind: 'in-use' | 'unusable';
  readonly hint: string;

  constructor(kind: 'in-use' | 'unusable', message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hint = hint;
  }
}

export interface DataDir {
  /** Absolute. */
  readonly path: string;
  readonly database: string;
  readonly log: string;
  readonly snapshots: string;
}

export function dataDirAt(path: string): DataDir {
  const absolute = resolve(path);
  return {
    path: absolute,
    database: join(absolute, 'sandbox.db'),
    log: join(absolute, 'sandbox.out'),
    snapshots: join(absolute, 'snapshots'),
  };
}

/**
 * Makes the folder where there is none (0700), and takes it for this process.
 * @throws DataDirError `in-use` while another sandbox lives in it
 */
export function takeDataDir(dir: DataDir): Hold {
  makePrivate(dir);
  const hold = holdLock(join(dir.path, 'sandbox.lock'));
  if (hold) return hold;
  const other = readWhereabouts(dir);
  const who = other ? ` (process ${other.pid}, ${other.baseUrl})` : '';
  throw new DataDirError(
    'in-use',
    `a sandbox is running on ${dir.path} already${who}`,
    'svc sandbox stop ends it; --data DIR names another folder',
  );
}

function holdLock(path: string): Hold | undefined {
  try {
    return holdExclusively(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = 'move it away, and a new one is made; --data DIR names another folder';
    throw new DataDirError('unusable', `${path} can't be used as a lock (${why})`, hint, error);
  }
}

/** Makes the folder, and the database's file, for this user's eyes only. */
function makePrivate({ path, database }: DataDir): void {
  try {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
    const stats = statSync(path);
    if (process.platform !== 'win32' && (stats.mode & 0o022) !== 0)
      throw new DataDirError('unusable', `other users may write in ${path}`, `chmod 700 ${path}`);
    // SQLite gives the files beside it the same mode.
    if (!existsSync(database)) closeSync(openSync(database, 'a', 0o600));
  } catch (error) {
    if (error instanceof DataDirError) throw error;
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new DataDirError(
      'unusable',
      `${path} can't be used (${why})`,
      '--data DIR names another folder',
      error,
    );
  }
}

export function readWhereabouts({ path }: DataDir): Whereabouts | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(join(path, WHEREABOUTS), 'utf8'));
    return isWhereabouts(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Written beside and renamed: a reader finds all of it or none. */
export function writeWhereabouts({ path }: DataDir, whereabouts: Whereabouts): void {
  const beside = join(path, `${WHEREABOUTS}.new`);
  rmSync(beside, { force: true });
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(whereabouts)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, join(path, WHEREABOUTS));
}

export function removeWhereabouts({ path }: DataDir): void {
  rmSync(join(path, WHEREABOUTS), { force: true });
}

/** Removes what a sandbox keeps here, and nothing else that lies in the folder. */
export function removeData(dir: DataDir): void {
  removeWhereabouts(dir);
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${dir.database}${end}`, { force: true });
  rmSync(dir.log, { force: true });
  rmSync(dir.snapshots, { recursive: true, force: true });
}

const WHEREABOUTS = 'sandbox.json';

function isWhereabouts(value: unknown): value is Whereabouts {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, port, baseUrl, controlToken } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(pid) &&
    Number(pid) > 0 &&
    Number.isSafeInteger(port) &&
    typeof baseUrl === 'string' &&
    /^http:\/\/127\.0\.0\.1:[0-9]{1,5}$/.test(baseUrl) &&
    typeof controlToken === 'string'
  );
}
