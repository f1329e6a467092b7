/** The store on PostgreSQL, which several processes can share. */
import { Socket } from 'node:net';
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely';
import pg from 'pg';
import { migrations } from '../migrations.ts';
import { type Db, LostStore, type Scope, type Store, StoreError } from '../store.ts';
import type { Tables } from '../tables.ts';
import { CHANGES_NO_KNOWN_ROW, type Differences, type DifferingAdapter, KNOWN } from './dialect.ts';
import { explainPostgres, isConflict, storeError } from './postgres-errors.ts';
import { dropStatements, postgresSchema } from './postgres-schema.ts';

/**
 * Opens the database and migrates it to the current tables. Several processes can do so at the same time.
 * @param url a missing password is read from PGPASSWORD or ~/.pgpass
 * @throws StoreError if it can't be reached, refuses the login, belongs to another program, or has a newer version
 */
export async function openPostgres(url: string): Promise<Store> {
  const { pool, abandon } = poolOf(url);
  try {
    const tablesWithId = await prepare(pool);
    const db = new Kysely<Tables>({ dialect: new Dialect(pool, differences(tablesWithId)) });
    return {
      db,
      transaction: (work, scope) => inTransaction(db, work, scope),
      isShared: true,
      close: async () => {
        await db.destroy();
        // Kysely ends the pool only if it has used it.
        if (!pool.ending) await pool.end();
      },
    };
  } catch (error) {
    await abandon();
    throw explainPostgres(error, url) ?? error;
  }
}

/**
 * Removes the sandbox's tables with their rows, and nothing else.
 * @throws StoreError while a sandbox uses the database, if it can't be reached, or if other objects depend on the tables
 */
