/** The store on PostgreSQL, which several processes can share. */
import type pg from 'pg';
import {
  connect,
  createOrUpgradeTables,
  explainPostgresError,
  isConflict,
  toStoreError,
} from './postgres-database.ts';
import type { Sql } from './sql.ts';
import {
  AlwaysEmptyRowCache,
  CommitUnknownError,
  createWaitingDb,
  type Db,
  RowCache,
  type Store,
  StoreUnavailableError,
  type TransactionScope,
} from './store.ts';

/**
 * Opens the database, which several processes may use, and creates or upgrades its tables. If the URL has no password, it is read from
 * PGPASSWORD or ~/.pgpass.
 * @throws StoreError if the database can't be reached or used
 */
export async function openPostgres(url: string): Promise<Store> {
  const { pool, abandon } = connect(url);
  try {
    await createOrUpgradeTables(pool);
  } catch (error) {
    await abandon();
    throw explainPostgresError(error, url) ?? error;
  }
  const names = new Map<string, string>();
  const alone = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    onClient(pool, (client) => work(connectionOf(client, names, new AlwaysEmptyRowCache())));
  return {
    db: createWaitingDb('postgres', alone),
    transaction: (work, scope) => inTransaction(pool, names, work, scope),
    alone,
    isShared: true,
    close: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

async function onClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toStoreError(error);
  });
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Returns a connection that uses this client. All connections share `names`, the names of the prepared statements. */
function connectionOf(client: pg.PoolClient, names: Map<string, string>, rowCache: RowCache): Db {
  const run = async (query: Sql, isKept: boolean): Promise<pg.QueryResult> => {
    const { text, values } = query.compile('postgres');
    const name = isKept ? nameOf(text, names) : undefined;
    return ask(client, { text, values: values.map(inRange), ...(name === undefined ? {} : { name }) });
  };
  return {
    dialect: 'postgres',
    rowCache,
    all: async (query) => (await run(query, true)).rows,
    first: async (query) => (await run(query, true)).rows[0],
    run: async (query, { keepsCache } = { keepsCache: false }) => {
      if (!keepsCache) rowCache.forget();
      const { rowCount, rows } = await run(query, true);
      return { changes: rowCount ?? 0, id: Number(rows[0]?.id ?? 0) };
    },
    exec: async (query) => {
      rowCache.forget();
      await run(query, false);
    },
    texts: () => undefined,
  };
}

/** Returns the last result of one or several statements. Throws `StoreUnavailableError` if the database is lost or read-only. */
async function ask(client: pg.PoolClient, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(query);
    const last = Array.isArray(result) ? result.at(-1) : result;
    return last ?? NO_RESULT;
  } catch (error) {
    throw toStoreError(error);
  }
}

const NO_RESULT: pg.QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/** Returns the name under which each connection prepares the statement; undefined if it is too long, or if all names are taken. */
function nameOf(text: string, names: Map<string, string>): string | undefined {
  const found = names.get(text);
  if (found !== undefined) return found;
  if (text.length > LONGEST_NAMED || names.size >= MOST_NAMED) return undefined;
  const name = `svc${names.size}`;
  names.set(text, name);
  return name;
}

const MOST_NAMED = 500;

/** Maximum length of a statement that is prepared under a name. Longer ones insert many rows and are rarely needed again. */
const LONGEST_NAMED = 8_000;

const MOST_INTEGER = 2n ** 63n - 1n;

/** Replaces a number outside of bigint with the nearest bigint. No stored value is that large, so comparisons keep their result. */
function inRange(value: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) < 2 ** 63 || !Number.isFinite(value)) return value;
  return String(value > 0 ? MOST_INTEGER : -MOST_INTEGER);
}

const MOST_TRIES = 10;

async function inTransaction<T>(
  pool: pg.Pool,
  names: Map<string, string>,
  work: (db: Db) => Promise<T>,
  scope: TransactionScope | undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await onClient(pool, (client) => transact(client, names, work, scope));
    } catch (error) {
      // The transaction conflicted with another and was rolled back, so it is retried.
      if (!isConflict(error) || tries >= MOST_TRIES) throw error;
    }
  }
}

async function transact<T>(
  client: pg.PoolClient,
  names: Map<string, string>,
  work: (db: Db) => Promise<T>,
  scope: TransactionScope | undefined,
): Promise<T> {
  // Rows stay the same only while the account is locked, or in a snapshot.
  const isSteady = scope?.kind === 'account' || scope?.kind === 'read';
  const rowCache = isSteady ? new RowCache() : new AlwaysEmptyRowCache();
  let result: T;
  try {
    const begun = await ask(client, beginOf(scope));
    const account: unknown = scope?.kind === 'account' ? begun.rows[0] : undefined;
    if (scope?.kind === 'account' && account !== undefined) rowCache.keep('account', scope.id, account);
    result = await work(connectionOf(client, names, rowCache));
  } catch (error) {
    await ask(client, 'rollback').catch(() => undefined);
    throw error;
  }
  await commit(client);
  return result;
}

/** Returns the statement that begins the transaction and takes the lock of its scope in the same round trip. */
function beginOf(scope: TransactionScope | undefined): string {
  switch (scope?.kind) {
    case undefined:
      return 'begin; lock table account in exclusive mode';
    case 'account':
      return `begin; select * from account where id = ${idOf(scope.id)} for no key update`;
    case 'read':
      return 'begin isolation level repeatable read';
    case 'without-lock':
      return 'begin';
  }
}

/** Returns an id that is safe inside SQL text. */
const idOf = (id: number): number => (Number.isSafeInteger(id) ? id : 0);

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    const { command } = await ask(client, 'commit');
    // PostgreSQL answers a commit with ROLLBACK if a statement failed and its error was ignored.
    if (command === 'ROLLBACK')
      throw new Error('the transaction was rolled back: one of its statements had failed');
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw new CommitUnknownError(error);
    throw error;
  }
}
