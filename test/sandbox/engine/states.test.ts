/**
 * One scenario for every row of the interface's "States and transitions" and of its two tables of "Events". Each one checks
 * the changes of the whole store, and so also what did not change. Other files have more cases of a row:
 *
 * | row | here | more in |
 * | --- | --- | --- |
 * | task scheduled → cancelled | a cancelled scheduled task | behaviours/task, engine/sending |
 * | task completed, cancelled=true: rejected | a completed task can't be cancelled | behaviours/task |
 * | task scheduled → completed | a task that is sent | engine/sending, engine/tick |
 * | message editable → used by a task | a message that a task references | behaviours/email-message, behaviours/sms-message |
 * | e-mail message → associated to a rule | an e-mail message that a rule names | behaviours/timed-automation (rule 7) |
 * | e-mail message of the Classic Editor, Campaign Designer | an e-mail message of editor 2 and 3 | behaviours/email-message |
 * | message DELETE while a task references it | a message that is deleted while its task exists | engine/sending |
 * | rule active → paused | a paused rule | engine/automations |
 * | rule active → its list or folder is deleted | a rule whose list is deleted | behaviours/timed-automation, behaviours/folder |
 * | rule paused → active | a resumed rule | behaviours/timed-automation, behaviours/sms-automation |
 * | rule paused, dependent gone: 409, subcode 12 | a rule that cannot be resumed | behaviours/timed-automation |
 * | rule DELETE | deleting a rule | engine/automations |
 * | user unlocked → locked | three consecutive failed logins | control, verify |
 * | account unlocked → locked | a locked account | behaviours/account-features, verify |
 * | sms awaiting → dispatched, failed | a single SMS | engine/sending |
 * | trigger click, open, subscription, date, inbound SMS | a trigger | engine/automations |
 * | actions add, copy, move, remove, auto-responders, notify | an action | engine/automations |
 */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventSimulationOperations } from '../../../src/sandbox/control/events.ts';
import { receiveSms } from '../../../src/sandbox/engine/automations/inbound-sms.ts';
import type { recordRecipientEvent } from '../../../src/sandbox/engine/events.ts';
import { accountById } from '../../../src/sandbox/store/accounts.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { createEngineWorld, type EngineWorld, eventOf } from '../../support/automation-engine.ts';
import { KINDS, table, target } from '../../support/automations.ts';
import { changesOf } from '../../support/changes.ts';
import { event, settle } from '../../support/engine.ts';
import { type Answer, IDS, NOW } from '../../support/sandbox.ts';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const changes = (step: () => Promise<unknown>) => changesOf(world.sandbox, step);
const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer> =>
  world.sandbox.send('admin', method, `/v1/${path}`, body);
const ok = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<void> => {
  const { status, text } = await send(method, path, body);
  expect([path, status < 300, text]).toEqual([path, true, text]);
};

async function subscribed(): Promise<number> {
  const id = await world.subscriber();
  await world.sandbox.put('subscription', { list_id: world.things.list, subscriber_id: id, cdate: NOW });
  return id;
}

const makeTask = (more: object = {}) =>
  ok('POST', 'task', {
    channel: 'email',
    message_id: world.things.email,
    name: 'Task',
    list_id: world.things.list,
    search_id: null,
    scheduledtime: NOW + 600,
    ...more,
  });

describe('task', () => {
  it('a cancelled scheduled task has an endtime, and nothing is ever sent', async () => {
    await subscribed();
    await makeTask();
    expect(await changes(() => ok('PUT', 'task/1', { cancelled: true }))).toEqual({
      task: ['1 cancelled 0→1', `1 endtime null→${NOW}`, `1 due ${NOW + 600}→null`],
    });
    expect(await changes(() => world.advance(90_000))).toEqual({});
  });

  it('a completed task can’t be cancelled: 409, and nothing has changed', async () => {
    await subscribed();
    await makeTask({ scheduledtime: NOW });
    await settle(world.sandbox);
    let status = 0;
    const changed = await changes(async () => {
      ({ status } = await send('PUT', 'task/1', { cancelled: true }));
    });
    expect([status, changed]).toEqual([409, {}]);
  });

  it('a task that is sent has a contact record for each recipient, credits and endtime', async () => {
    const id = await subscribed();
    await world.subscriber();
    await makeTask();
    expect(await changes(() => world.advance(599))).toEqual({});
    expect(await changes(() => world.advance(600))).toEqual({
      account: ['1 emailcreditbalance 1000→999'],
      task: [
        '1 completed 0→1',
        `1 endtime null→${NOW + 600}`,
        `1 due ${NOW + 600}→null`,
        `1 cursor 0→${id}`,
        '1 started 0→1',
        '1 sent 0→1',
        '1 credits 0→1',
      ],
      task_recipient: [`+1-${id}`],
    });
  });
});

