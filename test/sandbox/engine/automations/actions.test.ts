import { beforeEach, describe, expect, it } from 'vitest';
import { listOutbox, showDelivery } from '../../../../src/sandbox/engine/mail/outbox.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { SqlRow } from '../../../../src/sandbox/store/rows.ts';
import { createEngineWorld, type EngineWorld, eventOf } from '../../../support/automation-engine.ts';
import { KINDS, LIST_ACTION } from '../../../support/automations.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const deliveries = () => world.sandbox.rows('delivery');
const join = (list_id: number, subscriber_id: number) =>
  world.sandbox.put('subscription', { list_id, subscriber_id, cdate: NOW });

/** Triggers an open rule for the subscriber and lets it act. */
async function run(rule: SqlRow, subscriber: number): Promise<void> {
  await world.rule('open', rule);
  await world.fire(eventOf('open', world.things, 1), subscriber);
  await world.advance(0);
}

describe('list actions', () => {
  it.each(KINDS)('%s: its list action adds to the target', async (kind) => {
    const someone = await world.subscriber();
    await join(world.things.list, someone);
    const actiontarget = String(world.things.otherList);
    const id = await world.rule(kind, { actiontype: LIST_ACTION[kind], actiontarget, actiontimediff: 1 });
    await world.fire(eventOf(kind, world.things, id), someone);
    await world.advance(60);
    expect(await world.lists(someone)).toEqual([world.things.list, world.things.otherList]);
    expect(await deliveries()).toEqual([]);
  });

  it.each([
    ['copytolist', ['list', 'otherList']],
    ['movetolist', ['otherList']],
    ['removefromlist', []],
  ] as const)('%s leaves the subscriber on %j', async (actiontype, expected) => {
    const someone = await world.subscriber();
    const neighbour = await world.subscriber();
    for (const id of [someone, neighbour]) await join(world.things.list, id);
    const actiontarget = actiontype === 'removefromlist' ? '0' : String(world.things.otherList);
    await world.rule('subscription', { actiontype, actiontarget, actiontimediff: 1 });
    await world.fire(eventOf('subscription', world.things, 0), someone);
    await world.advance(60);
    expect(await world.lists(someone)).toEqual(expected.map((name) => world.things[name]));
    expect(await world.lists(neighbour)).toEqual([world.things.list]);
  });

  it.each(['copytolist', 'movetolist', 'removefromlist'])(
    '%s does nothing if the subscription no longer exists',
    async (actiontype) => {
      const someone = await world.subscriber();
      const actiontarget = actiontype === 'removefromlist' ? '0' : String(world.things.otherList);
      await world.rule('subscription', { actiontype, actiontarget, actiontimediff: 1 });
      await world.fire(eventOf('subscription', world.things, 0), someone);
      await world.advance(60);
      expect(await world.lists(someone)).toEqual([]);
      expect(await world.log()).toEqual([
        `subscription 1: subscriber ${someone} is no longer on list ${world.things.list}`,
      ]);
    },
  );

  it('do not move anything to a deleted list', async () => {
    const someone = await world.subscriber();
    await join(world.things.list, someone);
    await world.rule('subscription', { actiontype: 'movetolist', actiontarget: '999', actiontimediff: 1 });
    await world.fire(eventOf('subscription', world.things, 0), someone);
    await world.advance(60);
    expect([await world.lists(someone), await world.log()]).toEqual([
      [world.things.list],
      ['subscription 1: list 999 is gone'],
    ]);
  });

  it('add no subscriber on Do Not Contact', async () => {
    const someone = await world.subscriber();
    await world.sandbox.put('do_not_contact', {
      account_id: IDS.company,
      contactdata: 'example.net',
      cdate: NOW,
    });
    await run(
      { actiontype: 'addtolist', actiontarget: String(world.things.list), actiontimediff: 0 },
      someone,
    );
    expect([await world.lists(someone), await world.log()]).toEqual([
      [],
      [`open 1: subscriber ${someone} is on Do Not Contact`],
    ]);
  });
});

