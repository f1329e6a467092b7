import { beforeEach, describe, expect, it } from 'vitest';
import type { RecipientEvent } from '../../../src/sandbox/engine/events.ts';
import { advance, event, outbox, settle } from '../../support/engine.ts';
import { EMAIL, putList, putSms, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let list: number;
let messageId: number;
let taskId: number;
const [ann, bob] = [1, 2];

/** Adds an e-mail with one link, sent to Ann and Bob. */
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  await putSubscriber(sandbox, [list], { email: 'ann@example.com', msisdn: '447700900001' });
  await putSubscriber(sandbox, [list], { email: 'bob@example.com' });
  const html = '<a href="https://a.example">a</a>';
  messageId = Number(
    (await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, html })).data['id'],
  );
  taskId = await sendTask('email', messageId);
});

async function sendTask(channel: string, message_id: number): Promise<number> {
  const made = await sandbox.send('admin', 'POST', '/v1/task', {
    channel,
    message_id,
    name: 'T',
    scheduledtime: NOW,
    list_id: list,
    search_id: null,
  });
  await settle(sandbox);
  return Number(made.data['id']);
}

const statistics = async (id = taskId) => {
  const task = (await sandbox.send('admin', 'GET', `/v1/task/${id}`)).data;
  return Object.fromEntries(
    Object.entries(task).filter(([name, value]) => name.includes('unique') && value !== 0),
  );
};
const EMPTY = { smsuniquebounces: null };
const recipient = async (subscriber: number, id = taskId) =>
  (await sandbox.rows('task_recipient')).find(
    (row) => row['task_id'] === id && row['subscriber_id'] === subscriber,
  );