describe('message', () => {
  it.each(['email', 'sms'] as const)(
    'an %s message that a task references is used: 423 subcode 10',
    async (channel) => {
      const { things } = world;
      const message = things[channel];
      const resource = `${channel}Message/${message}`;
      expect(await changes(() => makeTask({ channel, message_id: message }))).toEqual({
        task: ['+1'],
        [`${channel}_message`]: [`${message} editable 1→0`, `${message} used 0→1`],
      });
      let answer: Answer | undefined;
      const changed = await changes(async () => {
        answer = await send('PUT', resource, { name: 'Other' });
      });
      expect([answer?.status, answer?.response['subcode'], changed]).toEqual([423, 10, {}]);
    },
  );

  it.each([
    [
      'actiontarget',
      (message: number) => ({ actiontype: 'email_autoresponder', actiontarget: String(message) }),
    ],
    ['message_id', (message: number) => ({ message_id: message })],
    ['link_id', () => ({ link_id: 1, message_id: null })],
  ])('an e-mail message that a rule names by %s is not editable and not used', async (_, names) => {
    const { email, otherEmail } = world.things;
    const rule = { actiontype: 'notify', actiontarget: 'a@example.com', name: 'R', summary: null };
    const watched = { link_id: null, message_id: otherEmail };
    const changed = await changes(() =>
      ok('POST', 'clickAutomation', { ...rule, ...watched, ...names(email) }),
    );
    expect(changed['click_automation']).toEqual(['+1']);
    expect(changed['email_message']).toContain(`${email} editable 1→0`);
    expect(Object.keys(changed).sort()).toEqual(['click_automation', 'email_message']);
    expect((changed['email_message'] ?? []).filter((line) => !line.endsWith(' editable 1→0'))).toEqual([]);
  });

  it.each([2, 3])('an e-mail message of editor %i is not editable via the API', async (editor) => {
    const { email } = world.things;
    const content = {
      fromemail: null,
      fromname: 'F',
      html: '<p>x</p>',
      name: 'N',
      replyemail: 'a@example.com',
    };
    await ok('POST', 'emailMessage', { ...content, subject: 'S', text: 'T', editor });
    const made = (await world.sandbox.rows('email_message')).at(-1);
    expect(made).toMatchObject({ editable: 0, used: 0, editor });
    let status = 0;
    const changed = await changes(async () => {
      ({ status } = await send('PUT', `emailMessage/${made?.['id']}`, { name: 'Other' }));
    });
    expect([status, changed]).toEqual([423, {}]);
    await ok('PUT', `emailMessage/${email}`, { name: 'Other' });
  });

  it.each(['email', 'sms'] as const)(
    'an %s message that is deleted while its task exists is hidden, and sent',
    async (channel) => {
      const { things } = world;
      const message = things[channel];
      const id = await subscribed();
      await makeTask({ channel, message_id: message });
      await world.sandbox.at(60);
      expect(await changes(() => ok('DELETE', `${channel}Message/${message}`))).toEqual({
        [`${channel}_message`]: [`${message} deleted 0→1`, `${message} mdate ${NOW}→${NOW + 60}`],
      });
      expect((await world.sandbox.send('admin', 'GET', `/v1/${channel}Message/${message}`)).status).toBe(404);
      expect((await changes(() => world.advance(600)))['task_recipient']).toEqual([`+1-${id}`]);
    },
  );
});

