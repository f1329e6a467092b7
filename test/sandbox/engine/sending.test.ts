import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import { advance, event, outbox, settle } from '../../support/engine.ts';
import { putEmail, putList, putSms, putSubscriber, setAccount } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let list: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
});

async function schedule(more: object = {}): Promise<number> {
  const made = await sandbox.send('admin', 'POST', '/v1/task', {
    channel: 'email',
    message_id: 1,
    name: 'Campaign',
    scheduledtime: NOW + 600,
    list_id: list,
    search_id: null,
    ...more,
  });
  expect(made.status).toBe(202);
  return Number(made.data['id']);
}

const task = async (id: number) => (await sandbox.send('admin', 'GET', `/v1/task/${id}`)).data;
const account = async () => (await sandbox.send('admin', 'GET', `/v1/account/${IDS.company}`)).data;
const recipients = async () => (await sandbox.rows('task_recipient')).map(({ address }) => address);
const block = (contactdata: string, account_id: number = IDS.company) =>
  sandbox.put('do_not_contact', { account_id, contactdata, cdate: NOW });

describe('a task: scheduled → completed', () => {
  it('sends at its scheduledtime and not before', async () => {
    await putEmail(sandbox);
    await putSubscriber(sandbox, [list], { email: 'a@example.com' });
    await putSubscriber(sandbox, [], { email: 'not-on-the-list@example.com' });
    const id = await schedule();
    await advance(sandbox, 599);
    expect([await outbox(sandbox), (await task(id))['completed']]).toEqual([[], false]);
    await advance(sandbox, 700);
    expect(await outbox(sandbox)).toEqual([
      {
        id: `t${id}-1`,
        time: NOW + 600,
        channel: 'email',
        to: 'a@example.com',
        state: 'delivered',
        from: 'Company <office@example.com>',
        subject: 'Hello',
        text: null,
        cause: { kind: 'task', id, rule_kind: null },
      },
    ]);
    expect(await task(id)).toMatchObject({
      completed: true,
      cancelled: false,
      endtime: NOW + 600,
      size: 1,
      emailuniqueopens: 0,
      emailuniquebounces: 0,
      smsuniquebounces: null,
    });
    expect(await sandbox.rows('task')).toMatchObject([
      { due: null, sent: 1, skipped: 0, credits: 1, stopped: null },
    ]);
    expect((await account())['emailcreditbalance']).toBe(999);
  });

  it('decides at send time who receives it, whatever its `size`', async () => {
    await putEmail(sandbox);
    const id = await schedule();
    await putSubscriber(sandbox, [list], { email: 'late@example.com' });
    await advance(sandbox, 600);
    expect([(await task(id))['size'], await recipients()]).toEqual([0, ['late@example.com']]);
  });

  it('sends to the subscribers whom a search finds at that time', async () => {
    await putEmail(sandbox);
    const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
    for (const [email, value] of [
      ['a@example.com', 'Paris'],
      ['b@example.com', 'Rome'],
    ] as const) {
      const subscriber_id = await putSubscriber(sandbox, [], { email });
      await sandbox.put('profile_data', { account_id: IDS.company, field_id: field, subscriber_id, value });
    }
    const search_id = await sandbox.put('search', {
      account_id: IDS.company,
      name: 'S',
      field_id: field,
      equals: 'Paris',
      cdate: NOW,
    });
    await schedule({ list_id: null, search_id });
    await advance(sandbox, 600);
    expect(await recipients()).toEqual(['a@example.com']);
  });

  it('sends a message that was deleted after scheduling: "still available to the task"', async () => {
    await putEmail(sandbox);
    await putSubscriber(sandbox, [list], { email: 'a@example.com' });
    await schedule();
    await sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    await advance(sandbox, 600);
    expect(await outbox(sandbox)).toMatchObject([{ to: 'a@example.com', subject: 'Hello' }]);
  });

  it('completes without recipients', async () => {
    await putEmail(sandbox);
    const id = await schedule();
    await advance(sandbox, 600);
    expect(await task(id)).toMatchObject({ completed: true, endtime: NOW + 600 });
    expect(await outbox(sandbox)).toEqual([]);
  });

  it('sends nothing after a cancellation', async () => {
    await putEmail(sandbox);
    await putSubscriber(sandbox, [list], { email: 'a@example.com' });
    const id = await schedule();
    await sandbox.send('admin', 'PUT', `/v1/task/${id}`, { cancelled: true });
    await advance(sandbox, 9000);
    expect(await outbox(sandbox)).toEqual([]);
    expect(await task(id)).toMatchObject({ cancelled: true, completed: false, endtime: NOW });
    expect((await account())['emailcreditbalance']).toBe(1000);
  });
});

