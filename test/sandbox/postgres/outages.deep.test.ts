/**
 * X10: the writes that two sandboxes acknowledge while their PostgreSQL is killed, restarted, suspended, out of connections or read-only.
 * Each acknowledged write exists once, and each refused one does not exist. Afterwards the sandboxes write again by themselves.
 */
import { setTimeout as pass } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { depth, tried } from '../../support/depth.ts';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const ROUNDS = depth('SVC_OUTAGES', { few: 1, full: 3 });
const WRITERS = 16;
/** The number of acknowledged writes before an outage, and after it. */
const ENOUGH = 50;
/** More connections than two sandboxes use, but few enough that the test can take all of them. */
const CONNECTIONS = 30;

describe.skipIf(postgresPrograms() === undefined)('writes through outages of the database', () => {
  let cluster: Cluster;
  const sandboxes: SocketSandbox[] = [];
  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  const hogs: pg.Client[] = [];
  beforeAll(async () => {
    cluster = await startCluster(true, [`max_connections = ${CONNECTIONS}`]);
    runSql(cluster.url, 'create database shared');
    for (let at = 0; at < 2; at += 1) {
      const folder = await temporaryFolder();
      folders.push(folder);
      sandboxes.push(await runSandbox(folder.path, { store: cluster.urlOf('shared') }));
    }
  });
  afterAll(async () => {
    for (const sandbox of sandboxes) await sandbox.stop();
    cluster?.remove();
    for (const folder of folders) await folder.remove();
  });

  const setReadOnly = (value: 'on' | 'off'): void =>
    void runSql(
      cluster.url,
      `alter database shared set default_transaction_read_only = ${value}`,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'shared'",
    );
  const takeConnections = async (): Promise<void> => {
    while (await takeOne());
    await hogs[0]?.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'shared'");
    for (let tries = 0; tries < 100; tries += 1) {
      if (!(await takeOne())) await pass(10);
    }
  };
  const takeOne = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: cluster.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      hogs.push(client);
      return true;
    } catch {
      return false;
    }
  };

  const OUTAGES: Readonly<Record<string, readonly [strike: () => unknown, heal: () => unknown]>> = {
    'killed, all its processes at once': [() => cluster.signal('SIGKILL'), () => cluster.start()],
    restarted: [() => cluster.stop(), () => cluster.start()],
    suspended: [() => cluster.signal('SIGSTOP'), () => cluster.signal('SIGCONT')],
    'out of connections': [takeConnections, () => Promise.all(hogs.splice(0).map((client) => client.end()))],
    'read-only': [() => setReadOnly('on'), () => setReadOnly('off')],
  };

  it.each(Object.keys(OUTAGES))('%s', { timeout: ROUNDS * 300_000 }, async (name) => {
    const [strike, heal] = OUTAGES[name] ?? [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const said = await writeThrough(`${name.slice(0, 8)} ${round}`, strike, heal);
      const counts = Object.entries(said).map(([what, names]) => `${names.length} ${what}`);
      console.log(`${name}, round ${round + 1}: ${counts.join(', ')}`);
      const stored = await storedNames();
      expect(new Set(stored).size).toBe(stored.length);
      const kept = new Set(stored);
      expect(said.acknowledged.filter((each) => !kept.has(each))).toEqual([]);
      expect(said.refused.filter((each) => kept.has(each))).toEqual([]);
      expect(said.unexpected).toEqual([]);
      for (const sandbox of sandboxes) expect((await sandbox.control('status')).status).toBe(200);
      tried('X10', said.acknowledged.length);
    }
  });

  async function writeThrough(prefix: string, strike?: () => unknown, heal?: () => unknown) {
    const said = {
      acknowledged: [] as string[],
      refused: [] as string[],
      unknown: [] as string[],
      unexpected: [] as string[],
    };
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let at = 0; !isOver; at += 1) {
        const name = `${prefix} ${writer}-${at}`;
        // This process is blocked while the server starts, so connections may time out.
        const reply = await sandboxes[writer % sandboxes.length]
          ?.api('POST', '/v1/folder', { name })
          .catch(() => undefined);
        const message = String(reply?.json?.response?.message);
        if (reply?.status === 202) said.acknowledged.push(name);
        else if (reply === undefined) said.unknown.push(name);
        else if (reply.status !== 503) said.unexpected.push(`${reply.status} ${message}`);
        else if (/nothing was (?:done|written)/.test(message)) said.refused.push(name);
        else if (/it is not known whether/.test(message)) said.unknown.push(name);
        else said.unexpected.push(message);
        if (reply?.status !== 202) await pass(20);
      }
    });
    const grown = async (): Promise<void> => {
      const goal = said.acknowledged.length + ENOUGH;
      await expect.poll(() => said.acknowledged.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(goal);
    };
    try {
      await grown();
      try {
        await strike?.();
        await pass(1_000);
      } finally {
        await heal?.();
      }
      await grown();
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    return said;
  }

  async function storedNames(): Promise<readonly string[]> {
    const store = await openStore(cluster.urlOf('shared'));
    try {
      const rows = await store.db.all(sql<Pick<Row<'folder'>, 'name'>>`select name from folder`);
      return rows.map(({ name }) => name);
    } finally {
      await store.close();
    }
  }
});
