/** The embedded store: one SQLite file, or a database in memory. */
import { existsSync, statSync } from 'node:fs';
import { type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver, sql } from 'kysely';
import Database from 'libsql';
import { migrations } from '../migrations.ts';
import { PreparingAdapter } from '../preparing-adapter.ts';
import { keepStatements, type OnQuery, type Statements } from '../statements.ts';
import { type Store, StoreError } from '../store.ts';
import type { Tables } from '../tables.ts';

/**
 * Opens `path` and migrates it to the current tables. `:memory:` opens a database in memory. Answered requests are durable: WAL with
 * synchronous FULL writes each commit to disk.
 * @param options `onQuery` is called after each statement
 */
export async function openSqlite(path: string, options: { readonly onQuery?: OnQuery } = {}): Promise<Store> {
  const isNew = path === ':memory:' || !existsSync(path);
  // SQLite treats an empty file as a new database and would silently lose its data.
  if (!isNew && statSync(path).size === 0) throw new StoreError(`${path} is empty: its data is gone`, LOST);
  const database = openDatabase(path);
  try {
    if (!isNew) checkIntegrity(database, path);
    migrate(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return storeOf(database, options);
}

/** Returns a store on a database that has the current tables. */
export function storeOf(database: Database.Database, options: { readonly onQuery?: OnQuery } = {}): Store {
  const db = new Kysely<Tables>({ dialect: new Dialect(keepStatements(database, options.onQuery)) });
  return {
    db,
    transaction: (work) => db.transaction().execute(work),
    isShared: false,
    close: async () => {
      await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(() => undefined);
      await db.destroy();
    },
  };
}

class Dialect extends SqliteDialect {
  readonly #database: Statements;

  constructor(database: Statements) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new Driver({ database: this.#database });
  }

  override createAdapter(): PreparingAdapter {
    return new PreparingAdapter(this.#database);
  }
}

/** A driver that ignores a failed rollback. A full disk ends a transaction by itself; the failed rollback must not hide that error. */
class Driver extends SqliteDriver {
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }
}

function openDatabase(path: string): Database.Database {
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

function migrate(database: Database.Database, path: string): void {
  const row: unknown = database.prepare('pragma user_version').get();
  const version = Number(Object.values(Object(row))[0]);
  if (version > migrations.length)
    throw new StoreError(
      `${path} was made by a newer version of svc (its tables are of version ${version})`,
      OTHERS,
    );
  const tables: unknown = database.prepare('select count(*) as n from sqlite_master').get();
  if (version === 0 && Number(Object(tables).n) > 0)
    throw new StoreError(`${path} is another program's database`, OTHERS);
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`begin; ${step}; pragma user_version = ${index + 1}; commit;`);
  }
}

const damaged = (path: string, cause: unknown): StoreError =>
  new StoreError(
    `the sandbox's database ${path} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    LOST,
    cause,
  );

const LOST = 'put a copy of it back, if there is one; svc sandbox reset removes it, to start anew';
/** Hint for an intact database of another program. It must not suggest removing the file. */
const OTHERS = 'use the program that made it; --data DIR names another folder';
