/** Named copies of the sandbox's data, as files in its folder, for this user's eyes only. */
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAtomicFile } from '../../files/atomic-file.ts';
import { makeDirectory } from '../../files/directories.ts';
import { conflict, invalid, notFound } from '../../protocol/service-errors.ts';
import { type Db, StoreError } from '../store/open.ts';
import { copyTo, replaceWith } from '../store/snapshot.ts';
import type { DataDir } from './data-dir.ts';

export interface Snapshot {
  readonly name: string;
  readonly octets: number;
  /** By this machine's clock, Unix seconds. */
  readonly saved: number;
}

/**
 * Copies all data as it is at this moment. A copy is there whole or not at all, whenever the process ends.
 * @throws ServiceError 409 where there is one of that name
 */
export async function saveSnapshot(db: Db, dir: DataDir, name: string): Promise<Snapshot> {
  const path = pathOf(dir, name);
  if (existsSync(path)) throw conflict(`There is a snapshot ${name} already; snapshot delete removes it`);
  makeDirectory(dir.snapshots);
  const file = createAtomicFile(path);
  try {
    await copyTo(db, file.beside);
    file.commit();
  } catch (error) {
    file.abort();
    throw error;
  }
  return describe(dir, name);
}

/**
 * Puts the copy's data in the place of what the sandbox holds: keys and clock too.
 * @throws ServiceError 404 where there is none of that name, 409 where it can't be used
 */
export async function restoreSnapshot(db: Db, dir: DataDir, name: string): Promise<Snapshot> {
  const path = pathOf(dir, name);
  if (!existsSync(path)) throw notFound(`Snapshot ${name}`);
  const shown = describe(dir, name);
  // SQLite takes an empty file for an empty database.
  if (shown.octets === 0) throw conflict(`The snapshot ${name} is damaged`);
  // Of a copy, since an older one is brought to today's tables, and opening leaves files beside it.
  const beside = `${path}.restored`;
  try {
    removeDatabase(beside);
    copyFileSync(path, beside);
    await replaceWith(db, beside);
  } catch (error) {
    if (error instanceof StoreError) throw conflict(`The snapshot ${name} can't be used`);
    throw error;
  } finally {
    removeDatabase(beside);
  }
  return shown;
}

/** By name. */
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
  if (!existsSync(path)) throw notFound(`Snapshot ${name}`);
  rmSync(path);
}

/** A file name on every system, and never a way out of the folder. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

function pathOf(dir: DataDir, name: string): string {
  if (NAME.test(name)) return join(dir.snapshots, `${name}.db`);
  const reason = 'must be 1 to 40 lower-case letters, digits, - and _';
  throw invalid([{ attribute: 'name', value: name, reason }]);
}

function describe(dir: DataDir, name: string): Snapshot {
  const { size: octets, mtimeMs } = statSync(pathOf(dir, name));
  return { name, octets, saved: Math.floor(mtimeMs / 1000) };
}

function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}