describe('leaves out and counts', () => {
  it('addresses and domains on Do Not Contact, suspended ones, those without an address', async () => {
    await putEmail(sandbox);
    await putSubscriber(sandbox, [list], { email: 'blocked@example.com' });
    await putSubscriber(sandbox, [list], { email: 'a@blocked.example' });
    await putSubscriber(sandbox, [list], { email: 'a@sub.blocked.example' });
    await putSubscriber(sandbox, [list], { email: 's@example.com' }, { emailsuspended: 1 });
    await putSubscriber(
      sandbox,
      [list],
      { email: 'sms@example.com', msisdn: '447700900001' },
      { smssuspended: 1 },
    );
    await putSubscriber(sandbox, [list], { msisdn: '447700900002' });
    await block('blocked@example.com');
    await block('blocked.example');
    await block('447700900001');
    await block('sms@example.com', IDS.other);
    const id = await schedule();
    await advance(sandbox, 600);
    expect(await recipients()).toEqual(['a@sub.blocked.example', 'sms@example.com']);
    expect(await sandbox.rows('task')).toMatchObject([{ id, sent: 2, skipped: 3, credits: 2 }]);
  });

  it('numbers on Do Not Contact, for an SMS', async () => {
    const message_id = await putSms(sandbox);
    await putSubscriber(sandbox, [list], { msisdn: '447700900001' });
    await putSubscriber(sandbox, [list], { msisdn: '447700900002' });
    await putSubscriber(sandbox, [list], { msisdn: '447700900003' }, { smssuspended: 1 });
    await putSubscriber(
      sandbox,
      [list],
      { msisdn: '447700900004', email: 'x@blocked.example' },
      { emailsuspended: 1 },
    );
    await block('447700900001');
    await block('blocked.example');
    await schedule({ channel: 'sms', message_id });
    await advance(sandbox, 600);
    expect(await recipients()).toEqual(['447700900002', '447700900004']);
    expect(await sandbox.rows('task')).toMatchObject([{ sent: 2, skipped: 2 }]);
  });
});

describe('"Charging happens at send time"', () => {
  const fill = async (count: number, contact: (index: number) => object) => {
    for (let index = 0; index < count; index += 1) await putSubscriber(sandbox, [list], contact(index));
  };

  it.each([
    ['one part', 'x'.repeat(160), 0, 1],
    ['one part that subinfo makes two', 'x'.repeat(131), 1, 2],
    ['three parts', 'x'.repeat(459), 0, 3],
    ['two parts outside the GSM alphabet', 'ł'.repeat(71), 0, 2],
  ])('SMS, %s: per part and recipient', async (_, message, subinfo, each) => {
    const message_id = await putSms(sandbox, { message, subinfo });
    await fill(2, (index) => ({ msisdn: `44770090000${index}` }));
    await schedule({ channel: 'sms', message_id });
    await advance(sandbox, 599);
    expect(await account()).toMatchObject({ smscreditbalance: 1000, emailcreditbalance: 1000 });
    await advance(sandbox, 600);
    expect(await account()).toMatchObject({ smscreditbalance: 1000 - 2 * each, emailcreditbalance: 1000 });
    expect(await sandbox.rows('task')).toMatchObject([{ credits: 2 * each }]);
  });

  it('e-mail is free while enableemailcredits is off', async () => {
    await setAccount(sandbox, { enableemailcredits: 0, emailcreditbalance: 0 });
    await putEmail(sandbox);
    await fill(2, (index) => ({ email: `s${index}@example.com` }));
    await schedule();
    await advance(sandbox, 600);
    expect([(await account())['emailcreditbalance'], await recipients()]).toMatchObject([0, { length: 2 }]);
    expect(await sandbox.rows('task')).toMatchObject([{ sent: 2, credits: 0, stopped: null }]);
  });

  it('too few credits stop the task, and the sends so far are recorded', async () => {
    const message_id = await putSms(sandbox, { message: 'x'.repeat(200) });
    await setAccount(sandbox, { smscreditbalance: 5 });
    await fill(4, (index) => ({ msisdn: `44770090000${index}` }));
    const id = await schedule({ channel: 'sms', message_id });
    await advance(sandbox, 9000);
    expect(await recipients()).toEqual(['447700900000', '447700900001']);
    expect(await task(id)).toMatchObject({ completed: true, endtime: NOW + 600, size: 4 });
    expect(await sandbox.rows('task')).toMatchObject([
      { sent: 2, credits: 4, due: null, stopped: 'too few sms credits: 1' },
    ]);
    expect((await account())['smscreditbalance']).toBe(1);
    expect(await sandbox.rows('log')).toMatchObject([
      { kind: 'task', text: `Task ${id} stopped: too few sms credits: 1` },
    ]);
  });

  it('completes if the credits cover exactly the last recipient', async () => {
    await putEmail(sandbox);
    await setAccount(sandbox, { emailcreditbalance: 1 });
    await fill(3, (index) => ({ email: `s${index}@example.com` }));
    await block('s1@example.com');
    await block('s2@example.com');
    await schedule();
    await advance(sandbox, 600);
    expect(await sandbox.rows('task')).toMatchObject([{ completed: 1, sent: 1, skipped: 2, stopped: null }]);
  });
});

