/** Contract, "A store that many share": any number of processes serve one database as one sandbox. */

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { insertRow, selectRequiredRow } from '../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { fillLargeSend } from '../../support/large-send.ts';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const PROCESSES = 3;
const SECONDS = Math.floor(Date.now() / 1000);

describe.skipIf(postgresPrograms() === undefined)('three sandboxes on one database', () => {
  let cluster: Cluster;
  let url: string;
  let store: Store;
  let made = 0;
  const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = [];
  const running: SocketSandbox[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(async () => {
    made += 1;
    runSql(cluster.url, `create database d${made}`);
    url = cluster.urlOf(`d${made}`);
    store = await openStore(url);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()));
    for (const folder of folders.splice(0)) await folder.remove();
    await store.close();
  });
  afterAll(() => cluster?.remove());

  const start = async (options: Parameters<typeof runSandbox>[1] = {}): Promise<readonly SocketSandbox[]> => {
    const started = Array.from({ length: PROCESSES }, async () => {
      const folder = await temporaryFolder();
      folders.push(folder);
      const sandbox = await runSandbox(folder.path, { store: url, ...options });
      running.push(sandbox);
      return sandbox;
    });
    return Promise.all(started);
  };

  it('start together as one: one of them fills the database, and all sign with the same keys', async () => {
    const sandboxes = await start({ seed: 'demo' });
    expect(sandboxes.filter(({ seeded }) => seeded)).toHaveLength(1);
    const keys = sandboxes.map(({ ready: { company, partner } }) => [company.apiKey, partner.apiKey].join());
    expect(new Set(keys).size).toBe(1);
    const [one, other] = sandboxes;
    const folder = (await one?.api('POST', '/v1/folder', { name: 'Shared' }))?.json.response.data;
    expect((await other?.api('GET', `/v1/folder/${folder.id}`))?.json.response.data).toEqual(folder);
  });

  // Interface, "Authentication": "A nonce may be used only once".
  it.each([
    ['GET', '/v1/user', undefined],
    ['POST', '/v1/folder', { name: 'Once' }],
  ])('accept one signed %s sent to all at once exactly once', async (method, target, body) => {
    const sandboxes = await start();
    const statuses: (readonly number[])[] = [];
    for (let round = 0; round < 20; round += 1) {
      const init = signedBy(sandboxes[0], method, target, body);
      const replies = await Promise.all(sandboxes.map((sandbox) => sandbox.get(target, init)));
      statuses.push(replies.map(({ status }) => status).sort());
    }
    const accepted = method === 'GET' ? 200 : 202;
    expect(statuses).toEqual(Array.from({ length: 20 }, () => [accepted, 401, 401]));
    const folders = await store.db.all(sql<Pick<Row<'folder'>, 'id'>>`select id from folder`);
    expect(folders).toHaveLength(method === 'GET' ? 0 : 20);
    expect(sandboxes.flatMap(({ reports }) => reports)).toEqual([]);
  });

  it('apply a limit across all of them', async () => {
    const sandboxes = await start();
    const user = (name: string) => ({
      username: name,
      password: 'secret-words-1',
      firstname: 'F',
      lastname: 'L',
      email: 'u@example.com',
    });
    // The test repeats requests at the limit, where two simultaneous ones would both find room.
    const accepted: number[] = [];
    for (let round = 1; round <= 10; round += 1) {
      await store.db.run(sql`update account set user_limit = ${round}`);
      const replies = await Promise.all(
        Array.from({ length: 9 }, (_, at) =>
          sandboxes[at % PROCESSES]?.api('POST', '/v1/user', user(`user-${round}-${at}`)),
        ),
      );
      accepted.push(replies.filter((reply) => reply?.status === 202).length);
    }
    expect(accepted).toEqual(Array.from({ length: 10 }, () => 1));
    expect(sandboxes.flatMap(({ reports }) => reports)).toEqual([]);
  });

  it('change each record once for requests of one account at all of them: credits, counters, rules', async () => {
    const sandboxes = await start({ seed: 'demo', clock: 'manual' });
    const before = await balance();
    const now = (await sandboxes[0]?.control('clock show'))?.json.data.time;
    const sms = { msisdn: '447700900123', fromaddress: 'Shop', message: 'Hello' };
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        sandboxes[at % PROCESSES]?.api('POST', '/v1/sms', { ...sms, senddate: now + 60 + (at % 3) }),
      ),
    );
    expect(replies.map((reply) => reply?.status)).toEqual(Array.from({ length: 30 }, () => 202));
    // All three processes move the same clock to the same time.
    const moved = await Promise.all(sandboxes.map((each) => each.control('clock set', { time: now + 120 })));
    expect(moved.map(({ status, json }) => [status, json.data?.time])).toEqual(
      Array.from({ length: PROCESSES }, () => [200, now + 120]),
    );
    const steps = moved.reduce((sum, { json }) => sum + json.data.done, 0);
    expect(steps).toBe(30);
    expect(await balance()).toBe(before - 30);
    const sent = await store.db.all(
      sql<
        Pick<Row<'delivery'>, 'id' | 'time' | 'cause_id'>
      >`select id, time, cause_id from delivery where cause = 'sms' and time > ${now} order by id`,
    );
    expect(sent).toHaveLength(30);
    expect(new Set(sent.map(({ cause_id }) => cause_id)).size).toBe(30);
    // The outbox has one order, whichever process sent a message.
    expect(sent.map(({ time }) => time)).toEqual(sent.map(({ time }) => time).sort((a, b) => a - b));
  });

  it('share a send, and each recipient gets one message, also with the real clock', async () => {
    await fillLargeSend(store, { recipients: 20_000, leftOut: 100, spare: 7, now: SECONDS - 60 });
    const times = { cdate: SECONDS, mdate: SECONDS };
    const user = { account_id: 1, username: 'admin', firstname: 'A', lastname: 'B', email: 'a@example.com' };
    await insertRow(store.db, 'user', { ...user, isadmin: 1, timezone: 'UTC', ...times });
    const sandboxes = await start({ clock: 'real' });
    await expect
      .poll(
        async () =>
          (await selectRequiredRow(store.db, sql<Pick<Row<'task'>, 'completed'>>`select completed from task`))
            .completed,
      )
      .toBe(1);
    const counted = sql<
      Record<string, number>
    >`select count(*) as rows, count(distinct subscriber_id) as people,
      (select sent from task) as sent, (select skipped from task) as skipped, (select credits from task) as credits,
      (select emailcreditbalance from account) as balance from task_recipient`;
    expect(await store.db.first(counted)).toEqual({
      rows: 20_000,
      people: 20_000,
      sent: 20_000,
      skipped: 200,
      credits: 20_000,
      balance: 7,
    });
    expect(sandboxes.flatMap(({ reports }) => reports)).toEqual([]);
  });

  it('do not block other accounts, or readers of the same one, during a long step', async () => {
    const [sandbox] = await start({ seed: 'demo' });
    const accounts = await store.db.all(sql<Pick<Row<'account'>, 'id'>>`select id from account order by id`);
    const [own, other] = accounts.map(({ id }) => id);
    let release = (): void => {};
    let isHeld = (): void => {};
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const step = store.transaction(
      async () => {
        isHeld();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      { kind: 'account', id: own ?? 0 },
    );
    await held;
    expect((await sandbox?.api('GET', '/v1/folder'))?.status).toBe(200);
    expect((await sandbox?.control('list create', { company: other, name: 'Other' }))?.status).toBe(200);
    const change = sandbox?.api('POST', '/v1/folder', { name: 'Waits' });
    const first = await Promise.race([change, sandbox?.api('GET', '/v1/user')]);
    expect(first?.status).toBe(200);
    release();
    await step;
    expect((await change)?.status).toBe(202);
  });

  async function balance(): Promise<number> {
    const account = await selectRequiredRow(
      store.db,
      sql<Pick<Row<'account'>, 'smscreditbalance'>>`select smscreditbalance from account where id = 1`,
    );
    return account.smscreditbalance;
  }
});

/** Returns a function that sends the same octets to each sandbox, as a proxy that repeats a request would. */
function signedBy(
  sandbox: SocketSandbox | undefined,
  method: string,
  target: string,
  body: unknown,
): RequestInit {
  const { id = 0, apiKey = '', adminUserId = 0 } = sandbox?.ready.company ?? {};
  const date = new Date().toUTCString();
  const nonce = randomBytes(20).toString('hex');
  const lines = [`${method} ${target}`, `Date: ${date}`, `X-Svc-CID: ${id}`, `X-Svc-UID: ${adminUserId}`];
  const text = [...lines, `X-Svc-Nonce: ${nonce}`, apiKey].join('\r\n');
  return {
    method,
    headers: {
      date,
      'x-svc-cid': String(id),
      'x-svc-uid': String(adminUserId),
      'x-svc-nonce': nonce,
      authorization: `SvcHash signature="${createHash('sha1').update(text).digest('hex')}"`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
