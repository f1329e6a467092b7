/**
 * Opens SQLite stores in memory. Migrating an empty database takes five times as long as copying a prepared one, so each worker prepares
 * one of each kind. Opening a store, and preparing its statements, takes longer than the copy. So a store that no test uses any more is
 * filled again.
 */

import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import Database from 'libsql';
import { expect, onTestFinished } from 'vitest';
import { getCurrentTest } from 'vitest/suite';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { storeOf } from '../../src/sandbox/store/driver/sqlite.ts';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';

/** A file system in memory. Without it, each store is prepared again. */
const MEMORY = '/dev/shm';

const prepared = new Map<string, Promise<Buffer>>();
let made = 0;

/**
 * Opens a new store, which closes by itself.
 * @param kind names what `prepare` puts into it
 * @param prepare runs once for each kind
 */
export async function openInMemory(
  kind: string,
  prepare: (store: Store) => Promise<unknown>,
): Promise<Store> {
  if (!existsSync(MEMORY)) {
    const store = await openStore(':memory:');
    await prepare(store);
    return store;
  }
  const octets = prepared.get(kind) ?? prepareOnce(prepare);
  prepared.set(kind, octets);
  const copy = await copyOf(await octets);
  releaseLater(copy);
  return copy.store;
}

async function copyOf(octets: Buffer): Promise<Copy> {
  for (let copy = free.pop(); copy !== undefined; copy = free.pop()) {
    // A test may have closed the store, or left it in the middle of a transaction.
    if (!copy.database.open || copy.database.inTransaction) {
      copy.release();
      continue;
    }
    fill(copy.descriptor, octets);
    // The store forgets its cached rows when some may have changed.
    await copy.store.db.run(sql`update account set name = name where false`);
    return copy;
  }
  return openCopy(octets);
}

/** SQLite reads a file again if its change counter (file format, section 1.3.7) differs from the last one. */
function fill(descriptor: number, octets: Buffer): void {
  filled += 1;
  const changes = filled * MOST_CHANGES;
  octets.writeUInt32BE(changes, 24);
  octets.writeUInt32BE(changes, 92);
  writeSync(descriptor, octets, 0, octets.length, 0);
  ftruncateSync(descriptor, octets.length);
}

/** A number above the changes that any test makes in one store. */
const MOST_CHANGES = 65_536;
let filled = 0;

async function prepareOnce(prepare: (store: Store) => Promise<unknown>): Promise<Buffer> {
  const path = newPath();
  try {
    const store = await openStore(path);
    await prepare(store);
    await store.close();
    return withoutLog(readFileSync(path));
  } finally {
    for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
  }
}

/** Marks the file as used without a write-ahead log: SQLite's file format, section 1.3.3. */
function withoutLog(octets: Buffer): Buffer {
  octets[18] = 1;
  octets[19] = 1;
  return octets;
}

/** Opens a copy. The file loses its name when it is open, so it disappears with the process, however that ends. */
function openCopy(octets: Buffer): Copy {
  const path = newPath();
  const descriptor = openSync(path, 'wx+');
  try {
    fill(descriptor, octets);
    const database = new Database(path);
    // As in a database in memory, no data has to survive the process.
    database.pragma('journal_mode = MEMORY');
    database.pragma('synchronous = OFF');
    database.pragma('foreign_keys = ON');
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      // libsql keeps the file open until all of its objects are collected, and the file's memory does not speed that up.
      if (database.open) database.pragma('shrink_memory');
      ftruncateSync(descriptor);
      closeSync(descriptor);
    };
    const store = storeOf(database);
    // A test with thousands of runs closes its stores, and must not keep their memory until its end.
    const close = async (): Promise<void> => {
      await store.close();
      release();
    };
    return { store: { ...store, close }, database, descriptor, release };
  } finally {
    rmSync(path, { force: true });
  }
}

interface Copy {
  readonly store: Store;
  readonly database: Database.Database;
  readonly descriptor: number;
  readonly release: () => void;
}

function newPath(): string {
  made += 1;
  return `${MEMORY}/svc-test-${process.pid}-${threadId}-${made}.db`;
}

/** Stores that this test file, or the one before, opened for all of its tests. */
let ofThisFile: Copy[] = [];
let ofTheLast: Copy[] = [];
let file: string | undefined;
/** Stores of finished tests, the latest last. */
const ofLatestTests: Copy[] = [];
/** Stores that no test uses any more. */
const free: Copy[] = [];
const MOST_FREE = 20;
const LATEST = 8;

/** Work of a test may still run when the next test begins, so its stores stay open for some more tests. */
function releaseLater(copy: Copy): void {
  const { testPath } = expect.getState();
  if (testPath !== file) {
    const old = ofTheLast;
    [file, ofTheLast, ofThisFile] = [testPath, ofThisFile, []];
    for (const each of old) retire(each);
  }
  // Outside of a test and its `beforeEach`, a store belongs to the whole file.
  if (getCurrentTest() === undefined) ofThisFile.push(copy);
  else
    onTestFinished(() => {
      ofLatestTests.push(copy);
      for (const old of ofLatestTests.splice(0, ofLatestTests.length - LATEST)) retire(old);
    });
}

function retire(copy: Copy): void {
  if (free.length < MOST_FREE) free.push(copy);
  else copy.release();
}
