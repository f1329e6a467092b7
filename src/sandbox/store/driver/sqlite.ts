/** The embedded store: one SQLite file, or a database in memory. */
import { existsSync, statSync } from 'node:fs';
import Database from 'libsql';
import { planSchemaUpgrade } from '../schema/versions.ts';
import { type Sql, sql } from './sql.ts';
import { type QueryListener, SqliteStatementCache } from './sqlite-statements.ts';
import {
  createWaitingDb,
  type Db,
  RowCache,
  type Store,
  StoreError,
  wrongStoreVersionError,
} from './store.ts';
import { UsedNonces } from './used-nonces.ts';

/**
 * Opens the database, or one in memory for `:memory:`, and creates or upgrades its tables. Each commit waits until the data is on disk
 * (`synchronous = FULL`), and requests are answered after it. `onQuery` is called for each statement.
 */
export async function openSqlite(
  path: string,
  options: { readonly onQuery?: QueryListener } = {},
): Promise<Store> {
  return storeOf(openDatabase(path), options);
}

/** A store in memory whose writes can be taken back. */
export interface RevertibleStore extends Store {
  /** Runs `work`, and then takes back everything that was written to the store meanwhile. May be nested. */
  readonly revertAfter: <T>(work: () => Promise<T>) => Promise<T>;
}

export const openSqliteInMemory = (): RevertibleStore => storeOf(openDatabase(':memory:'));

export function storeOf(
  database: Database.Database,
  options: { readonly onQuery?: QueryListener } = {},
): RevertibleStore {
  const statements = new SqliteStatementCache(database, options.onQuery);
  const held = heldConnection(statements);
  // Everything uses one connection, one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const result = last.then(() => work(held));
    last = result.catch(() => undefined);
    return result;
  };
  const db = createWaitingDb('sqlite', alone);
  let depth = 0;
  return {
    db,
    transaction: (work) => alone((own) => inTransaction(own, work, depth === 0 ? TRANSACTION : SAVEPOINT)),
    alone,
    revertAfter: async (work) => {
      const { begin, rollBack } = savepointNamed(`revert_${depth}`);
      await alone((own) => runAll(own, begin));
      depth += 1;
      try {
        return await work();
      } finally {
        depth -= 1;
        await alone((own) => runAll(own, rollBack));
      }
    },
    isShared: false,
    close: async () => {
      await db.exec(sql`pragma wal_checkpoint(truncate)`).catch(() => undefined);
      await alone(async () => statements.close());
    },
  };
}

function heldConnection(statements: SqliteStatementCache): Db {
  const rowCache = new RowCache();
  return {
    dialect: 'sqlite',
    rowCache,
    nonces: new UsedNonces(),
    all: async <Row>(query: Sql<Row>) => statements.all(query.compile('sqlite')) as Row[],
    first: async <Row>(query: Sql<Row>) => statements.first(query.compile('sqlite')) as Row | undefined,
    run: async (query, { keepsCache } = { keepsCache: false }) => {
      const compiled = query.compile('sqlite');
      if (!keepsCache) rowCache.forget();
      return statements.run(compiled);
    },
    exec: async (query) => {
      rowCache.forget();
      statements.exec(query.compile('sqlite'));
    },
    texts: (query, members) => statements.texts(query.compile('sqlite'), members),
  };
}

/** The statements of a transaction, or of a savepoint within one. */
interface TransactionStatements {
  readonly begin: readonly Sql[];
  readonly commit: readonly Sql[];
  readonly rollBack: readonly Sql[];
}

const TRANSACTION: TransactionStatements = {
  begin: [sql`begin`],
  commit: [sql`commit`],
  rollBack: [sql`rollback`],
};

function savepointNamed(name: string): TransactionStatements {
  const savepoint = sql.ref(name);
  return {
    begin: [sql`savepoint ${savepoint}`],
    commit: [sql`release ${savepoint}`],
    rollBack: [sql`rollback to ${savepoint}`, sql`release ${savepoint}`],
  };
}

const SAVEPOINT = savepointNamed('work');

async function inTransaction<T>(
  db: Db,
  work: (db: Db) => Promise<T>,
  { begin, commit, rollBack }: TransactionStatements,
): Promise<T> {
  await runAll(db, begin, { keepsCache: true });
  try {
    const result = await work(db);
    await runAll(db, commit, { keepsCache: true });
    return result;
  } catch (error) {
    await rollBackUnlessEnded(db, rollBack);
    throw error;
  }
}

async function runAll(db: Db, statements: readonly Sql[], options?: { keepsCache: boolean }): Promise<void> {
  for (const statement of statements) await db.run(statement, options);
}

/** On a full disk SQLite has already ended the transaction; the first error must then not be hidden. */
async function rollBackUnlessEnded(db: Db, rollBack: TransactionStatements['rollBack']): Promise<void> {
  try {
    await runAll(db, rollBack);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
  }
}

/** Throws `StoreError` if the file is damaged, belongs to another program, or has a version that svc can't upgrade. */
function openDatabase(path: string): Database.Database {
  const isNew = path === ':memory:' || !existsSync(path);
  // SQLite treats an empty file as a new database and would silently lose its data.
  if (!isNew && statSync(path).size === 0) throw new StoreError(`${path} is empty: its data is lost`, LOST);
  const database = connect(path);
  try {
    if (!isNew) checkIntegrity(database, path);
    upgrade(database, path);
    // This mode is written to the file, so it comes last: a file that is refused stays unchanged.
    database.pragma('journal_mode = WAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function connect(path: string): Database.Database {
  try {
    const database = new Database(path);
    // First, because the next one may read the database, which a process that was killed just now may still have locked.
    database.pragma('busy_timeout = 5000');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma(`cache_size = -${CACHE_KIB}`);
    database.pragma(`wal_autocheckpoint = ${PAGES_BETWEEN_CHECKPOINTS}`);
    return database;
  } catch (error) {
    throw damaged(path, error);
  }
}

/** Cache size. SQLite's default of 2 MiB can't hold the indexes of a large account. */
const CACHE_KIB = 64 * 1024;

/** Pages of the write-ahead log (16 MiB) between checkpoints, which cost two syncs. A log of this size is read quickly after a kill. */
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

function upgrade(database: Database.Database, path: string): void {
  const row: unknown = database.prepare('pragma user_version').get();
  const version = Number(Object.values(Object(row))[0]);
  const tables: unknown = database.prepare('select count(*) as n from sqlite_master').get();
  if (version === 0 && Number(Object(tables).n) > 0)
    throw new StoreError(`${path} is another program's database`, OTHERS);
  const next = planSchemaUpgrade(version, 'sqlite');
  if (next.kind === 'refused')
    throw wrongStoreVersionError(path, { version, age: next.age }, { newer: OTHERS, older: RESET });
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

/** Hint for an intact database of another program. The hint must not suggest removing the file. */
const OTHERS = 'open it with the program that created it, or choose another folder with --data DIR';
