import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
/** A data folder with the demo company, which each test copies. */
let prepared: typeof folder;
beforeAll(async () => {
  prepared = await temporaryFolder();
  await (await runSandbox(prepared.path, { seed: 'demo', clock: 'manual' })).stop();
});
afterAll(() => prepared.remove());
beforeEach(async () => {
  folder = await temporaryFolder();
  cpSync(prepared.path, folder.path, { recursive: true });
  sandbox = await runSandbox(folder.path);
});
afterEach(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const done = async (operation: string, args: object = {}) => {
  const { status, json } = await sandbox.control(operation, args);
  expect([operation, status, json.error]).toEqual([operation, 200, undefined]);
  return json.data;
};
const statusOf = async (operation: string, args: object) => (await sandbox.control(operation, args)).status;
const path = (...names: string[]) => join(folder.path, 'snapshots', ...names);

/** Returns all visible data of the sandbox, except the log, which reports the restore. */
const everything = async () => ({
  outbox: await done('outbox list'),
  subscribers: await done('subscriber list'),
  companies: await done('company list'),
  key: await done('company key', { id: 1 }),
  clock: await done('clock show'),
  folders: (await sandbox.api('GET', '/v1/folder')).json,
  tasks: (await sandbox.api('GET', '/v1/task')).json,
  rules: (await sandbox.api('GET', '/v1/subscriptionAutomation')).json,
});

describe('snapshot save and restore', () => {
  it('restores all data: records, keys, clock, and queued work', async () => {
    await done('event subscribe', { list: 1, subscriber: 900 }).catch(() => undefined);
    const before = await everything();
    const { time } = before.clock;
    await sandbox.api('POST', '/v1/sms', {
      msisdn: '447700900123',
      fromaddress: 'Harbour',
      message: 'Later',
      senddate: time + 3600,
    });
    const saved = await done('snapshot save', { name: 'before' });
    expect(saved).toEqual({ name: 'before', octets: expect.any(Number), saved: expect.any(Number) });
    await done('clock advance', { seconds: 90 * 86_400 });
    await sandbox.api('POST', '/v1/folder', { name: 'Of afterwards' });
    const after = await everything();
    expect(after).not.toEqual(before);
    expect(await done('snapshot restore', { name: 'before' })).toEqual({ ...saved, time });
    expect(await everything()).toEqual(before);
    // The same commands give the same result again, ids included.
    await done('clock advance', { seconds: 90 * 86_400 });
    await sandbox.api('POST', '/v1/folder', { name: 'Of afterwards' });
    expect(await everything()).toEqual(after);
    expect((await done('log list')).map(({ text }: { text: string }) => text)).toContain(
      'Snapshot before restored',
    );
  });

  it('survives a restart, and restores over one', async () => {
    const before = await everything();
    await done('snapshot save', { name: 'kept' });
    await sandbox.api('POST', '/v1/folder', { name: 'Other' });
    await sandbox.stop();
    sandbox = await runSandbox(folder.path);
    await done('snapshot restore', { name: 'kept' });
    await sandbox.stop();
    sandbox = await runSandbox(folder.path);
    expect(await everything()).toEqual(before);
  });

  it('keeps a nonce marked as used that was used after the snapshot', async () => {
    await done('snapshot save', { name: 'early' });
    const nonces = async () =>
      (await sandbox.service.store.db.all(sql<Row<'nonce'>>`select * from nonce`)).length;
    await sandbox.api('GET', '/v1/folder');
    const used = await nonces();
    expect(used).toBeGreaterThan(0);
    await done('snapshot restore', { name: 'early' });
    expect(await nonces()).toBe(used);
  });

  it('answers concurrent requests with all of the old data or all of the new', async () => {
    await done('snapshot save', { name: 'one' });
    for (let each = 0; each < 5; each += 1) await sandbox.api('POST', '/v1/folder', { name: `More ${each}` });
    const more = (await sandbox.api('GET', '/v1/folder')).json.response.count;
    const restored = done('snapshot restore', { name: 'one' });
    const counts = await Promise.all(
      Array.from({ length: 20 }, async () => (await sandbox.api('GET', '/v1/folder')).json.response.count),
    );
    await restored;
    for (const count of counts) expect([more, more - 5]).toContain(count);
    expect((await sandbox.api('GET', '/v1/folder')).json.response.count).toBe(more - 5);
  });
});

describe('the files', () => {
  it('are accessible only to this user, and listed by name', async () => {
    expect(await done('snapshot list')).toEqual([]);
    await done('snapshot save', { name: 'second' });
    await done('snapshot save', { name: 'first' });
    expect((await done('snapshot list')).map(({ name }: { name: string }) => name)).toEqual([
      'first',
      'second',
    ]);
    await done('snapshot restore', { name: 'first' });
    expect(statSync(path()).mode & 0o777).toBe(0o700);
    expect(readdirSync(path()).sort()).toEqual(['first.db', 'second.db']);
    for (const file of readdirSync(path())) expect(statSync(path(file)).mode & 0o777).toBe(0o600);
    expect(await done('snapshot delete', { name: 'first' })).toEqual({ name: 'first' });
    expect(readdirSync(path())).toEqual(['second.db']);
  });

  it('are never overwritten', async () => {
    const { octets, saved } = await done('snapshot save', { name: 'base' });
    expect(await statusOf('snapshot save', { name: 'base' })).toBe(409);
    expect(await done('snapshot list')).toEqual([{ name: 'base', octets, saved }]);
  });

  it('keep one of two snapshots saved at once under one name', async () => {
    const save = () => statusOf('snapshot save', { name: 'twice' });
    const statuses = await Promise.all([save(), save(), save()]);
    expect(statuses.sort()).toEqual([200, 409, 409]);
    expect(readdirSync(path())).toEqual(['twice.db']);
    expect(await statusOf('snapshot restore', { name: 'twice' })).toBe(200);
  });

  it.each(['../out', 'a/b', '', '.', 'A', 'a b', 'a\0', 'x'.repeat(41), '-a', 'a.db'])(
    'never lie outside the folder: %j',
    async (name) => {
      for (const verb of ['save', 'restore', 'delete'])
        expect(await statusOf(`snapshot ${verb}`, { name })).toBe(400);
      expect(readdirSync(dirname(folder.path))).toEqual(['data']);
    },
  );

  it.each([
    ['a missing one', 404, () => rmSync(path('bad.db'))],
    ['an empty one', 409, () => writeFileSync(path('bad.db'), '')],
    ['a file that is not a database', 409, () => writeFileSync(path('bad.db'), 'x'.repeat(9000))],
  ])('%s is refused, and nothing has changed', async (_, status, spoil) => {
    await done('snapshot save', { name: 'bad' });
    spoil();
    const before = await everything();
    expect(await statusOf('snapshot restore', { name: 'bad' })).toBe(status);
    expect(await everything()).toEqual(before);
  });
});
