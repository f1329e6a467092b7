import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dataDirAt, readSandboxEndpointFile, removeSandboxFiles } from '../../src/sandbox/data/data-dir.ts';
import { readStoredPort } from '../../src/sandbox/data/stored-settings.ts';
import { MAX_RECIPIENTS_PER_STEP } from '../../src/sandbox/engine/sending.ts';
import { repeatWithPauses } from '../../src/sandbox/server.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { postgresOfTests } from '../support/postgres.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const running: SocketSandbox[] = [];
const start = async (
  ...options: Parameters<typeof runSandbox> extends [string, ...infer Rest] ? Rest : never
) => {
  const sandbox = await runSandbox(folder.path, ...options);
  running.push(sandbox);
  return sandbox;
};
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.stop();
  await folder.remove();
});

/** Some tests concern the file of SQLite. test/sandbox/postgres covers PostgreSQL. */
const ON_POSTGRES = postgresOfTests() !== undefined;

describe('the data folder', () => {
  it('keeps its data over a restart, with a new token each time', async () => {
    const first = await start();
    expect(first.seeded).toBe(true);
    await first.api('POST', '/v1/folder', { name: 'Kept' });
    await first.stop();
    const second = await start({ seed: 'demo' });
    expect(second.seeded).toBe(false);
    expect(second.ready.company).toEqual(first.ready.company);
    expect(second.ready.controlToken).not.toBe(first.ready.controlToken);
    expect((await second.api('GET', '/v1/folder?name=Kept')).json.response.count).toBe(1);
  });

  it.skipIf(ON_POSTGRES)('is accessible only to this user: folder 0700, files 0600', async () => {
    const sandbox = await start();
    await sandbox.api('POST', '/v1/folder', { name: 'Written' });
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    const files = await readdir(folder.path);
    expect(files).toEqual(
      expect.arrayContaining(['sandbox.db', 'sandbox.db-wal', 'sandbox.json', 'sandbox.lock']),
    );
    for (const file of files)
      expect([file, statSync(join(folder.path, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('names the address of the sandbox while it runs, and not after', async () => {
    const sandbox = await start();
    const { baseUrl, controlToken } = sandbox.ready;
    expect(readSandboxEndpointFile(dataDirAt(folder.path))).toEqual({
      pid: process.pid,
      host: '127.0.0.1',
      port: sandbox.port,
      baseUrl,
      controlToken,
    });
    await sandbox.stop();
    expect(readSandboxEndpointFile(dataDirAt(folder.path))).toBeUndefined();
  });

  it('refuses a second sandbox while the first one runs, and changes nothing', async () => {
    const sandbox = await start();
    await expect(start()).rejects.toThrow(/another sandbox is running in .* \(process [0-9]+, http/);
    expect((await sandbox.api('GET', '/v1/user')).status).toBe(200);
    await expect(start()).rejects.toMatchObject({ name: 'DataDirError', kind: 'in-use' });
  });

  it.skipIf(ON_POSTGRES).each([
    ['noise', Buffer.alloc(8192, 7)],
    ['another program', undefined],
  ])('reports that its database is damaged: %s', async (_, octets) => {
    const sandbox = await start();
    await sandbox.stop();
    const path = join(folder.path, 'sandbox.db');
    const damaged = octets ?? Buffer.concat([readFileSync(path).subarray(0, 100), Buffer.alloc(40_000, 1)]);
    writeFileSync(path, damaged);
    await expect(start()).rejects.toMatchObject({ name: 'StoreError' });
    expect(readFileSync(path).equals(damaged)).toBe(true);
    // A failed start has released its lock and port.
    await expect(start()).rejects.toMatchObject({ name: 'StoreError' });
  });
});

describe('obstacles are reported as such, not as bugs (attack L10)', () => {
  it.each([
    ['junk', (path: string) => writeFileSync(path, 'junk, and more of it '.repeat(100))],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s as sandbox.lock', async (_, put) => {
    mkdirSync(folder.path, { recursive: true, mode: 0o700 });
    put(join(folder.path, 'sandbox.lock'));
    await expect(start()).rejects.toMatchObject({
      name: 'DataDirError',
      kind: 'unusable',
      message: expect.stringContaining('sandbox.lock'),
    });
    rmSync(join(folder.path, 'sandbox.lock'), { recursive: true });
    await start();
  });

  it.skipIf(ON_POSTGRES)('a database whose companies have no admin, and one without companies', async () => {
    const sandbox = await start();
    await sandbox.stop();
    const store = await openStore(join(folder.path, 'sandbox.db'));
    await store.db.run(sql`update user set isadmin = 0`);
    await store.close();
    await expect(start()).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('admin'),
    });
    const emptied = await openStore(join(folder.path, 'sandbox.db'));
    for (const table of ['user', 'account', 'partner'])
      await emptied.db.run(sql`delete from ${sql.ref(table)}`);
    await emptied.close();
    expect((await start()).seeded).toBe(true);
  });
});

describe.skipIf(ON_POSTGRES)('a disk that is full or fails (attack L6)', () => {
  it('reports a full disk with status 500, writes nothing in part, and continues when there is room', async () => {
    const sandbox = await start();
    const { db } = sandbox.service.store;
    const pages = Number(Object.values((await db.first(sql<object>`pragma page_count`)) ?? {})[0]);
    await db.exec(sql`pragma max_page_count = ${sql.raw(String(pages + 2))}`);
    const long = {
      fromemail: null,
      fromname: 'F',
      name: 'N',
      replyemail: 'a@example.com',
      subject: 'S',
      text: '',
    };
    const body = { ...long, html: 'x'.repeat(100_000) };
    const refused = await sandbox.api('POST', '/v1/emailMessage', body);
    expect([refused.status, refused.json.response.message]).toEqual([
      500,
      "The disk with the sandbox's data is full; nothing was written",
    ]);
    expect(sandbox.reports.map((error) => (error as { code?: string }).code)).toEqual(['SQLITE_FULL']);
    const made = await sandbox.control('form create', { name: 'x'.repeat(4000) });
    const more = [made];
    for (let at = 0; at < 10; at += 1)
      more.push(await sandbox.control('form create', { name: 'y'.repeat(4000) }));
    expect(more.at(-1)?.json.error).toEqual({ status: 500, message: expect.stringContaining('is full') });
    expect((await sandbox.api('GET', '/v1/emailMessage')).status).toBe(404);
    await db.exec(sql`pragma max_page_count = 1000000`);
    expect((await sandbox.api('POST', '/v1/emailMessage', body)).status).toBe(202);
  });
});

describe('the socket', () => {
  it('reports a taken port, and releases the folder', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    // The failed start has filled no store, so the next start must not ignore --seed.
    if (!ON_POSTGRES)
      expect((await readdir(folder.path)).filter((name) => name.startsWith('sandbox.db'))).toEqual([]);
    expect((await start()).seeded).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });

  it('listens on the next of its ports if one is taken, and stores the port with its data', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sandbox = await start({ port, otherPorts: [0] });
    const kept = readStoredPort(dataDirAt(folder.path));
    expect(kept).toBe(Number(new URL(sandbox.ready.baseUrl).port));
    expect(kept).not.toBe(port);
    await sandbox.stop();
    expect(readStoredPort(dataDirAt(folder.path))).toBe(kept);
    removeSandboxFiles(dataDirAt(folder.path));
    expect(readStoredPort(dataDirAt(folder.path))).toBeUndefined();
    await new Promise((resolve) => other.close(resolve));
  });

  it('sends the responses of requests in flight before it stops', async () => {
    const sandbox = await start();
    await sandbox.control('fault set', { kind: 'slow', delay: 200, times: 1 });
    const answer = sandbox.api('POST', '/v1/folder', { name: 'In flight' });
    // The fault disappears when the request has met it.
    await until(async () => (await sandbox.control('fault list')).json.data.length === 0);
    await sandbox.stop();
    expect((await answer).status).toBe(202);
    const again = await start();
    expect((await again.api('GET', '/v1/folder')).json.response.count).toBe(1);
  });
});

describe('the clock of a start', () => {
  it('runs due work by itself if it is real', async () => {
    // The sandbox's own timers. Those of Node's sockets stay real.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const sandbox = await start({ seed: 'demo' });
      const sms = { msisdn: '447700900123', fromaddress: 'Harbour', message: 'Hello' };
      const made = await sandbox.api('POST', '/v1/sms', sms);
      const id = made.json.response.data.id;
      const isSent = async () => (await sandbox.api('GET', `/v1/sms/${id}`)).json.response.data.dispatched;
      for (let tries = 0; tries < 100 && !(await isSent()); tries += 1) vi.advanceTimersByTime(1_000);
      expect(await isSent()).toBe(true);
      expect((await sandbox.control('clock advance', { seconds: 1 })).status).toBe(409);
      await sandbox.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps the mode of the first start', async () => {
    const sandbox = await start({ clock: 'manual' });
    await sandbox.control('clock advance', { seconds: 1000 });
    const { time } = (await sandbox.control('clock show')).json.data;
    await sandbox.stop();
    const again = await start();
    expect((await again.control('clock show')).json.data).toMatchObject({ clock: 'manual', time });
  });
});

describe('the timer', () => {
  it('never runs two turns at once, continues after a failure, and ends with the current turn', async () => {
    const failures: unknown[] = [];
    let turns = 0;
    let atWork = 0;
    const end = repeatWithPauses(
      async () => {
        turns += 1;
        atWork += 1;
        expect(atWork).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        atWork -= 1;
        if (turns === 2) throw new Error('second');
      },
      1,
      (error) => failures.push(error),
    );
    await expect.poll(() => turns).toBeGreaterThan(3);
    await end();
    const last = turns;
    expect([atWork, failures]).toEqual([0, [new Error('second')]]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turns).toBe(last);
  });
});

/** A stop must not take longer than requests in flight may take: L5 of the attack, 5 s and 3,000,000 more recipients. */
describe('a stop while the clock advances over a large send', () => {
  it('happens between two batches: the request is answered, no error is reported, and the next start continues', async () => {
    const first = await start({ clock: 'manual' });
    const { db } = first.service.store;
    const now = Math.floor(Date.now() / 1000);
    await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PEOPLE})
      insert into subscriber (account_id, email, email_domain, cdate)
      select 1, 's' || i || '@example.com', 'example.com', ${now} from n`);
    const { id } = (await first.control('list create', { name: 'All' })).json.data;
    await db.run(
      sql`insert into subscription (list_id, subscriber_id, cdate) select ${id}, id, ${now} from subscriber`,
    );
    await first.control('sender add', { email: 'office@example.com' });
    await first.control('credits set', { email: PEOPLE });
    const from = { fromname: 'F', fromemail: 'office@example.com', replyemail: 'office@example.com' };
    await first.api('POST', '/v1/emailMessage', { name: 'M', subject: 'S', html: '', text: 'Hi', ...from });
    const task = { name: 'T', channel: 'email', message_id: 1, list_id: id, search_id: null };
    await first.api('POST', '/v1/task', { ...task, scheduledtime: now + 600 });

    const advancing = first.control('clock advance', { seconds: 3600 });
    await until(async () => (await sentOf(first)) > 0);
    await first.stop();
    const answer = await advancing;
    expect([answer.status, answer.json.error.message]).toEqual([
      503,
      expect.stringContaining('The sandbox is stopping'),
    ]);
    expect(first.reports).toEqual([]);

    const second = await start();
    expect(await sentOf(second)).toBeLessThan(PEOPLE);
    await second.control('clock advance', { seconds: 3600 });
    expect(await sentOf(second)).toBe(PEOPLE);
  });

  // Eight batches, of which the stop comes after the first ones.
  const PEOPLE = 8 * MAX_RECIPIENTS_PER_STEP;
  const sentOf = async ({ service }: SocketSandbox): Promise<number> => {
    const rows = await service.store.db.all(sql<{ sent: number }>`select sent from task`);
    return rows[0]?.sent ?? 0;
  };
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