describe('automation rule', () => {
  it.each(KINDS)('a paused %s rule completes its queued actions, and adds none', async (kind) => {
    const { things } = world;
    const id = await world.subscriber();
    const rule = await world.rule(kind, { actiontimediff: kind === 'subscription' ? 10 : 600 });
    const trigger = eventOf(kind, things, rule);
    expect(await changes(() => world.fire(trigger, id))).toEqual({ queued_action: ['+1'] });
    await world.sandbox.at(60);
    expect(await changes(() => ok('PUT', `${kind}Automation/${rule}`, { paused: true }))).toEqual({
      [table(kind)]: [`${rule} paused 0→1`, `${rule} mdate ${NOW}→${NOW + 60}`],
    });
    expect(await changes(() => world.fire(trigger, id))).toEqual({});
    expect(await changes(() => world.advance(600))).toEqual({ delivery: ['+1'], queued_action: ['-1'] });
  });

  it.each(['list', 'folder'] as const)(
    'a rule whose list is deleted with a %s is paused, others are not',
    async (what) => {
      const { things } = world;
      const watching = await world.rule('subscription', { list_id: things.list });
      const adding = await world.rule('click', {
        actiontype: 'addtolist',
        actiontarget: String(things.list),
      });
      const other = await world.rule('open');
      const answering = await world.smsRule({ list_id: things.list });
      const step =
        what === 'folder'
          ? () => ok('DELETE', `folder/${things.folder}`)
          : async () => {
              const { deleteList } = await import('../../../src/sandbox/store/lists.ts');
              await deleteList(world.db, { id: things.list, account_id: IDS.company }, NOW);
            };
      const changed = await changes(step);
      expect(changed).toMatchObject({
        subscription_automation: [`${watching} paused 0→1`],
        click_automation: [`${adding} paused 0→1`],
        sms_automation: [`${answering} paused 0→1`],
      });
      expect(await world.sandbox.rows('open_automation')).toMatchObject([{ id: other, paused: 0 }]);
      const gone = what === 'folder' ? ['folder', 'folder_access', 'list'] : ['list'];
      const rules = ['click_automation', 'sms_automation', 'subscription_automation'];
      expect(Object.keys(changed).sort()).toEqual([...gone, ...rules].sort());
    },
  );

  it.each(KINDS)('a resumed %s rule is active again', async (kind) => {
    const rule = await world.rule(kind, { paused: 1 });
    await world.sandbox.at(60);
    expect(await changes(() => ok('PUT', `${kind}Automation/${rule}`, { paused: false }))).toEqual({
      [table(kind)]: [`${rule} paused 1→0`, `${rule} mdate ${NOW}→${NOW + 60}`],
    });
    const id = await world.subscriber();
    expect(await changes(() => world.fire(eventOf(kind, world.things, rule), id))).toEqual({
      queued_action: ['+1'],
    });
  });

  it.each(KINDS)('a %s rule that cannot be resumed: 409 subcode 12, it stays paused', async (kind) => {
    const { things } = world;
    const made = { paused: 1, actiontype: 'email_autoresponder', actiontarget: String(things.deletedEmail) };
    const rule = await world.rule(kind, made);
    let answer: Answer | undefined;
    const changed = await changes(async () => {
      answer = await send('PUT', `${kind}Automation/${rule}`, { paused: false });
    });
    expect([answer?.status, answer?.response['subcode'], changed]).toEqual([409, 12, {}]);
    expect(String(answer?.response['message'])).toMatch(
      new RegExp(
        `^Automation Rule ${rule} cannot be unpaused: Dependent .* ${things.deletedEmail} no longer exists$`,
      ),
    );
  });

  it.each(KINDS)('deleting a %s rule aborts its queued actions, and not those of others', async (kind) => {
    const id = await world.subscriber();
    const rule = await world.rule(kind, { actiontimediff: 60 });
    const other = await world.rule(kind, { actiontimediff: 60 });
    await world.fire(eventOf(kind, world.things, rule), id);
    if (kind === 'date') await world.fire(eventOf(kind, world.things, other), id);
    expect(await changes(() => send('DELETE', target(kind).slice('/v1/'.length).concat(`/${rule}`)))).toEqual(
      {
        [table(kind)]: [`-${rule}`],
        queued_action: ['-1'],
      },
    );
    expect(await changes(() => world.advance(90_000))).toEqual({ delivery: ['+1'], queued_action: ['-2'] });
  });
});