describe('events of recipients', () => {
  it.each<[string, () => RecipientEvent, string, string]>([
    ['open', () => ({ kind: 'open', messageId, subscriberId: ann }), 'opened', 'emailuniqueopens'],
    ['click', () => ({ kind: 'click', linkId: 1, subscriberId: ann }), 'clicked', 'emailuniqueclicks'],
    [
      'unsubscribe',
      () => ({ kind: 'unsubscribe', taskId, subscriberId: ann }),
      'unsubscribed',
      'emailuniqueunsubscriptions',
    ],
    [
      'complaint',
      () => ({ kind: 'complaint', taskId, subscriberId: ann }),
      'complained',
      'emailuniquecomplaints',
    ],
    ['bounce', () => ({ kind: 'bounce', taskId, subscriberId: ann }), 'bounced', 'emailuniquebounces'],
  ])(
    '%s is recorded with its first time, and counted once for each recipient',
    async (kind, make, mark, statistic) => {
      await event(sandbox, make(), 60);
      // A subscriber who has unsubscribed no longer exists, and cannot open anything.
      if (kind !== 'unsubscribe') await event(sandbox, make(), 120);
      expect(await recipient(ann)).toMatchObject({ [mark]: NOW + 60 });
      expect(await statistics()).toEqual({ ...EMPTY, [statistic]: 1 });
      await event(sandbox, { ...make(), subscriberId: bob } as RecipientEvent, 180);
      expect(await statistics()).toEqual({ ...EMPTY, [statistic]: 2 });
    },
  );

  it('an unsubscription adds the address of the channel to Do Not Contact, and only that', async () => {
    await event(sandbox, { kind: 'unsubscribe', taskId, subscriberId: ann });
    expect(await sandbox.rows('do_not_contact')).toMatchObject([{ contactdata: 'ann@example.com' }]);
    await sendTask('email', messageId);
    expect((await outbox(sandbox)).map(({ to }) => to)).toEqual([
      'ann@example.com',
      'bob@example.com',
      'bob@example.com',
    ]);
  });

  it('of an SMS task concern the number, and only bounces are counted', async () => {
    const id = await sendTask('sms', await putSms(sandbox));
    await event(sandbox, { kind: 'bounce', taskId: id, subscriberId: ann });
    await event(sandbox, { kind: 'complaint', taskId: id, subscriberId: ann });
    await event(sandbox, { kind: 'unsubscribe', taskId: id, subscriberId: ann });
    expect(await statistics(id)).toEqual({
      emailuniquebounces: null,
      emailuniqueclicks: null,
      emailuniqueopens: null,
      emailuniqueunsubscriptions: null,
      emailuniquecomplaints: null,
      smsuniquebounces: 1,
    });
    expect(await sandbox.rows('do_not_contact')).toMatchObject([{ contactdata: '447700900001' }]);
    expect(await statistics()).toEqual(EMPTY);
  });

  it('an open without a task counts for the newest task that sent to the subscriber, and one with a task for that task', async () => {
    const newer = await sendTask('email', messageId);
    await event(sandbox, { kind: 'open', messageId, subscriberId: ann });
    await event(sandbox, { kind: 'open', messageId, subscriberId: bob, taskId });
    expect([await statistics(newer), await statistics()]).toEqual([
      { ...EMPTY, emailuniqueopens: 1 },
      { ...EMPTY, emailuniqueopens: 1 },
    ]);
    expect(await recipient(ann)).toMatchObject({ opened: null });
  });

  it('opens, clicks and subscriptions trigger rules', async () => {
    const target = await putList(sandbox);
    const rule = {
      account_id: IDS.company,
      user_id: IDS.admin,
      name: 'R',
      actiontype: 'notify',
      actiontarget: 'office@example.com',
      actiontimediff: 0,
      actiononweekend: 1,
      cdate: NOW,
      mdate: NOW,
    };
    await sandbox.put('open_automation', { ...rule, message_id: messageId });
    await sandbox.put('click_automation', { ...rule, link_id: 1 });
    await sandbox.put('subscription_automation', { ...rule, list_id: target });
    await event(sandbox, { kind: 'open', messageId, subscriberId: ann });
    await event(sandbox, { kind: 'click', linkId: 1, subscriberId: ann });
    await event(sandbox, { kind: 'subscription', listId: target, subscriberId: bob });
    await event(sandbox, { kind: 'subscription', listId: target, subscriberId: bob });
    await advance(sandbox, 60);
    const notices = (await outbox(sandbox)).filter(({ channel }) => channel === 'notification');
    expect(notices.map(({ cause }) => cause.rule_kind)).toEqual(['open', 'click', 'subscription']);
  });

  it('list the outcome of each rule, or why none was considered', async () => {
    const watched = await putList(sandbox);
    const rule = {
      ...{
        account_id: IDS.company,
        user_id: IDS.admin,
        name: 'R',
        actiontype: 'notify',
        cdate: NOW,
        mdate: NOW,
      },
      ...{ actiontarget: 'office@example.com', actiontimediff: 600, actiononweekend: 1 },
    };
    await sandbox.put('click_automation', { ...rule, link_id: 1 });
    await sandbox.put('subscription_automation', { ...rule, list_id: watched });
    const told = { name: 'R', action: 'notify', target: 'office@example.com', done: false, why: null };
    expect(await event(sandbox, { kind: 'click', linkId: 1, subscriberId: ann })).toEqual({
      trigger: { kind: 'click', linkId: 1, messageId },
      outcomes: [{ kind: 'click', ruleId: 1, queued: NOW + 600, ...told }],
      why: null,
      taskId,
    });
    const subscribe = { kind: 'subscription', listId: watched, subscriberId: bob } as const;
    expect((await event(sandbox, subscribe)).outcomes).toMatchObject([
      { kind: 'subscription', ruleId: 1, queued: NOW + 36_000 },
    ]);
    expect(await event(sandbox, subscribe)).toEqual({
      outcomes: [],
      why: `subscriber ${bob} was already on list ${watched}`,
    });
    expect(await event(sandbox, { kind: 'bounce', taskId, subscriberId: bob })).toEqual({
      outcomes: [],
      why: 'a bounce never triggers a rule',
    });
  });

  it('an open of a message that no task has sent is not counted', async () => {
    const other = Number((await sandbox.send('admin', 'POST', '/v1/emailMessage', EMAIL)).data['id']);
    const told = await event(sandbox, { kind: 'open', messageId: other, subscriberId: ann });
    expect(told).not.toHaveProperty('taskId');
  });

  it.each<[string, () => RecipientEvent]>([
    ['a message', () => ({ kind: 'open', messageId: 99, subscriberId: ann })],
    ['a subscriber', () => ({ kind: 'open', messageId, subscriberId: 99 })],
    ['a link', () => ({ kind: 'click', linkId: 99, subscriberId: ann })],
    ['a list', () => ({ kind: 'subscription', listId: 99, subscriberId: ann })],
    ['a task', () => ({ kind: 'bounce', taskId: 99, subscriberId: ann })],
    ['a recipient of the task', () => ({ kind: 'unsubscribe', taskId, subscriberId: 99 })],
    ['a task of that message', () => ({ kind: 'open', messageId: 99, subscriberId: ann, taskId })],
  ])('404 for %s that does not exist, and nothing is recorded', async (_, make) => {
    const before = await sandbox.rows('task_recipient');
    await expect(event(sandbox, make())).rejects.toMatchObject({ status: 404 });
    expect(await sandbox.rows('task_recipient')).toEqual(before);
    expect(await sandbox.rows('do_not_contact')).toEqual([]);
  });

  it('409 for a subscription of an address on Do Not Contact', async () => {
    await sandbox.put('do_not_contact', { account_id: IDS.company, contactdata: 'example.com', cdate: NOW });
    const target = await putList(sandbox);
    await expect(
      event(sandbox, { kind: 'subscription', listId: target, subscriberId: ann }),
    ).rejects.toMatchObject({ status: 409 });
  });
});