export async function emptyPostgres(url: string): Promise<void> {
  const { pool, abandon } = poolOf(url);
  try {
    await alone(pool, async (client) => {
      if (!(await isOurs(client))) return;
      const { rows } = await client.query(
        `select count(*) as count from pg_stat_activity
          where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
        [APPLICATION],
      );
      if (rows[0]?.count > 0)
        throw new StoreError(
          'a sandbox runs on this database still',
          'svc sandbox stop ends it, with the --data of each that was started on it',
        );
      for (const statement of dropStatements(postgresSchema(migrations))) await client.query(statement);
    });
  } catch (error) {
    throw explainPostgres(error, url) ?? error;
  } finally {
    await abandon();
  }
}

/** Name by which the server identifies connections of sandboxes. */
const APPLICATION = 'svc sandbox';
const MOST_CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 10_000;

interface Connections {
  readonly pool: pg.Pool;
  /** Ends the pool and closes every socket. A connection whose login failed would otherwise stay open and keep the process alive. */
  readonly abandon: () => Promise<void>;
}

function poolOf(url: string): Connections {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: url,
    application_name: APPLICATION,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf },
    onConnect: (client) => {
      // The next query reports the error. Without a listener it would end the process.
      client.on('error', () => undefined);
      return client.query(SETTINGS);
    },
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  // A lost idle connection is replaced on the next use.
  pool.on('error', () => undefined);
  const abandon = async (): Promise<void> => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
  };
  return { pool, abandon };
}

/**
 * Settings of a connection. Statements are short. A hanging or lost process can block others inside a transaction for at most this time.
 */
const SETTINGS = "set jit = off; set idle_in_transaction_session_timeout = '60s'; set lock_timeout = 0";

const BOOL = 16;
const INT8 = 20;
const NUMERIC = 1700;

/** Returns a parser that gives the same values as SQLite. Integers beyond the safe range become bigints; booleans become 0 and 1. */
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === BOOL) return (value) => (value === 't' ? 1 : 0);
  if (oid === INT8) return integer;
  if (oid === NUMERIC) return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

function integer(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** Key of the lock under which one process migrates at a time. Other programs are unlikely to use the same number. */
const MIGRATION_LOCK = '7380959229051109731';

/** Migrates the database. @returns the tables whose rows have an id */
async function prepare(pool: pg.Pool): Promise<ReadonlySet<string>> {
  return alone(pool, async (client) => {
    const steps = postgresSchema(migrations).steps;
    const version = (await isOurs(client)) ? await versionOf(client) : 0;
    if (version > steps.length)
      throw new StoreError(
        `the database was made by a newer version of svc (its tables are of version ${version})`,
        OTHERS,
      );
    if (version === 0) await makeVersion(client);
    for (const step of steps.slice(version)) await client.query(step.join(';\n'));
    if (version < steps.length) await client.query('update svc_version set version = $1', [steps.length]);
    const { rows } = await client.query(
      `select table_name from information_schema.columns
        where table_schema = current_schema() and column_name = 'id'`,
    );
    return new Set(rows.map(({ table_name }) => String(table_name)));
  });
}

/** Runs the work in one transaction, in one process at a time. */
async function alone<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Reports whether the database is a sandbox's; false if it is empty. @throws StoreError if it has other tables */
async function isOurs(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(`select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')`);
  const names = new Set(rows.map(({ relname }) => String(relname)));
  if (names.has('svc_version')) return true;
  if (names.size > 0) throw new StoreError("the database holds another program's tables", OTHERS);
  return false;
}

async function versionOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query('select version from svc_version');
  return Number(rows[0]?.version ?? 0);
}

async function makeVersion(client: pg.PoolClient): Promise<void> {
  await client.query('create table svc_version (version bigint primary key)');
  await client.query('insert into svc_version values (0)');
}

/** Hint for an intact database of another program. It must not suggest removing the database. */
const OTHERS = 'createdb makes an empty one; --store names it';

class Dialect extends PostgresDialect {
  readonly #differences: Differences;

  constructor(pool: pg.Pool, of: Differences) {
    super({ pool: new NamingPool(pool) });
    this.#differences = of;
  }

  override createAdapter(): PostgresAdapter {
    return new Adapter(this.#differences);
  }
}

class Adapter extends PostgresAdapter implements DifferingAdapter {
  readonly differences: Differences;

  constructor(of: Differences) {
    super();
    this.differences = of;
  }
}

function differences(tablesWithId: ReadonlySet<string>): Differences {
  const kept = new Map<string, string>();
  const textOf = (text: string): string => {
    const found = kept.get(text);
    if (found !== undefined) return found;
    const made = numbered(text);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(text, made);
    return made;
  };
  return { name: 'postgres', textOf, tablesWithId };
}

const MOST_KEPT = 2_000;

function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}

/** A pool whose connections prepare each statement once, under a name. */
class NamingPool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #statements = new Map<string, Statement>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storeError(error, UNREACHABLE);
    });
    const connection = new Connection(client, (given) => this.#statementOf(given));
    return {
      // Kysely with this dialect sends only texts with values, never a cursor.
      query: ((text: string, values: readonly unknown[]) => connection.query(text, values)) as never,
      release: () => client.release(),
    };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  #statementOf(given: string): Statement {
    const kept = this.#statements.get(given);
    if (kept) return kept;
    const isKnown = given.startsWith(KNOWN);
    const text = withoutHints(isKnown ? given.slice(KNOWN.length) : given);
    const plain = { text, isKnown, keepsKnown: CHANGES_NO_KNOWN_ROW.test(text) };
    if (!WORKS_ON_ROWS.test(text) || text.length > LONGEST_NAMED || this.#statements.size >= MOST_NAMED)
      return plain;
    const statement = { ...plain, name: `svc${this.#statements.size}` };
    this.#statements.set(given, statement);
    return statement;
  }
}

/**
 * One connection while it is in use. In a transaction that locks its account or reads a snapshot, rows that rarely change are read only
 * once, until a statement might change them.
 */
class Connection {
  readonly #client: pg.PoolClient;
  readonly #statementOf: (given: string) => Statement;
  #known: Map<string, pg.QueryResult> | undefined;

  constructor(client: pg.PoolClient, statementOf: (given: string) => Statement) {
    this.#client = client;
    this.#statementOf = statementOf;
  }

  async query(given: string, values: readonly unknown[]): Promise<pg.QueryResult | undefined> {
    const statement = this.#statementOf(given);
    const key = statement.isKnown && this.#known ? keyOf(given, values) : undefined;
    const found = key === undefined ? undefined : this.#known?.get(key);
    if (found) return found;
    if (!statement.keepsKnown) this.#known?.clear();
    const result = await this.#ask(statement, given, values);
    if (given.startsWith(BEGIN)) this.#begin(given, result);
    else if (key !== undefined && result) this.#known?.set(key, result);
    return result;
  }

  /** Starts the cache. A transaction that locks an account has already read its row. */
  #begin(given: string, result: pg.QueryResult | undefined): void {
    const isSteady = given === BEGIN_READING || given.startsWith(BEGIN_FOR_ACCOUNT);
    this.#known = isSteady ? new Map() : undefined;
    const id: unknown = result?.rows[0]?.id;
    if (given.startsWith(BEGIN_FOR_ACCOUNT) && result && id !== undefined)
      this.#known?.set(keyOf(`${KNOWN}${ACCOUNT_BY_ID}`, [id]), result);
  }

  async #ask(
    { text, name }: Statement,
    given: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult | undefined> {
    try {
      const result: pg.QueryResult | pg.QueryResult[] =
        name === undefined && values.length === 0
          ? await this.#client.query(text)
          : await this.#client.query({
              text,
              values: values.map(inRange),
              ...(name === undefined ? {} : { name }),
            });
      const last = Array.isArray(result) ? result.at(-1) : result;
      // PostgreSQL answers a commit with ROLLBACK if a statement failed and its error was ignored.
      if (given === COMMIT && last?.command === 'ROLLBACK')
        throw new Error('the transaction was taken back: one of its statements had failed');
      return last;
    } catch (error) {
      throw storeError(error, UNREACHABLE);
    }
  }
}