describe('user, account, and single SMS', () => {
  it('three consecutive failed logins lock the user, and no one else', async () => {
    const { db } = world;
    const account = await accountById(db, IDS.company);
    if (!account) throw new Error('the company is gone');
    const call = {
      db,
      account,
      now: NOW,
      trackingBaseUrl: '',
      random: randomBytes,
      naming: DEFAULT_WIRE_NAMING,
    };
    const fail = () => eventSimulationOperations['event failed-login'](call, { username: 'sub' });
    expect(await changes(fail)).toEqual({ user: ['2 failed_logins 0→1'] });
    expect(await changes(fail)).toEqual({ user: ['2 failed_logins 1→2'] });
    expect(await changes(fail)).toEqual({ user: ['2 locked 0→1', '2 failed_logins 2→3'] });
    expect((await world.sandbox.send('sub', 'GET', '/v1/folder')).status).toBe(403);
    expect((await world.sandbox.send('admin', 'GET', `/v1/user/${IDS.sub}`)).data['locked']).toBe(true);
  });

  it('a locked account: its users and their calls are refused, and its data stays', async () => {
    const lock = () =>
      world.sandbox.send('partner', 'PUT', `/v1/accountFeatures/${IDS.company}`, { locked: true });
    await world.sandbox.at(60);
    const changed = await changes(lock);
    expect(Object.keys(changed)).toEqual(['account']);
    expect(changed['account']).toContain('1 locked 0→1');
    expect((changed['account'] ?? []).filter((line) => !/^1 (?:locked|mdate) /.test(line))).toEqual([]);
    let statuses: readonly number[] = [];
    const after = await changes(async () => {
      statuses = [
        (await world.sandbox.send('admin', 'GET', '/v1/folder')).status,
        (await world.sandbox.send('sub', 'POST', '/v1/folder', { name: 'F' })).status,
        (await world.sandbox.send('other', 'GET', '/v1/account')).status,
      ];
    });
    expect([statuses, after]).toEqual([[403, 403, 200], {}]);
  });

  it.each([
    ['dispatched', '447700900123', { delivery: ['+1'] }],
    ['failed after two weeks', '12025550190', { log: ['+1'] }],
  ])('a single SMS awaits dispatch, then is %s; it has no contact record', async (_, msisdn, more) => {
    const sms = { msisdn, fromaddress: 'Company', message: 'Hi', senddate: NOW + 60 };
    expect(await changes(() => ok('POST', 'sms', sms))).toEqual({ sms: ['+1'] });
    const changed = await changes(() => world.advance(15 * 86_400));
    expect(changed).toMatchObject({ account: ['1 smscreditbalance 1000→999'], ...more });
    expect(Object.keys(changed).sort()).toEqual(['account', 'sms', ...Object.keys(more)].sort());
  });
});

