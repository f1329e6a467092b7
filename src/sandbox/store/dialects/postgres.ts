/** A store on PostgreSQL: one that many processes share. */
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
 * Opens the database and brings its tables to today's, whoever does so at the same time.
 * @param url a password that is left out comes from PGPASSWORD or ~/.pgpass
 * @throws StoreError where it can't be reached, doesn't let us in, is another program's, or of a newer version
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
        // Kysely ends only what it has asked for something.
        if (!pool.ending) await pool.end();
      },
    };
  } catch (error) {
    await abandon();
    throw explainPostgres(error, url) ?? error;
  }
}

/**
 * Removes our tables and what is in them, and nothing else.
 * @throws StoreError while a sandbox runs on it, where it can't be reached, or something else hangs on our tables
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

/** By which the connections of sandboxes are known to the server. */
const APPLICATION = 'svc sandbox';
const MOST_CONNECTIONS = 10;
const CONNECT_WITHIN_MS = 10_000;

interface Connections {
  readonly pool: pg.Pool;
  /** Ends it, whatever became of its connections: one that was not let in stays open on its own, and the process with it. */
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
      // Told to whoever uses it; without a listener it would end the process.
      client.on('error', () => undefined);
      return client.query(SETTINGS);
    },
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  // A connection that is lost while nobody uses it is made anew when somebody does.
  pool.on('error', () => undefined);
  const abandon = async (): Promise<void> => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
  };
  return { pool, abandon };
}

/**
 * Statements are short. A process that hangs in the middle of a transaction, or whose machine is gone, doesn't hold others up
 * for longer than this.
 */
const SETTINGS = "set jit = off; set idle_in_transaction_session_timeout = '60s'; set lock_timeout = 0";

const BOOL = 16;
const INT8 = 20;
const NUMERIC = 1700;

/** Numbers as SQLite has them: those that a double holds as one, others as a bigint; booleans as 0 and 1. */
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

/** Two processes that start at once migrate one after the other. A number that no other program is likely to have. */
const MIGRATION_LOCK = '7380959229051109731';

/** @returns the tables whose rows have an id */
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

/** In one transaction, one process at a time. */
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

/** False for one that is empty. @throws StoreError for one that holds something else */
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

/** It is whole: nobody should be told to remove it. */
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

/** Connections that have each statement prepared once, under a name. */
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
      // A Kysely of our dialect asks for texts with values alone, never for a cursor.
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
 * One connection, while somebody has it. In a transaction that holds its account, or sees one moment, rows that rarely
 * change are asked for once, until it writes something that might change them.
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

  /** Of an account that is held its row is there already. */
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
      // It answers so where a statement of the transaction has failed, and nobody has heard of that.
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
  /** Of a row that rarely changes. */
  readonly isKnown: boolean;
  /** Whether it changes none of those. */
  readonly keepsKnown: boolean;
}

const BEGIN = 'begin';
const BEGIN_READING = 'begin isolation level repeatable read';
const BEGIN_FOR_ACCOUNT = 'begin; select * from account';
/** As src/sandbox/store/identity.ts asks for it. */
const ACCOUNT_BY_ID = 'select * from account where id = $1';

const COMMIT = 'commit';
const UNREACHABLE = "The sandbox's database can't be reached; nothing was done";
const MOST_NAMED = 500;
/** Longer ones insert many rows, and hardly ever as many again. */
const LONGEST_NAMED = 8_000;
const WORKS_ON_ROWS = /^\s*(?:select|insert|update|delete|with)\b/i;

/** A `+` before a column keeps SQLite from an index: nothing that PostgreSQL has to be told. */
const withoutHints = (text: string): string => text.replaceAll(/(?<=[\s(])\+(?=["a-z])/gi, '');

const MOST_INTEGER = 2n ** 63n - 1n;

/** A whole number beyond all that is stored equals none, and is more or less than each. */
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
      // Two stood in each other's way: one was taken back whole, and begins again.
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

/** Takes what the scope names, in the same round trip. */
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

/** It stands in a text. */
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
