import { beforeEach, describe, expect, it } from 'vitest';
import { receiveSms } from '../../../../src/sandbox/engine/automations/inbound-sms.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { Row } from '../../../../src/sandbox/store/schema/tables.ts';
import { createEngineWorld, type EngineWorld } from '../../../support/automation-engine.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

const SHORTCODE = '60300';
const SENDER = '447700900123';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const destination = (keyword: string | null = null, more = {}) =>
  world.sandbox.put('sms_destination', {
    account_id: IDS.company,
    destination: SHORTCODE,
    isshortcode: 1,
    keyword,
    ...more,
  });
const receive = (text: string, more = {}, accountId?: number) =>
  receiveSms(world.db, { to: SHORTCODE, from: SENDER, text, ...more }, accountId, NOW, {
    requestAfterCommit: (effect) => (world.effects as unknown[]).push(effect),
  });
const deliveries = () => world.sandbox.rows('delivery');
const subscribers = () => world.sandbox.rows('subscriber');

/** Returns the addresses on a list. */
async function on(listId: number): Promise<readonly unknown[]> {
  const rows = await world.db.all(
    sql<Pick<Row<'subscriber'>, 'email' | 'msisdn'>>`select email, msisdn
      from subscription m join subscriber s on s.id = m.subscriber_id where m.list_id = ${listId}`,
  );
  return rows.map(({ email, msisdn }) => email ?? msisdn);
}

describe('destination and its keyword', () => {
  it.each([
    ['SHOP', 'shop join', true],
    ['SHOP', '  Shop\tjoin', true],
    ['SHOP', 'shopping join', false],
    ['SHOP', 'shopjoin', false],
    ['SHOP', 'join shop', false],
    ['SHOP', '', false],
    [null, 'join', true],
    [null, '', true],
  ])('keyword %j, text %j: %s', async (keyword, text, taken) => {
    await destination(keyword);
    await world.smsRule({ keyword: null });
    expect(await receive(text)).toMatchObject({
      accountId: taken ? IDS.company : undefined,
      ruleIds: taken ? [1] : [],
    });
    expect(await on(world.things.list)).toEqual(taken ? [SENDER] : []);
    expect(await world.log()).toEqual(
      taken ? [] : [`SMS from ${SENDER} to ${SHORTCODE}: no destination matches`],
    );
  });

  it('the destination with the keyword takes precedence over one that accepts all', async () => {
    await destination();
    await destination('SHOP', { account_id: IDS.other });
    expect((await receive('shop')).accountId).toBe(IDS.other);
    expect((await receive('else')).accountId).toBe(IDS.company);
    expect((await receive('shop', {}, IDS.company)).accountId).toBe(IDS.company);
  });

  it('another number is not this destination, but a + before it makes no difference', async () => {
    await destination(null, { destination: '447700900500', isshortcode: 0 });
    expect((await receive('x', { to: '+447700900500' })).accountId).toBe(IDS.company);
    expect((await receive('x', { to: '447700900501' })).accountId).toBeUndefined();
  });

  it('accept nothing while enablesubscriptionmo is off', async () => {
    await destination();
    await world.smsRule({ keyword: null });
    await world.account({ enablesubscriptionmo: 0 });
    expect((await receive('x')).ruleIds).toEqual([]);
    expect(await subscribers()).toEqual([]);
    expect(await world.log()).toEqual([
      `SMS from ${SENDER} to ${SHORTCODE}: the feature enablesubscriptionmo is off`,
    ]);
  });
});

describe('sub-keyword: "case-insensitive", "null catches all unmatched inbound messages"', () => {
  it.each([
    [null, 'join us', ['JOIN']],
    [null, 'Join', ['JOIN']],
    [null, 'joining', ['all']],
    [null, 'us join', ['all']],
    [null, '', ['all']],
    ['SHOP', 'shop join', ['JOIN']],
    ['SHOP', 'shop', ['all']],
    ['SHOP', 'shop us join', ['all']],
  ])('destination keyword %j, text %j: %j', async (keyword, text, expected) => {
    await destination(keyword);
    const names: Record<number, string> = {
      [await world.smsRule({ keyword: 'JOIN' })]: 'JOIN',
      [await world.smsRule({ keyword: null })]: 'all',
    };
    expect((await receive(text)).ruleIds.map((id) => names[id])).toEqual(expected);
  });

  it('a paused rule does not match: an SMS with its keyword is unmatched', async () => {
    await destination();
    await world.smsRule({ keyword: 'JOIN', paused: 1 });
    const rest = await world.smsRule({ keyword: null });
    expect((await receive('join')).ruleIds).toEqual([rest]);
  });

  it('does nothing if no rule matches, and logs it', async () => {
    await destination();
    await world.smsRule({ keyword: 'JOIN' });
    expect(await receive('leave')).toMatchObject({ accountId: IDS.company, ruleIds: [] });
    expect([await subscribers(), await deliveries()]).toEqual([[], []]);
    expect(await world.log()).toEqual([`SMS from ${SENDER} to ${SHORTCODE}: no rule matches`]);
  });
});