describe('a trigger queues its rules’ actions and no other’s', () => {
  const record = (what: Parameters<typeof recordRecipientEvent>[2]) => () => event(world.sandbox, what);

  it.each([
    ['the given link', { link_id: 1, message_id: null }, { queued_action: ['+1'] }],
    ['any link of the given message', { link_id: null, message_id: 1 }, { queued_action: ['+1'] }],
    ['another link', { link_id: 2, message_id: null }, {}],
    ['another message', { link_id: null, message_id: 2 }, {}],
  ])('a click: %s', async (_, watched, expected) => {
    const subscriberId = await world.subscriber();
    await world.rule('click', watched);
    await world.rule('open');
    expect(await changes(record({ kind: 'click', linkId: 1, subscriberId }))).toEqual(expected);
  });

  it('an open: the message in message_id', async () => {
    const subscriberId = await world.subscriber();
    await world.rule('open');
    await world.rule('open', { message_id: world.things.otherEmail });
    await world.rule('click');
    const messageId = world.things.email;
    expect(await changes(record({ kind: 'open', messageId, subscriberId }))).toEqual({
      queued_action: ['+1'],
    });
  });

  it('a new subscription to the list in list_id; an existing one does not count', async () => {
    const { list, otherList } = world.things;
    const subscriberId = await world.subscriber();
    await world.rule('subscription');
    await world.rule('subscription', { list_id: otherList });
    const subscribe = record({ kind: 'subscription', listId: list, subscriberId });
    expect(await changes(subscribe)).toEqual({
      subscription: [`+${list}-${subscriberId}`],
      queued_action: ['+1'],
    });
    expect(await changes(subscribe)).toEqual({});
  });

  it.each([
    [-86_400, -86_400],
    [0, 0],
    [86_400, 86_400],
  ])('a date: %i seconds from it', async (actiontimediff, offset) => {
    const id = await world.subscriber();
    const rule = await world.rule('date', { actiontimediff });
    await world.rule('date', { actiontimediff });
    const date = NOW + 10 * 86_400;
    const reached = () => world.fire({ kind: 'date', ruleId: rule, time: date }, id);
    expect(await changes(reached)).toEqual({ queued_action: ['+1'] });
    expect(await world.queued()).toEqual([10 * 86_400 + offset]);
  });

  it('an inbound SMS: destination, keyword and sub-keyword without regard to case; null catches the rest', async () => {
    const { list } = world.things;
    const destination = { account_id: IDS.company, destination: '60777', isshortcode: 1, keyword: 'SHOP' };
    await world.sandbox.put('sms_destination', destination);
    const named = await world.smsRule({ keyword: 'coffee', message_id: world.things.sms });
    const rest = await world.smsRule({ keyword: null });
    const receive = (text: string, to = '60777') =>
      receiveSms(world.db, { to, from: '447700900555', text }, IDS.company, NOW, {
        requestAfterCommit: () => undefined,
      });
    let matched: unknown;
    const first = await changes(async () => {
      matched = await receive('shop COFFEE please');
    });
    expect(matched).toMatchObject({ accountId: IDS.company, ruleIds: [named] });
    expect(first).toEqual({ subscriber: ['+1'], subscription: [`+${list}-1`], queued_action: ['+1'] });
    const second = await changes(async () => {
      matched = await receive('Shop anything');
    });
    expect(matched).toMatchObject({ accountId: IDS.company, ruleIds: [rest] });
    expect(second).toEqual({});
    expect(await changes(() => receive('bakery coffee'))).toEqual({ log: ['+1'] });
    expect(await changes(() => receive('shop coffee', '60778'))).toEqual({ log: ['+2'] });
  });
});

describe('an action does its own work and no other', () => {
  it.each([
    ['click', 'addtolist', { subscription: ['+2-1'] }],
    ['open', 'addtolist', { subscription: ['+2-1'] }],
    ['date', 'addtolist', { subscription: ['+2-1'] }],
    ['subscription', 'copytolist', { subscription: ['+2-1'] }],
    ['subscription', 'movetolist', { subscription: ['-1-1', '+2-1'] }],
    ['subscription', 'removefromlist', { subscription: ['-1-1'] }],
  ] as const)('%s: %s', async (kind, actiontype, expected) => {
    const { things } = world;
    expect([things.list, things.otherList]).toEqual([1, 2]);
    const id = await subscribed();
    const actiontarget = actiontype === 'removefromlist' ? '0' : String(things.otherList);
    const rule = await world.rule(kind, { actiontype, actiontarget, actiontimediff: 1 });
    await world.fire(eventOf(kind, things, rule), id);
    expect(await changes(() => world.advance(600))).toEqual({ ...expected, queued_action: ['-1'] });
  });

  it.each(KINDS.flatMap((kind) => (['email', 'sms'] as const).map((channel) => [kind, channel] as const)))(
    '%s: %s auto-responder',
    async (kind, channel) => {
      const { things } = world;
      const id = await world.subscriber();
      const actiontarget = String(things[channel]);
      const rule = await world.rule(kind, { actiontype: `${channel}_autoresponder`, actiontarget });
      await world.fire(eventOf(kind, things, rule), id);
      expect(await changes(() => world.advance(0))).toEqual({
        account: [`1 ${channel}creditbalance 1000→999`],
        delivery: ['+1'],
        queued_action: ['-1'],
      });
    },
  );

  it.each(KINDS)('%s: notify, which is free', async (kind) => {
    const id = await world.subscriber();
    const rule = await world.rule(kind);
    await world.fire(eventOf(kind, world.things, rule), id);
    expect(await changes(() => world.advance(0))).toEqual({ delivery: ['+1'], queued_action: ['-1'] });
    expect(await world.sandbox.rows('delivery')).toMatchObject([
      { channel: 'notification', recipient: 'office@example.com' },
    ]);
  });
});
