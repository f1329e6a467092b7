/** The embedded store: one SQLite file, or a database in memory. */
import type Database from 'libsql';
import { KnownRows, UnknownRows } from './known-rows.ts';
import { type Sql, sql } from './sql.ts';
import { openDatabase } from './sqlite-file.ts';
import { type OnQuery, SqliteStatements } from './sqlite-statements.ts';
import type { Db, Store } from './store.ts';

/**
 * Opens `path` with the current tables. `:memory:` opens a database in memory. Answered requests are durable: WAL with
 * synchronous FULL writes each commit to disk.
 * @param options `onQuery` is called for each statement
 */
export async function openSqlite(path: string, options: { readonly onQuery?: OnQuery } = {}): Promise<Store> {
  return storeOf(openDatabase(path), options);
}

/** Returns a store on a database that has the current tables. */
export function storeOf(database: Database.Database, options: { readonly onQuery?: OnQuery } = {}): Store {
  const statements = new SqliteStatements(database, options.onQuery);
  const held = heldConnection(statements);
  // Everything uses one connection, one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const result = last.then(() => work(held));
    last = result.catch(() => undefined);
    return result;
  };
  const db: Db = {
    dialect: 'sqlite',
    known: new UnknownRows(),
    all: (query) => alone((own) => own.all(query)),
    first: (query) => alone((own) => own.first(query)),
    run: (query, given) => alone((own) => own.run(query, given)),
    exec: (query) => alone((own) => own.exec(query)),
    texts: () => undefined,
  };
  return {
    db,
    transaction: (work) => alone((own) => inTransaction(own, work)),
    alone,
    isShared: false,
    close: async () => {
      await db.exec(sql`pragma wal_checkpoint(truncate)`).catch(() => undefined);
      await alone(async () => statements.close());
    },
  };
}

function heldConnection(statements: SqliteStatements): Db {
  const known = new KnownRows();
  const compiled = (query: Sql) => query.compile('sqlite');
  return {
    dialect: 'sqlite',
    known,
    all: async <Row>(query: Sql<Row>) => {
      const { text, values } = compiled(query);
      return statements.all(text, values) as Row[];
    },
    first: async <Row>(query: Sql<Row>) => {
      const { text, values } = compiled(query);
      return statements.first(text, values) as Row | undefined;
    },
    run: async (query, { keepsKnown } = { keepsKnown: false }) => {
      const { text, values } = compiled(query);
      if (!keepsKnown) known.forget();
      return statements.run(text, values);
    },
    exec: async (query) => {
      const { text, values } = compiled(query);
      known.forget();
      statements.exec(text, values);
    },
    texts: (query, members) => {
      const { text, values } = compiled(query);
      return statements.texts(text, values, members);
    },
  };
}

async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  await db.run(sql`begin`, { keepsKnown: true });
  try {
    const result = await work(db);
    await db.run(sql`commit`, { keepsKnown: true });
    return result;
  } catch (error) {
    await rollBack(db);
    throw error;
  }
}

/** Rolls back. A full disk ends a transaction by itself, and the failed rollback must not hide that error. */
async function rollBack(db: Db): Promise<void> {
  try {
    await db.run(sql`rollback`);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
  }
}