// Interface, "Events": smsAutomation. The log has each action of a rule separately.
describe('the log of an inbound SMS', () => {
  const brief = (outcomes: Awaited<ReturnType<typeof receive>>['outcomes']) =>
    outcomes.map(({ kind, ruleId, action, target, queued, done, why }) => [
      `${kind}:${ruleId}`,
      `${action} ${target}`,
      why ?? (done ? 'done' : Number(queued) - NOW),
    ]);

  it('has each action, and the subscription rules that it triggers', async () => {
    await destination();
    const { list, otherList, sms } = world.things;
    await world.rule('subscription', { actiontimediff: 10 });
    await world.smsRule({
      email_list_id: otherList,
      message_id: sms,
      message_actiontimediff: 60,
      notifyemail: 'office@example.com',
      notifymsisdn: '447700900999',
      notifyurl: 'http://127.0.0.1/told',
    });
    expect(brief((await receive('join ann@example.net')).outcomes)).toEqual([
      ['sms:1', `addtolist ${list}`, 'done'],
      ['subscription:1', 'notify office@example.com', 600],
      ['sms:1', `addtolist ${otherList}`, 'done'],
      ['sms:1', `sms_autoresponder ${sms}`, 60],
      ['sms:1', 'notifymsisdn 447700900999', 'done'],
      ['sms:1', 'notifyemail office@example.com', 'done'],
      ['sms:1', 'notifyurl http://127.0.0.1/told', 0],
    ]);
    expect(brief((await receive('again')).outcomes).slice(0, 2)).toEqual([
      ['sms:1', `addtolist ${list}`, `was already on list ${list}`],
      ['sms:1', `sms_autoresponder ${sms}`, 60],
    ]);
  });

  it('has the reasons why actions were skipped', async () => {
    await destination();
    await world.smsRule({ notifymsisdn: '447700900999' });
    await world.account({ smscreditbalance: 0 });
    const blocked = { account_id: IDS.company, contactdata: SENDER, cdate: NOW };
    await world.sandbox.put('do_not_contact', blocked);
    expect(brief((await receive('x')).outcomes)).toEqual([
      ['sms:1', `addtolist ${world.things.list}`, 'on Do Not Contact'],
      ['sms:1', 'notifymsisdn 447700900999', 'too few sms credits'],
    ]);
  });

  it('says why no rule was considered', async () => {
    expect(await receive('x')).toMatchObject({ outcomes: [], why: 'no destination matches' });
    await destination();
    await world.account({ enablesubscriptionmo: 0 });
    expect(await receive('x')).toMatchObject({
      outcomes: [],
      why: 'the feature enablesubscriptionmo is off',
    });
  });
});

describe('list_id and email_list_id', () => {
  beforeEach(() => destination());

  it("adds the sender's MSISDN to list_id, and creates the subscriber only once", async () => {
    await world.smsRule();
    await receive('hello');
    await receive('again', { from: `+${SENDER}` });
    expect(await on(world.things.list)).toEqual([SENDER]);
    expect(await subscribers()).toHaveLength(1);
  });

  it.each([
    ['ann@example.net', ['ann@example.net']],
    ['join Ann@Example.net please', ['ann@example.net']],
    ['I am <ann@example.net>, hello.', ['ann@example.net']],
    ['me: ann@example.net!', ['ann@example.net']],
    ['no address', []],
    ['ann@nowhere', []],
  ])('adds the e-mail address in %j to email_list_id', async (text, expected) => {
    await world.smsRule({ email_list_id: world.things.otherList });
    await receive(text);
    expect(await on(world.things.otherList)).toEqual(expected);
    expect(await on(world.things.list)).toEqual([SENDER]);
  });

  it('uses the existing subscriber with that address', async () => {
    const ann = await world.subscriber({ email: 'ann@example.net', msisdn: SENDER });
    await world.smsRule({ email_list_id: world.things.otherList });
    await receive('ann@example.net');
    expect(await world.lists(ann)).toEqual([world.things.list, world.things.otherList]);
    expect(await subscribers()).toHaveLength(1);
  });

  it('adds no one on Do Not Contact, and sends them no answer', async () => {
    const block = (contactdata: string) =>
      world.sandbox.put('do_not_contact', { account_id: IDS.company, contactdata, cdate: NOW });
    await block(SENDER);
    await block('example.net');
    await world.smsRule({ email_list_id: world.things.otherList, message_id: world.things.sms });
    await receive('ann@example.net');
    await world.advance(60);
    expect([await subscribers(), await deliveries()]).toEqual([[], []]);
    expect(await world.log()).toEqual([
      `sms 1: ${SENDER} not added to list ${world.things.list}: on Do Not Contact`,
      `sms 1: ann@example.net not added to list ${world.things.otherList}: on Do Not Contact`,
    ]);
  });

  it('adds no one beyond subscriber_limit', async () => {
    await world.subscriber();
    await world.account({ subscriber_limit: 1 });
    await world.smsRule();
    await receive('hello');
    expect(await subscribers()).toHaveLength(1);
    expect(await world.log()).toEqual([
      `sms 1: ${SENDER} not added to list ${world.things.list}: The account's subscriber_limit of 1 is reached`,
    ]);
  });

  it('triggers the subscription rules of the list', async () => {
    await world.rule('subscription', { name: 'New one' });
    await world.smsRule();
    await receive('hello');
    await world.advance(0);
    expect(await deliveries()).toEqual([expect.objectContaining({ subject: 'New one' })]);
  });
});

