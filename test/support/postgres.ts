/**
 * A separate PostgreSQL for the tests: a cluster in a temporary folder, on a free port of this machine, with a database for each caller.
 * It is Debian's `postgresql`, which does not run as root.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const BASE = '/usr/lib/postgresql';

/** Returns the folder of its programs, or undefined if it is not installed. Tests that need it are then skipped. */
export function postgresPrograms(): string | undefined {
  const versions = (existsSync(BASE) ? readdirSync(BASE) : [])
    .filter((version) => existsSync(join(BASE, version, 'bin', 'initdb')))
    .sort((a, b) => Number(b) - Number(a));
  if (versions[0] !== undefined) return join(BASE, versions[0], 'bin');
  return undefined;
}

export const NOT_INSTALLED = 'left out: PostgreSQL is not installed here (apt-get install postgresql)';

export interface Cluster {
  /** The URL of its first database, with its owner as the user. */
  readonly url: string;
  readonly urlOf: (database: string) => string;
  readonly programs: string;
  readonly stop: () => void;
  readonly start: () => void;
  /** Signals the server's first process and all its children. After SIGKILL they are gone, and `start` starts them again. */
  readonly signal: (name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT') => void;
  readonly remove: () => void;
}

/**
 * @param isDurable true if it waits for the disk, as a server does; needed only for tests that measure or kill
 * @param more lines of its configuration
 */
export async function startCluster(isDurable = false, more: readonly string[] = []): Promise<Cluster> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error(NOT_INSTALLED);
  const folder = mkdtempSync(join(isDurable ? tmpdir() : inMemory(), 'svc-postgres-'));
  const data = join(folder, 'data');
  const asOwner = (args: readonly string[]): void => {
    const [program = '', ...rest] =
      process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...args] : args;
    execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, timeout: 700_000 });
  };
  if (process.getuid?.() === 0) {
    const [uid, gid] = idsOf('postgres');
    chownSync(folder, uid, gid);
  }
  const options = ['--auth=trust', '--username=svc', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  asOwner([join(programs, 'initdb'), '-D', data, ...options]);
  const settings = [
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_connections = 400',
    'shared_buffers = 128MB',
    ...(isDurable ? [] : ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']),
    ...more,
  ];
  appendFileSync(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`);
  const control = (...args: readonly string[]): void =>
    asOwner([join(programs, 'pg_ctl'), '-D', data, '-w', '-t', '600', '-l', join(folder, 'log'), ...args]);
  const port = await startOnFreePort((port) => {
    // If the file has a setting twice, the last one counts.
    appendFileSync(join(data, 'postgresql.conf'), `port = ${port}\n`);
    control('start');
  });
  const urlOf = (database: string): string => `postgres://svc@127.0.0.1:${port}/${database}`;
  return {
    url: urlOf('postgres'),
    urlOf,
    programs,
    stop: () => control('stop', '-m', 'fast'),
    start: () => control('start'),
    signal: (name) => signalServer(join(data, 'postmaster.pid'), name),
    remove: () => {
      try {
        control('stop', '-m', 'immediate');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function signalServer(pidFile: string, name: NodeJS.Signals): void {
  const first = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  // A suspended server starts no process between the list and the signal.
  if (name === 'SIGKILL') process.kill(first, 'SIGSTOP');
  const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ').filter(Boolean);
  const all = [first, ...others.map(Number)];
  for (const pid of all) if (isRunning(pid)) process.kill(pid, name);
  if (name !== 'SIGKILL') return;
  while (all.some(isRunning)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  // The process may not have been reaped yet, and a server does not start beside one that seems to run.
  const folder = join(dirname(pidFile), '..');
  const locks = readdirSync(folder).filter((name) => name.endsWith('.lock'));
  for (const lock of [pidFile, ...locks.map((name) => join(folder, name))]) rmSync(lock, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return !/^[0-9]+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The data does not have to survive, so no disk is needed. */
const inMemory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

function idsOf(user: string): readonly [uid: number, gid: number] {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return [Number(uid), Number(gid)];
}

/** PostgreSQL cannot find a free port itself, and another program may take one that is free now. */
async function startOnFreePort(startOn: (port: number) => void): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    try {
      startOn(port);
      return port;
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Runs SQL as the server's owner. Returns the output, with one line for each row. */
export function runSql(url: string, ...statements: readonly string[]): string {
  const commands = statements.flatMap((statement) => ['-c', statement]);
  const psql = join(postgresPrograms() ?? '', 'psql');
  const { status, stdout, stderr } = spawnSync(
    psql,
    ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', ...commands, url],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`psql: ${stderr}`);
  return stdout.trim();
}

/** The server for tests that run on both databases. */
export interface PostgresOfTests {
  readonly url: string;
  /** A database with the tables of a store, but no rows. */
  readonly template: string;
}

const OFFERED = 'SVC_TEST_POSTGRES';

/** Offers the server to all workers of the run, which inherit the environment. */
export function offerPostgres(postgres: PostgresOfTests): void {
  process.env[OFFERED] = JSON.stringify(postgres);
}

/** Returns the server, or undefined if tests run on SQLite. */
export function postgresOfTests(): PostgresOfTests | undefined {
  const offered = process.env[OFFERED];
  return offered === undefined ? undefined : JSON.parse(offered);
}
