/** Contract, "Its outbox": `outbox clear` removes all messages from lists and counts, and nothing else. */
import { beforeEach, expect, it } from 'vitest';
import { listOutbox } from '../../../src/sandbox/engine/mail/outbox.ts';
import { clearOutbox } from '../../../src/sandbox/store/outbox.ts';
import { listOutboxSends } from '../../../src/sandbox/store/outbox-sends.ts';
import { advance } from '../../support/engine.ts';
import { putEmail, putList, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
/** Sends a task to 6 people, of whom 3 get it within the first three minutes, and an SMS. */
beforeEach(async () => {
  sandbox = await createTestSandbox();
  await putEmail(sandbox);
  const list = await putList(sandbox);
  for (let person = 0; person < 6; person += 1)
    await putSubscriber(sandbox, [list], { email: `p${person}@example.com` });
  const task = { channel: 'email', message_id: 1, name: 'T', list_id: list, search_id: null };
  await sandbox.send('admin', 'POST', '/v1/task', { ...task, scheduledtime: NOW, rate: 60 });
  await sendSms();
  await advance(sandbox, 125);
});

const sendSms = (at = NOW) =>
  sandbox.send('admin', 'POST', '/v1/sms', {
    ...{ msisdn: '447700900123', fromaddress: 'Example', message: 'Hi', senddate: at },
  });

const db = () => sandbox.service.store.db;
const ids = async (filter = {}, after?: string): Promise<readonly string[]> => {
  const place = after === undefined ? {} : { after };
  const found = await listOutbox(db(), { accountId: IDS.company, limit: 100, filter, ...place });
  return found.map(({ id }) => id);
};
const sends = async () => {
  const found = await listOutboxSends(db(), { accountId: IDS.company, limit: 100, now: NOW + 1000 });
  return { total: found.total, counts: found.sends.map(({ kind, messageCount }) => [kind, messageCount]) };
};

it('removes everything from lists and counts, and says how many', async () => {
  expect((await ids()).length).toBe(4);
  expect(await clearOutbox(db(), IDS.company)).toBe(4);
  for (const filter of [
    {},
    { taskId: 1 },
    { channel: 'sms' },
    { to: 'p0@example.com' },
    { search: 'p0@' },
    { state: 'delivered' },
  ])
    expect([filter, await ids(filter), await ids(filter, '')]).toEqual([filter, [], []]);
  expect(await sends()).toEqual({ total: 0, counts: [] });
  expect(await clearOutbox(db(), IDS.company)).toBe(0);
});

it('shows later messages, also of a task that was being sent, and a client goes on after its last one', async () => {
  const before = await ids();
  await clearOutbox(db(), IDS.company);
  await sendSms(NOW + 200);
  await advance(sandbox, 1000);
  const later = await ids();
  expect(later.length).toBe(4);
  expect(later.some((id) => before.includes(id))).toBe(false);
  expect(await ids({}, before.at(-1))).toEqual(later);
  expect(await sends()).toEqual({
    total: 4,
    counts: expect.arrayContaining([
      ['task', 3],
      ['delivery', 1],
    ]),
  });
  expect(await clearOutbox(db(), IDS.company)).toBe(4);
  expect(await ids()).toEqual([]);
});

it('keeps the rows that results and reactions need, and other companies', async () => {
  await clearOutbox(db(), IDS.company);
  expect((await sandbox.rows('task_recipient')).length).toBe(3);
  expect((await sandbox.rows('delivery')).length).toBe(1);
  expect((await sandbox.rows('task'))[0]).toMatchObject({ sent: 3 });
  expect(new Set((await sandbox.rows('cleared')).map((row) => row['account_id']))).toEqual(
    new Set([IDS.company]),
  );
});