describe('the auto-responder', () => {
  beforeEach(() => destination());

  it.each([
    ['only message_id', { message_actiontimediff: 0, message_actiononweekend: 1 }, 0],
    ['an offset in seconds', { message_actiontimediff: 90 }, 90],
    ['an hour', { message_actiontimediff: 0, message_actionhour: '10:00:00' }, 3600],
    // NOW is a Tuesday, 09:00: four days later is Saturday.
    ['a weekend', { message_actiontimediff: 4 * 86_400, message_actiononweekend: 1 }, 4 * 86_400],
    ['no weekend', { message_actiontimediff: 4 * 86_400, message_actiononweekend: 0 }, 6 * 86_400],
  ])('%s: sent to the sender at its time', async (_, more, due) => {
    await world.smsRule({ message_id: world.things.sms, ...more });
    await receive('hello');
    expect(await world.queued()).toEqual([due]);
    await world.advance(due);
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        channel: 'sms',
        recipient: SENDER,
        body: 'Hi',
        time: NOW + due,
        cause: 'rule',
        cause_id: 1,
        rule_kind: 'sms',
      }),
    ]);
    expect(await world.credits()).toEqual({ email: 1000, sms: 999 });
  });

  it('completes if the rule is paused, and is aborted if it is deleted', async () => {
    const more = { message_id: world.things.sms, message_actiontimediff: 60 };
    const paused = await world.smsRule({ ...more, keyword: 'ONE' });
    const deleted = await world.smsRule({ ...more, keyword: 'TWO' });
    await receive('one');
    await receive('two');
    await world.sandbox.send('admin', 'PUT', `/v1/smsAutomation/${paused}`, { paused: true });
    await world.sandbox.send('admin', 'DELETE', `/v1/smsAutomation/${deleted}`);
    await world.advance(3600);
    expect((await deliveries()).map((row) => row['cause_id'])).toEqual([paused]);
  });
});

describe('notifymsisdn, notifyemail, notifyurl', () => {
  beforeEach(() => destination());

  it('forwards the content to the number and the address, at once', async () => {
    await world.smsRule({ notifymsisdn: '447700900777', notifyemail: 'office@example.com' });
    await receive('Hello there');
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        channel: 'sms',
        recipient: '447700900777',
        sender: SHORTCODE,
        body: 'Hello there',
      }),
      expect.objectContaining({
        channel: 'notification',
        recipient: 'office@example.com',
        subject: `SMS from ${SENDER} to ${SHORTCODE}`,
        body: 'Hello there',
      }),
    ]);
    expect(await world.credits()).toEqual({ email: 1000, sms: 999 });
  });

  it('requests a GET of the URL, and records it', async () => {
    await world.smsRule({ notifyurl: 'http://127.0.0.1:9000/in?x=1#y' });
    await receive('Hello there');
    const url = `http://127.0.0.1:9000/in?x=1&to=${SHORTCODE}&from=${SENDER}&text=Hello+there&keyword=&time=${NOW}`;
    expect(world.effects).toEqual([{ url, deliveryId: 1 }]);
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        channel: 'notification',
        recipient: url,
        body: `GET ${url}`,
        rule_kind: 'sms',
      }),
    ]);
  });

  it('a sender on Do Not Contact is still reported, but a blocked number gets nothing', async () => {
    for (const contactdata of [SENDER, '447700900777'])
      await world.sandbox.put('do_not_contact', { account_id: IDS.company, contactdata, cdate: NOW });
    await world.smsRule({ notifymsisdn: '447700900777', notifyemail: 'office@example.com' });
    await receive('Hello there');
    expect((await deliveries()).map((row) => row['recipient'])).toEqual(['office@example.com']);
    expect(await world.log()).toContain(
      `sms 1: SMS from ${SENDER} not forwarded to 447700900777: on Do Not Contact`,
    );
  });
});
