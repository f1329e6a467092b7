/** Opens SQLite files: checks them, and brings them to the current tables. */
import { existsSync, statSync } from 'node:fs';
import Database from 'libsql';
import { upgradeFrom } from '../schema/versions.ts';
import { StoreError, wrongVersion } from './store.ts';

/** Opens `path` with the current tables. @throws StoreError if the file is damaged, another program's, or of another version */
export function openDatabase(path: string): Database.Database {
  const isNew = path === ':memory:' || !existsSync(path);
  // SQLite treats an empty file as a new database and would silently lose its data.
  if (!isNew && statSync(path).size === 0) throw new StoreError(`${path} is empty: its data is lost`, LOST);
  const database = connect(path);
  try {
    if (!isNew) checkIntegrity(database, path);
    upgrade(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function connect(path: string): Database.Database {
  try {
    const database = new Database(path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma('busy_timeout = 5000');
    database.pragma(`cache_size = -${CACHE_KIB}`);
    database.pragma(`wal_autocheckpoint = ${PAGES_BETWEEN_CHECKPOINTS}`);
    return database;
  } catch (error) {
    throw damaged(path, error);
  }
}

/** Cache size. SQLite's default of 2 MiB can't hold the nonces of a busy half hour. */
const CACHE_KIB = 64 * 1024;
/** Pages between checkpoints: 16 MiB. A checkpoint costs two more syncs. Recovering a log of this size after a kill is still quick. */
const PAGES_BETWEEN_CHECKPOINTS = 4_000;

function checkIntegrity(database: Database.Database, path: string): void {
  let result: unknown;
  try {
    result = database.prepare('pragma quick_check(1)').get();
  } catch (error) {
    throw damaged(path, error);
  }
  const verdict = Object.values(Object(result))[0];
  if (verdict !== 'ok') throw damaged(path, verdict);
}

/** Creates the tables of a new database, or runs the steps from an older version. */
function upgrade(database: Database.Database, path: string): void {
  const row: unknown = database.prepare('pragma user_version').get();
  const version = Number(Object.values(Object(row))[0]);
  const tables: unknown = database.prepare('select count(*) as n from sqlite_master').get();
  if (version === 0 && Number(Object(tables).n) > 0)
    throw new StoreError(`${path} is another program's database`, OTHERS);
  const next = upgradeFrom(version, 'sqlite');
  if (next.kind === 'refused')
    throw wrongVersion(path, { version, age: next.age }, { newer: OTHERS, older: RESET });
  if (next.version === version) return;
  database.exec(`begin; ${next.statements.join(';\n')}; pragma user_version = ${next.version}; commit;`);
}

const damaged = (path: string, cause: unknown): StoreError =>
  new StoreError(
    `cannot read the sandbox's database ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
    LOST,
    cause,
  );

const LOST = 'restore a copy; without a copy, run svc sandbox reset to remove it and start over';
const RESET = 'run svc sandbox reset to remove it and start over';
/** Hint for an intact database of another program. It must not suggest removing the file. */
const OTHERS = 'open it with the program that created it, or choose another folder with --data DIR';
