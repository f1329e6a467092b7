/** Saves named copies of the sandbox's data as files in its folder, readable only by this user. */
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAtomicFile } from '../../kit/files/atomic-file.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import {
  createConflictError,
  createInvalidRequestError,
  createNotFoundError,
} from '../../service/protocol/service-errors.ts';
import { explainTooNewTablesVersion, StoreTooNewError } from '../store/driver/store.ts';
import { copyStore, restoreStore, type Store, StoreError } from '../store/open.ts';
import { type DataDir, removeDatabase } from './data-dir.ts';

export interface Snapshot {
  readonly name: string;
  readonly octets: number;
  /** Time of the copy, in Unix seconds of this machine's clock. */
  readonly saved: number;
}

/** Copies all data, or leaves no snapshot if the process ends. Throws `ServiceError` 409 if a snapshot of that name exists. */
export async function saveSnapshot(store: Store, dir: DataDir, name: string): Promise<Snapshot> {
  const path = pathOf(dir, name);
  if (existsSync(path))
    throw createConflictError(`Snapshot ${name} already exists; snapshot delete removes it`);
  makeFolders(dir.snapshots);
  const file = createAtomicFile(path);
  try {
    await copyStore(store, file.temporaryPath);
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
  return describe(dir, name);
}

/** Replaces all data, keys and the clock. Throws `ServiceError` 404 for no such snapshot, 409 if it can't be used. */
export async function restoreSnapshot(store: Store, dir: DataDir, name: string): Promise<Snapshot> {
  const path = pathOf(dir, name);
  if (!existsSync(path)) throw createNotFoundError(`Snapshot ${name}`);
  const shown = describe(dir, name);
  // SQLite treats an empty file as an empty database.
  if (shown.octets === 0) throw createConflictError(`The snapshot ${name} is damaged`);
  // Restores from a copy: an older database is migrated to the current tables, and opening it creates files beside it.
  const beside = `${path}.restored`;
  try {
    removeDatabase({ database: beside });
    copyFileSync(path, beside);
    await restoreStore(store, beside);
  } catch (error) {
    if (error instanceof StoreTooNewError)
      throw createConflictError(explainTooNewTablesVersion(`The snapshot ${name}`, error.version));
    if (error instanceof StoreError) throw createConflictError(`Cannot use the snapshot ${name}`);
    throw error;
  } finally {
    removeDatabase({ database: beside });
  }
  return shown;
}

/** Returns all snapshots, sorted by name. */
export function listSnapshots(dir: DataDir): readonly Snapshot[] {
  if (!existsSync(dir.snapshots)) return [];
  const names = readdirSync(dir.snapshots).flatMap((file) => /^(.+)\.db$/.exec(file)?.[1] ?? []);
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => describe(dir, name));
}

export function deleteSnapshot(dir: DataDir, name: string): void {
  const path = pathOf(dir, name);
  if (!existsSync(path)) throw createNotFoundError(`Snapshot ${name}`);
  rmSync(path);
}

/** Matches the name of a snapshot: a valid file name on every system, without a path to another folder. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

function pathOf(dir: DataDir, name: string): string {
  if (NAME.test(name)) return join(dir.snapshots, `${name}.db`);
  const reason = 'must be 1 to 40 lower-case letters, digits, - and _';
  throw createInvalidRequestError([{ attribute: 'name', value: name, reason }]);
}

function describe(dir: DataDir, name: string): Snapshot {
  const { size: octets, mtimeMs } = statSync(pathOf(dir, name));
  return { name, octets, saved: Math.floor(mtimeMs / 1000) };
}
