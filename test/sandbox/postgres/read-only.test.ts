/**
 * Contract, "A store that many share": the behavior of a process that cannot write its database. A standby, and a database with
 * `default_transaction_read_only`, can be read.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

describe.skipIf(postgresPrograms() === undefined)('while the database is read-only', () => {
  let cluster: Cluster;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let sandbox: SocketSandbox;
  beforeAll(async () => {
    cluster = await startCluster();
    runSql(cluster.url, 'create database shared');
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    sandbox = await runSandbox(folder.path, { store: cluster.urlOf('shared') });
  });
  afterEach(async () => {
    await sandbox.stop();
    await folder.remove();
  });
  afterAll(() => cluster?.remove());

  /** Changes the setting of new connections, and closes the existing ones. */
  const setReadOnly = (value: 'on' | 'off'): void => {
    runSql(cluster.url, `alter database shared set default_transaction_read_only = ${value}`);
    runSql(cluster.url, "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'shared'");
  };
  const times = <T>(count: number, work: (at: number) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => work(at)));
  const statuses = (replies: readonly { readonly status: number }[]) =>
    [...new Set(replies.map(({ status }) => status))].sort();

  it('reads work, and all writes are soon 503 with the cause; afterwards writes work again', async () => {
    const made = (await sandbox.api('POST', '/v1/folder', { name: 'Before' })).json.response.data;
    setReadOnly('on');
    try {
      // The first request on a lost connection may be told that the database cannot be reached.
      await expect.poll(async () => (await sandbox.api('GET', '/v1/folder')).status).toBe(200);
      const began = performance.now();
      const [reads, writes] = await Promise.all([
        times(40, () => sandbox.api('GET', `/v1/folder/${made.id}`)),
        // Waiting requests share a transaction, which cannot begin.
        times(40, (at) => sandbox.api('POST', '/v1/folder', { name: `No ${at}` })),
      ]);
      expect(performance.now() - began).toBeLessThan(60_000);
      expect([statuses(reads), statuses(writes)]).toEqual([[200], [503]]);
      expect(reads.map(({ json }) => json.response.data.name)).toEqual(reads.map(() => 'Before'));
      for (const { json } of writes)
        expect(json.response.message).toBe(
          "The sandbox's database is read-only at the moment; nothing was written",
        );
      expect((await sandbox.api('HEAD', `/v1/folder/${made.id}`)).status).toBe(200);
      expect((await sandbox.control('status')).status).toBe(200);
    } finally {
      setReadOnly('off');
    }
    await expect
      .poll(async () => (await sandbox.api('POST', '/v1/folder', { name: 'After' })).status)
      .toBe(202);
    const names = (await sandbox.api('GET', '/v1/folder')).json.response.data;
    expect(names.map(({ name }: { name: string }) => name)).toEqual(['Before', 'After']);
  });

  it('a sandbox that starts on it serves its data', async () => {
    setReadOnly('on');
    const other = await temporaryFolder();
    try {
      const second = await runSandbox(other.path, { store: cluster.urlOf('shared') });
      try {
        expect((await second.api('GET', '/v1/folder')).status).toBe(200);
        expect((await second.api('DELETE', '/v1/folder/1')).status).toBe(503);
      } finally {
        await second.stop();
      }
    } finally {
      setReadOnly('off');
      await other.remove();
    }
  });
});
