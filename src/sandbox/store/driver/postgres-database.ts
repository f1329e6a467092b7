/** Connects to PostgreSQL, creates, upgrades or empties its tables, and interprets its errors (PostgreSQL's documentation, appendix A). */
import { Socket } from 'node:net';
import pg from 'pg';
import { postgresDropDdl } from '../schema/ddl.ts';
import { tables } from '../schema/tables.ts';
import { planSchemaUpgrade } from '../schema/versions.ts';
import { readPostgresUrl, removeUrlPassword } from './postgres-url.ts';
import { ReadOnlyStoreError, StoreError, StoreUnavailableError, wrongStoreVersionError } from './store.ts';

/** Removes only the sandbox's tables. Throws `StoreError` if they are in use, or if other objects depend on them. */
export async function dropPostgresTables(url: string): Promise<void> {
  const { pool, abandon } = connect(url);
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
          'a sandbox is still running on this database',
          'stop it with svc sandbox stop, and the --data of each one that was started on it',
        );
      for (const statement of postgresDropDdl(tables)) await client.query(statement);
    });
  } catch (error) {
    throw explainPostgresError(error, url) ?? error;
  } finally {
    await abandon();
  }
}

/** Name by which the server identifies connections of sandboxes. */
const APPLICATION = 'svc sandbox';

const MOST_CONNECTIONS = 10;

const CONNECT_WITHIN_MS = 10_000;

export function connect(url: string) {
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
  // A connection whose login failed would otherwise stay open and keep the process alive.
  const abandon = async (): Promise<void> => {
    await pool.end();
    for (const socket of sockets) socket.destroy();
  };
  return { pool, abandon };
}

/** JIT is off because statements are short. A process that hangs inside a transaction blocks others for at most 60 s. */
const SETTINGS = "set jit = off; set idle_in_transaction_session_timeout = '60s'; set lock_timeout = 0";

const BOOL = 16;

const INT8 = 20;

const NUMERIC = 1700;

/** Returns a parser that gives the same values as SQLite. Integers beyond the safe range become bigints; booleans become 0 and 1. */
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === BOOL) return (value) => (value === 't' ? 1 : 0);
  if (oid === INT8) return integer;
  if (oid === NUMERIC) return Number;
  return pg.types.getTypeParser(oid, format);
}

function integer(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** Key of the lock under which one process migrates at a time. Other programs are unlikely to use the same number. */
const MIGRATION_LOCK = '7380959229051109731';

/** Throws `StoreError` if the database has tables of another program, or of a version that can't be upgraded. */
export async function createOrUpgradeTables(pool: pg.Pool): Promise<void> {
  await alone(pool, async (client) => {
    const version = (await isOurs(client)) ? await versionOf(client) : 0;
    const next = planSchemaUpgrade(version, 'postgres');
    if (next.kind === 'refused')
      throw wrongStoreVersionError(
        'the database',
        { version, age: next.age },
        { newer: OTHERS, older: RESET },
      );
    if (next.version === version) return;
    if (version === 0) await makeVersion(client);
    await client.query(next.statements.join(';\n'));
    await client.query('update svc_version set version = $1', [next.version]);
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

/** Returns false if the database is empty. Throws `StoreError` if it has tables of another program. */
async function isOurs(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query(`select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')`);
  const names = new Set(rows.map(({ relname }) => String(relname)));
  if (names.has('svc_version')) return true;
  if (names.size > 0) throw new StoreError('the database has tables of another program', OTHERS);
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

const RESET = 'run svc sandbox reset to remove its tables and start over';

/** Hint for the intact database of another program or of a newer svc. It must not suggest removing the database. */
const OTHERS = 'create an empty one with createdb, and give it with --store';

/** Reports whether the database rolled the transaction back because of a conflict with another transaction. */
export const isConflict = (error: unknown): boolean => /^(?:40001|40P01)$/.test(codeOf(error));

/** Returns the error to throw instead of an error of the database client. */
export function toStoreError(error: unknown): unknown {
  if (codeOf(error) === READ_ONLY) return new ReadOnlyStoreError(error);
  if (!isConnectionLost(error)) return error;
  return new StoreUnavailableError("Cannot reach the sandbox's database; nothing was done", error);
}

const READ_ONLY = '25006';

/** Reports whether the server is gone, is starting or stopping, or has no free connection. Its uncommitted work is then rolled back. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(?:08...|57P0[1-5]|53300|25P03)$/.test(code)) return true;
  if (/^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code)) return true;
  return error instanceof Error && WITHOUT_CODE.test(error.message);
}

/** Messages of errors to which the database client gives no code. */
const WITHOUT_CODE =
  /^(?:Connection terminated|Connection ended|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Returns the reason, without the password, why the database can't be opened. Returns undefined if the error is a bug. */
export function explainPostgresError(error: unknown, url: string): StoreError | undefined {
  if (error instanceof StoreError || !(error instanceof Error)) return undefined;
  const shown = removeUrlPassword(url);
  const refuse = (message: string, hint: string): StoreError => new StoreError(message, hint, error);
  const code = codeOf(error);
  if (/^28/.test(code) || error.message.startsWith('SASL'))
    return refuse(
      `PostgreSQL denies access to the user: ${shown}`,
      'set the password in the URL, PGPASSWORD or ~/.pgpass; SVC_SANDBOX_STORE keeps the URL out of the command line',
    );
  if (code === '3D000') {
    const name = decodeURIComponent(readPostgresUrl(url)?.pathname.slice(1) ?? '');
    return refuse(`database not found: ${shown}`, `createdb ${name === '' ? 'NAME' : name} makes it`);
  }
  if (code === READ_ONLY || error instanceof ReadOnlyStoreError)
    return refuse(
      `the PostgreSQL database is read-only: ${shown}`,
      'check that it is not a standby, and that default_transaction_read_only is off; a sandbox can still serve an up-to-date database',
    );
  if (code === '42501')
    return refuse(
      `PostgreSQL does not let the user create tables: ${shown} (${error.message})`,
      'make the user the owner of the database: createdb --owner USER NAME',
    );
  if (code === '2BP01')
    return refuse(
      `something else in the database depends on the sandbox's tables: ${error.message}`,
      'remove it first; nothing was removed',
    );
  if (isConnectionLost(error))
    return refuse(
      `cannot reach PostgreSQL: ${shown} (${code === '' ? error.message : code})`,
      'check that it is running, and that host and port are correct',
    );
  return undefined;
}