describe('`rate`: "Maximum send rate in messages per hour"', () => {
  it.each([
    [1, 3, [0, 3600, 7200]],
    [60, 3, [0, 60, 120]],
    [90, 6, [0, 0, 60, 120, 120, 180]],
    [7200, 3, [0, 0, 0]],
  ])('%i per hour', async (rate, count, offsets) => {
    await putEmail(sandbox);
    for (let index = 0; index < count; index += 1)
      await putSubscriber(sandbox, [list], { email: `s${index}@example.com` });
    const id = await schedule({ rate });
    await advance(sandbox, 20_000);
    const start = NOW + 600;
    expect((await outbox(sandbox)).map(({ time }) => time - start)).toEqual(offsets);
    expect(await task(id)).toMatchObject({ completed: true, endtime: start + (offsets.at(-1) ?? 0) });
  });

  it('can be cancelled midway: earlier sends stay, the rest is not sent', async () => {
    await putEmail(sandbox);
    for (const name of ['a', 'b', 'c'])
      await putSubscriber(sandbox, [list], { email: `${name}@example.com` });
    const id = await schedule({ rate: 60 });
    await advance(sandbox, 660);
    const cancelled = await sandbox.send('admin', 'PUT', `/v1/task/${id}`, { cancelled: true });
    expect(cancelled.data).toMatchObject({ cancelled: true, completed: false, endtime: NOW + 660 });
    await advance(sandbox, 9000);
    expect(await recipients()).toEqual(['a@example.com', 'b@example.com']);
    expect((await account())['emailcreditbalance']).toBe(998);
  });
});

it('sends to no one twice, not even to a deleted address that is back under another id', async () => {
  await putEmail(sandbox);
  for (const name of ['a', 'b']) await putSubscriber(sandbox, [list], { email: `${name}@example.com` });
  const id = await schedule({ rate: 60 });
  await advance(sandbox, 600);
  expect(await recipients()).toEqual(['a@example.com']);
  await event(sandbox, { kind: 'unsubscribe', taskId: id, subscriberId: 1 }, 600);
  await sandbox.send('admin', 'DELETE', '/v1/doNotContact?contactdata=a@example.com');
  await putSubscriber(sandbox, [list], { email: 'a@example.com' });
  await advance(sandbox, 9000);
  expect(await recipients()).toEqual(['a@example.com', 'b@example.com']);
  expect(await sandbox.rows('task')).toMatchObject([{ sent: 2, skipped: 1, credits: 2 }]);
});

describe('requests between the batches of a send', () => {
  const BATCH = 10;
  const PEOPLE = 300;
  const fill = async () => {
    await putEmail(sandbox);
    for (let index = 1; index <= PEOPLE; index += 1)
      await putSubscriber(sandbox, [list], { email: `s${index}@example.com` });
  };
  const sending = () =>
    advanceClockTo(sandbox.service.store, NOW + 600, { machineNow: () => NOW * 1000, batch: BATCH });

  it('can cancel: earlier sends stay, recorded and charged, and no others follow', async () => {
    await fill();
    const id = await schedule();
    const [, cancelled] = await Promise.all([
      sending(),
      hasBegun().then(() => sandbox.send('admin', 'PUT', `/v1/task/${id}`, { cancelled: true })),
    ]);
    const sent = (await recipients()).length;
    expect([sent > 0, sent < PEOPLE, sent % BATCH]).toEqual([true, true, 0]);
    expect(cancelled.data).toMatchObject({ cancelled: true, completed: false, endtime: NOW + 600 });
    expect(await task(id)).toEqual(cancelled.data);
    expect(await sandbox.rows('task')).toMatchObject([{ sent, credits: sent, due: null }]);
    expect((await account())['emailcreditbalance']).toBe(1000 - sent);
  });

  it('can add to Do Not Contact, and a person who has not yet got the message does not get it', async () => {
    await fill();
    const id = await schedule();
    await Promise.all([
      sending(),
      hasBegun().then(() =>
        sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata: `s${PEOPLE}@example.com` }),
      ),
    ]);
    expect((await recipients()).length).toBe(PEOPLE - 1);
    expect(await task(id)).toMatchObject({ completed: true, size: PEOPLE });
    expect((await account())['emailcreditbalance']).toBe(1000 - PEOPLE + 1);
  });

  /** Resolves after the first messages were sent, also on a slow database. */
  async function hasBegun(): Promise<void> {
    while ((await recipients()).length === 0) await setImmediate();
  }
});

