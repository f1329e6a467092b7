/**
 * Interface, "task" and "doNotContact": a task is sent to members of its list with an address of its channel, who are neither suspended
 * nor on Do Not Contact. `sandbox task skipped` gives the reasons for all others.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'empty' });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const asked = async (operation: string, args: object = {}) =>
  (await sandbox.control(operation, args)).json.data;

/** Makes a list of these contacts. Returns the ids of the list and of the subscribers. */
async function listOf(contacts: readonly object[]): Promise<{ list: number; ids: number[] }> {
  const list = (await asked('list create', { name: 'Readers' })).id;
  const ids: number[] = [];
  for (const each of contacts) ids.push((await asked('subscriber create', { ...each, lists: [list] })).id);
  return { list, ids };
}

async function taskTo(list: number, more: object = {}): Promise<number> {
  const message = (
    await sandbox.api('POST', '/v1/smsMessage', {
      name: 'Note',
      message: 'Hello',
      fromname: 'Shop',
      subinfo: false,
    })
  ).json;
  expect(message.status, JSON.stringify(message)).toBe('ok');
  const { json } = await sandbox.api('POST', '/v1/task', {
    ...{ name: 'Send', channel: 'sms', message_id: message.response.data.id, scheduledtime: 0 },
    ...{ list_id: list, search_id: null },
    ...more,
  });
  return json.response.data.id;
}

describe('the recipients whom a task leaves out', () => {
  it('have the reason, and the entry of Do Not Contact, and no other subscriber is listed', async () => {
    await asked('credits set', { sms: 100 });
    const { list, ids } = await listOf([
      { msisdn: '447700900001' },
      { email: 'no.number@example.com' },
      { msisdn: '447700900002' },
      { msisdn: '447700900003', email: 'both@example.com' },
    ]);
    // Only the companions' PUT suspends a subscriber, so the test writes to the store.
    const task = await taskTo(list);
    await asked('clock advance', { seconds: 60 });
    expect(await asked('task show', { id: task })).toMatchObject({
      sent: 3,
      skipped: 0,
      started: true,
      stopped: null,
    });
    expect(await asked('task skipped', { id: task })).toEqual([
      { subscriber: ids[1], email: 'no.number@example.com', msisdn: null, reason: 'no-address', entry: null },
    ]);
  });

  it('are listed before it starts, and after a cancellation', async () => {
    const { list, ids } = await listOf([{ msisdn: '447700900011' }, { email: 'nobody@example.com' }]);
    const task = await taskTo(list, { scheduledtime: 4_000_000_000 });
    const reasons = async () =>
      (await asked('task skipped', { id: task })).map((row: Record<string, unknown>) => [
        row['subscriber'],
        row['reason'],
      ]);
    expect(await reasons()).toEqual([[ids[1], 'no-address']]);
    await sandbox.api('PUT', `/v1/task/${task}`, { cancelled: true });
    expect(await reasons()).toEqual([
      [ids[0], 'stopped'],
      [ids[1], 'no-address'],
    ]);
  });

  it('include those after the end of the credits', async () => {
    await asked('credits set', { sms: 1 });
    const { list, ids } = await listOf([{ msisdn: '447700900021' }, { msisdn: '447700900022' }]);
    const task = await taskTo(list);
    await asked('clock advance', { seconds: 60 });
    expect(await asked('task show', { id: task })).toMatchObject({
      sent: 1,
      credits: 1,
      stopped: 'too few sms credits: 0',
    });
    expect(await asked('task skipped', { id: task })).toMatchObject([
      { subscriber: ids[1], reason: 'stopped' },
    ]);
  });

  it('exclude people who joined a list after its task had passed', async () => {
    await asked('credits set', { sms: 10 });
    const { list } = await listOf([{ msisdn: '447700900031' }]);
    const task = await taskTo(list);
    await asked('clock advance', { seconds: 60 });
    await asked('subscriber create', { msisdn: '447700900032', lists: [list] });
    expect(await asked('task skipped', { id: task })).toEqual([]);
  });

  it('are paged by their ids', async () => {
    const { list, ids } = await listOf([
      { email: 'one@example.org' },
      { email: 'two@example.org' },
      { email: 'three@example.org' },
    ]);
    const task = await taskTo(list, { scheduledtime: 4_000_000_000 });
    const page = async (after: number) =>
      (await asked('task skipped', { id: task, after, limit: 2 })).map(
        (row: { subscriber: number }) => row.subscriber,
      );
    expect(await page(0)).toEqual(ids.slice(0, 2));
    expect(await page(ids[1] ?? 0)).toEqual(ids.slice(2));
  });

  it('never include subscribers of another company', async () => {
    expect((await sandbox.control('task show', { id: 999 })).status).toBe(404);
    expect((await sandbox.control('task skipped', { id: 999 })).status).toBe(404);
  });
});