describe('email_autoresponder and sms_autoresponder', () => {
  it.each(KINDS)('%s sends the e-mail to the subscriber, which costs a credit', async (kind) => {
    const someone = await world.subscriber({ email: 'ann@example.net' });
    const actiontarget = String(world.things.email);
    const id = await world.rule(kind, { actiontype: 'email_autoresponder', actiontarget });
    await world.fire(eventOf(kind, world.things, id), someone);
    await world.advance(0);
    expect(await deliveries()).toEqual([
      {
        id: 1,
        account_id: IDS.company,
        channel: 'email',
        recipient: 'ann@example.net',
        sender: 'office@example.com',
        subject: 'Welcome',
        body: '',
        message_id: world.things.email,
        subscriber_id: someone,
        time: NOW,
        cause: 'rule',
        cause_id: id,
        rule_kind: kind,
      },
    ]);
    expect(await world.credits()).toEqual({ email: 999, sms: 1000 });
  });

  it.each([
    ['Hi', 0, 1],
    ['x'.repeat(160), 0, 1],
    ['x'.repeat(160), 1, 2],
    ['x'.repeat(306), 0, 2],
    ['x'.repeat(459), 0, 3],
  ])('an SMS costs one credit per part: %#', async (message, subinfo, credits) => {
    await world.db.run(sql`update sms_message set message = ${message}, subinfo = ${subinfo}`);
    const someone = await world.subscriber({ msisdn: '447700900999' });
    await run({ actiontype: 'sms_autoresponder', actiontarget: String(world.things.sms) }, someone);
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        channel: 'sms',
        recipient: '447700900999',
        sender: 'Office',
        subject: null,
        body: subinfo === 1 ? `${message} To unsubscribe reply STOP now` : message,
      }),
    ]);
    expect(await world.credits()).toEqual({ email: 1000, sms: 1000 - credits });
  });

  it('appear in the outbox as sent, even if the message was edited or deleted since', async () => {
    const someone = await world.subscriber();
    for (const channel of ['sms', 'email'] as const) {
      const actiontarget = String(world.things[channel]);
      await world.sandbox.send('admin', 'POST', '/v1/dateAutomation', {
        actiontype: `${channel}_autoresponder`,
        actiontarget,
        name: 'Rule',
        summary: null,
      });
    }
    for (const ruleId of [1, 2]) await world.fire({ kind: 'date', ruleId, time: NOW }, someone);
    await world.advance(0);
    await world.sandbox.send('admin', 'PUT', `/v1/smsMessage/${world.things.sms}`, { message: 'Bye' });
    await world.sandbox.send('admin', 'DELETE', `/v1/emailMessage/${world.things.email}`);
    const [sms, email] = await listOutbox(world.db, { accountId: IDS.company, limit: 10 });
    expect(sms?.text).toBe('Hi');
    const shown = await showDelivery(world.db, IDS.company, email?.id ?? '', { trackingBaseUrl: 'http://x' });
    expect(shown).toMatchObject({ subject: 'Welcome', html: expect.stringContaining('<p>Hello</p>') });
  });

  const blocked = (contactdata: string) => () =>
    world.sandbox.put('do_not_contact', { account_id: IDS.company, contactdata, cdate: NOW });
  const nothing = async () => undefined;

  it.each<[string, 'email' | 'sms', SqlRow, () => Promise<unknown>]>([
    ['no e-mail address', 'email', { email: null, email_domain: null }, nothing],
    ['no number', 'sms', { msisdn: null }, nothing],
    ['suspended', 'email', { emailsuspended: 1 }, nothing],
    ['suspended', 'sms', { smssuspended: 1 }, nothing],
    ['on Do Not Contact', 'email', { email: 'Ann@example.net' }, blocked('ann@example.net')],
    ['on Do Not Contact', 'email', {}, blocked('example.net')],
    ['on Do Not Contact', 'sms', { msisdn: '447700900999' }, blocked('447700900999')],
    ['too few email credits', 'email', {}, () => world.account({ emailcreditbalance: 0 })],
    ['too few sms credits', 'sms', {}, () => world.account({ smscreditbalance: 0 })],
    ['the feature enableemail is off', 'email', {}, () => world.account({ enableemail: 0 })],
    ['the feature enablesms is off', 'sms', {}, () => world.account({ enablesms: 0 })],
    ['the message is gone', 'email', {}, () => removeMessage('emailMessage', world.things.email)],
    ['the message is gone', 'sms', {}, () => removeMessage('smsMessage', world.things.sms)],
  ])('%s (%s) is skipped and logged, and nothing is charged', async (why, channel, person, prepare) => {
    await prepare();
    const someone = await world.subscriber(person);
    const before = await world.credits();
    await run(
      { actiontype: `${channel}_autoresponder`, actiontarget: String(world.things[channel]) },
      someone,
    );
    expect(await world.log()).toEqual([
      `open 1: ${channel} message ${world.things[channel]} not sent to subscriber ${someone}: ${why}`,
    ]);
    expect([await deliveries(), await world.credits(), await world.queued()]).toEqual([[], before, []]);
  });

  const removeMessage = (resource: string, id: number) =>
    world.sandbox.send('admin', 'DELETE', `/v1/${resource}/${id}`);

  it.each([
    ['suspended for the other channel', { smssuspended: 1 }, 'email'],
    ['suspended for the other channel', { emailsuspended: 1 }, 'sms'],
  ] as const)('%s is sent anyway', async (_, person, channel) => {
    const someone = await world.subscriber(person);
    await run(
      { actiontype: `${channel}_autoresponder`, actiontarget: String(world.things[channel]) },
      someone,
    );
    expect(await deliveries()).toHaveLength(1);
  });

  it('for a subscriber who was deleted are skipped and logged', async () => {
    await run({ actiontype: 'email_autoresponder', actiontarget: String(world.things.email) }, 4711);
    expect([await deliveries(), await world.log()]).toEqual([[], ['open 1: subscriber 4711 is gone']]);
  });
});

describe('notify: "an e-mail address; the notice says who did what and when" (wire)', () => {
  it.each([
    ['click', 'clicked link 1 of e-mail message 1'],
    ['open', 'opened e-mail message 1'],
    ['subscription', 'was subscribed to list 1'],
    ['date', 'reached the date'],
  ] as const)('%s', async (kind, what) => {
    const someone = await world.subscriber({ email: 'ann@example.net', msisdn: '447700900999' });
    const id = await world.rule(kind, { name: 'Tell us' });
    await world.fire(eventOf(kind, world.things, id), someone);
    await world.advance(0);
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        channel: 'notification',
        recipient: 'office@example.com',
        subject: 'Tell us',
        body: [
          `Who: subscriber ${someone} (ann@example.net, 447700900999)`,
          `What: ${what}`,
          'When: Tue 2026-12-01 09:00:00 +00:00 (Europe/London)',
        ].join('\n'),
        message_id: null,
        cause_id: id,
        rule_kind: kind,
      }),
    ]);
    expect(await world.credits()).toEqual({ email: 1000, sms: 1000 });
  });

  it('an address on Do Not Contact is not notified', async () => {
    await world.sandbox.put('do_not_contact', {
      account_id: IDS.company,
      contactdata: 'office@example.com',
      cdate: NOW,
    });
    await run({}, await world.subscriber());
    expect([await deliveries(), await world.log()]).toEqual([
      [],
      ['open 1: office@example.com not notified: on Do Not Contact'],
    ]);
  });
});