const keyOf = (text: string, values: readonly unknown[]): string => `${text} ${values.join(' ')}`;

interface Statement {
  readonly text: string;
  readonly name?: string;
  /** Reports whether the statement reads a row that rarely changes. */
  readonly isKnown: boolean;
  /** Reports whether the statement changes no such row. */
  readonly keepsKnown: boolean;
}

const BEGIN = 'begin';
const BEGIN_READING = 'begin isolation level repeatable read';
const BEGIN_FOR_ACCOUNT = 'begin; select * from account';
/** The text of the query in src/sandbox/store/identity.ts. */
const ACCOUNT_BY_ID = 'select * from account where id = $1';

const COMMIT = 'commit';
const UNREACHABLE = "The sandbox's database can't be reached; nothing was done";
const MOST_NAMED = 500;
/** Longest statement that is prepared. Longer ones insert many rows, and the same number of rows rarely recurs. */
const LONGEST_NAMED = 8_000;
const WORKS_ON_ROWS = /^\s*(?:select|insert|update|delete|with)\b/i;

/** Removes each `+` before a column. It keeps SQLite from using an index; PostgreSQL does not need it. */
const withoutHints = (text: string): string => text.replaceAll(/(?<=[\s(])\+(?=["a-z])/gi, '');

const MOST_INTEGER = 2n ** 63n - 1n;

/** Clamps a number to the range of bigint. No stored value is that large, so comparisons keep their result. */
function inRange(value: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) < 2 ** 63 || !Number.isFinite(value)) return value;
  return String(value > 0 ? MOST_INTEGER : -MOST_INTEGER);
}

const MOST_TRIES = 10;

async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>, scope: Scope | undefined): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.connection().execute((own) => onConnection(own, work, scope));
    } catch (error) {
      // The transaction conflicted with another and was rolled back, so it is retried.
      if (!isConflict(error) || tries >= MOST_TRIES) throw error;
    }
  }
}

async function onConnection<T>(db: Db, work: (db: Db) => Promise<T>, scope: Scope | undefined): Promise<T> {
  let result: T;
  try {
    await db.executeQuery(CompiledQuery.raw(beginOf(scope)));
    result = await work(db);
  } catch (error) {
    await db.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
    throw error;
  }
  await commit(db);
  return result;
}

/** Returns the statement that begins the transaction and takes the lock of its scope in the same round trip. */
function beginOf(scope: Scope | undefined): string {
  switch (scope?.kind) {
    case undefined:
      return 'begin; lock table account in exclusive mode';
    case 'account':
      return `${BEGIN_FOR_ACCOUNT} where id = ${idOf(scope.id)} for no key update`;
    case 'read':
      return BEGIN_READING;
    case 'unheld':
      return BEGIN;
  }
}

/** Returns an id that is safe inside SQL text. */
const idOf = (id: number): number => (Number.isSafeInteger(id) ? id : 0);

async function commit(db: Db): Promise<void> {
  try {
    await db.executeQuery(CompiledQuery.raw(COMMIT));
  } catch (error) {
    if (error instanceof LostStore) throw new LostStore(UNKNOWN, error);
    throw error;
  }
}

const UNKNOWN = "The sandbox's database was lost at the last moment; whether it was done is not known";