describe('single sms', () => {
  let sandbox: TestSandbox;
  beforeEach(async () => {
    sandbox = await createTestSandbox();
  });

  const SMS = { msisdn: '447700900123', fromaddress: 'Company', message: 'x'.repeat(200) } as const;
  const send = (more: object = {}) => sandbox.send('admin', 'POST', '/v1/sms', { ...SMS, ...more });
  const sms = async () => (await sandbox.send('admin', 'GET', '/v1/sms/1')).data;
  const balance = async () =>
    (await sandbox.send('admin', 'GET', `/v1/account/${IDS.company}`)).data['smscreditbalance'];

  describe('sms: awaiting dispatch → dispatched, or failed', () => {
    it('is sent at once without a senddate, and is charged per part', async () => {
      await send();
      expect(await sms()).toMatchObject({ dispatched: false, failed: false });
      await settle(sandbox);
      expect([await sms(), await balance()]).toMatchObject([{ dispatched: true, failed: false }, 998]);
      expect(await outbox(sandbox)).toEqual([
        {
          id: 'd1',
          time: NOW,
          channel: 'sms',
          to: SMS.msisdn,
          state: 'delivered',
          from: 'Company',
          subject: null,
          text: SMS.message,
          cause: { kind: 'sms', id: 1, rule_kind: null },
        },
      ]);
      expect(await sandbox.rows('task_recipient')).toEqual([]);
    });

    it('is sent at its senddate and once', async () => {
      await send({ senddate: NOW + 600 });
      await advance(sandbox, 599);
      expect([await sms(), await outbox(sandbox), await balance()]).toMatchObject([
        { dispatched: false },
        [],
        1000,
      ]);
      await advance(sandbox, 90_000);
      expect(await outbox(sandbox)).toMatchObject([{ time: NOW + 600 }]);
    });

    it.each([
      ['too little credit', () => setAccount(sandbox, { smscreditbalance: 1 }), 1],
      [
        'a number on Do Not Contact',
        () => sandbox.put('do_not_contact', { account_id: IDS.company, contactdata: SMS.msisdn, cdate: NOW }),
        1000,
      ],
    ])('fails for %s: nothing sent, nothing charged, not retried', async (_, prepare, left) => {
      await prepare();
      await send();
      await settle(sandbox);
      expect([await sms(), await balance()]).toMatchObject([{ dispatched: false, failed: true }, left]);
      await setAccount(sandbox, { smscreditbalance: 50 });
      await advance(sandbox, 90_000);
      expect([await outbox(sandbox), await sms()]).toMatchObject([[], { dispatched: false, failed: true }]);
      expect(await sandbox.rows('log')).toMatchObject([{ kind: 'sms' }]);
    });
  });

  describe('sms: awaiting dispatch → failed, two weeks after', () => {
    // src/service/protocol/README.md, "Single SMS": 12025550190 to 12025550199 are numbers that no network knows.
    it('an undeliverable number awaits dispatch for 14 days: charged once, never in the outbox', async () => {
      await send({ msisdn: '12025550190', senddate: NOW + 60 });
      const states = [];
      for (const seconds of [59, 60, 60 + 14 * 86_400 - 1, 60 + 14 * 86_400, 60 + 40 * 86_400]) {
        await advance(sandbox, seconds);
        const { dispatched, failed, mdate } = await sms();
        states.push([dispatched, failed, Number(mdate) - NOW, await balance()]);
      }
      const end = 60 + 14 * 86_400;
      expect(states).toEqual([
        [false, false, 0, 1000],
        [false, false, 0, 998],
        [false, false, 0, 998],
        [false, true, end, 998],
        [false, true, end, 998],
      ]);
      expect([await outbox(sandbox), await sandbox.rows('task_recipient')]).toEqual([[], []]);
      expect(await sandbox.rows('log')).toMatchObject([
        { time: NOW + end, kind: 'sms', text: 'SMS 1 failed: no network accepted the SMS within two weeks' },
      ]);
    });

    it.each(['12025550189', '12025550200', '120255501901'])('%s is delivered', async (msisdn) => {
      await send({ msisdn });
      await settle(sandbox);
      expect(await sms()).toMatchObject({ dispatched: true, failed: false });
    });
  });
});
