import { beforeEach, describe, expect, it } from 'vitest';
import type { Values } from '../../../src/kit/schema/resource.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { assignments } from '../../../src/sandbox/store/rows.ts';
import {
  createWorld,
  KINDS,
  LIST_ACTION,
  listRule,
  notice,
  own,
  type Things,
  type TimedKind,
  table,
  target,
  type World,
} from '../../support/automations.ts';
import { type Answer, type As, IDS, NOW } from '../../support/sandbox.ts';

let world: World;
let things: Things;
beforeEach(async () => {
  world = await createWorld();
  things = world.things;
});

const send: World['sandbox']['send'] = (...request) => world.sandbox.send(...request);
const post = (kind: TimedKind, body: Values, as: As = 'admin') => send(as, 'POST', target(kind), body);
const rules = (kind: TimedKind) => world.sandbox.rows(table(kind));
const attributesIn = (answer: Answer) =>
  (answer.response['additional_information'] as readonly { attribute: string }[]).map(
    ({ attribute }) => attribute,
  );

/** Makes the rule and returns its id. */
async function made(kind: TimedKind, body: Values, as: As = 'admin'): Promise<number> {
  const answer = await post(kind, body, as);
  expect(answer.status, answer.text).toBe(202);
  return Number(answer.data['id']);
}

async function refusedPost(kind: TimedKind, body: Values, status: number, as: As = 'admin') {
  const answer = await post(kind, body, as);
  expect(answer.status, answer.text).toBe(status);
  expect(await rules(kind)).toEqual([]);
  return answer;
}

/** Sends a PUT that must be refused, and checks that the rule has not changed. */
async function refusedPut(kind: TimedKind, id: number, body: Values, status: number, as: As = 'admin') {
  const before = await rules(kind);
  await world.sandbox.at(60);
  const answer = await send(as, 'PUT', `${target(kind)}/${id}`, body);
  expect(answer.status, answer.text).toBe(status);
  expect(await rules(kind)).toEqual(before);
  return answer;
}

const OWN = { click: ['link_id', 'message_id'], open: ['message_id'], subscription: ['list_id'], date: [] };

const REMOVAL = { actiontype: 'removefromlist', actiontarget: '0' };
const FOREIGN_ACTION = {
  click: REMOVAL,
  open: REMOVAL,
  subscription: { actiontype: 'addtolist', actiontarget: '1' },
  date: REMOVAL,
};

describe.each(KINDS)('%sAutomation: methods', (kind) => {
  it('POST creates a rule with its defaults and returns 202 with the whole object', async () => {
    const answer = await post(kind, notice(kind, things), 'sub');
    expect(answer.status).toBe(202);
    expect(answer.data).toEqual({
      id: 1,
      ...own(kind, things),
      actiononweekend: true,
      actiontarget: 'office@example.com',
      actionhour: null,
      actiontimediff: 0,
      actiontype: 'notify',
      name: 'Rule',
      paused: false,
      summary: null,
      user_id: IDS.sub,
      cdate: NOW,
      mdate: NOW,
    });
  });

  it('GET, its F attributes and HEAD find the rule; another company does not', async () => {
    const id = await made(kind, notice(kind, things));
    for (const query of ['', '?name=Rule', '?paused=false', '?actiononweekend=true', `?user_id=${IDS.admin}`])
      expect((await send('sub', 'GET', `${target(kind)}${query}`)).list, query).toHaveLength(1);
    expect((await send('admin', 'HEAD', `${target(kind)}?name=Rule&paused=false`)).status).toBe(200);
    expect((await send('admin', 'HEAD', `${target(kind)}?paused=true`)).status).toBe(404);
    expect((await send('other', 'GET', `${target(kind)}/${id}`)).status).toBe(404);
  });

  it.each([...OWN[kind], 'actiontarget', 'actiontype', 'name', 'summary'])(
    'POST requires %s',
    async (attribute) => {
      const { [attribute]: _, ...body } = notice(kind, things);
      expect(attributesIn(await refusedPost(kind, body, 400))).toContain(attribute);
    },
  );

  it('PUT changes only attributes that were sent', async () => {
    const id = await made(kind, notice(kind, things));
    await world.sandbox.at(60);
    const before = (await send('admin', 'GET', `${target(kind)}/${id}`)).data;
    const answer = await send('sub', 'PUT', `${target(kind)}/${id}`, { name: 'New', paused: true });
    expect([answer.status, answer.data]).toEqual([
      200,
      { ...before, name: 'New', paused: true, mdate: NOW + 60 },
    ]);
  });

  it.each([
    ['an actiontype of no kind', { actiontype: 'dance' }, ['actiontype']],
    ["another kind's actiontype", FOREIGN_ACTION[kind], ['actiontype']],
    ['an invalid hour', { actionhour: '09:30:00', actiononweekend: true }, ['actionhour']],
    ['an offset that is not a whole number', { actiontimediff: 1.5 }, ['actiontimediff']],
    ['user_id, which is read-only', { user_id: 2 }, ['user_id']],
    ['name null', { name: null }, ['name']],
  ])('POST rejects %s with 400', async (_, more, attributes) => {
    const answer = await refusedPost(kind, notice(kind, things, more), 400);
    expect(attributesIn(answer)).toEqual(attributes);
  });

  it('automation_limit counts the four kinds together: 409 with its name', async () => {
    await world.sandbox.service.store.db.run(sql`update account set automation_limit = 2`);
    await made('click', notice('click', things));
    await made('date', notice('date', things));
    const before = await rules(kind);
    const answer = await post(kind, notice(kind, things));
    expect(answer.status).toBe(409);
    expect(answer.response).toMatchObject({
      subcode: null,
      message: "The account's automation_limit of 2 is reached",
    });
    expect(await rules(kind)).toEqual(before);
  });
});

describe.each(KINDS)('%sAutomation, rule 1: actiononweekend', (kind) => {
  it.each([
    ['actionhour', { actionhour: '09:00:00' }],
    ['actiontimediff', { actiontimediff: 1440 }],
  ])('is required when %s is set', async (_, more) => {
    expect(attributesIn(await refusedPost(kind, notice(kind, things, more), 400))).toEqual([
      'actiononweekend',
    ]);
  });

  it.each([
    ['with actiontimediff 0', { actiontimediff: 0 }],
    ['with actionhour null', { actionhour: null }],
  ])('is not required %s: defaults to true', async (_, more) => {
    expect((await post(kind, notice(kind, things, more))).data['actiononweekend']).toBe(true);
  });

  it('cannot be false if neither is set', async () => {
    await refusedPost(kind, notice(kind, things, { actiononweekend: false }), 400);
    const id = await made(kind, notice(kind, things));
    await refusedPut(kind, id, { actiononweekend: false }, 400);
  });

  it.each([
    { actionhour: '09:00:00', actiononweekend: false },
    { actiontimediff: 1440, actiononweekend: false },
  ])('may be false with %j; true again if neither is left', async (more) => {
    const id = await made(kind, notice(kind, things, more));
    const cleared = { actionhour: null, actiontimediff: 0 };
    await refusedPut(kind, id, { ...cleared, actiononweekend: false }, 400);
    const answer = await send('admin', 'PUT', `${target(kind)}/${id}`, cleared);
    expect(answer.data).toMatchObject({ ...cleared, actiononweekend: true });
  });
});

describe.each(KINDS)('%sAutomation, rules 2 to 4: actiontimediff and actionhour', (kind) => {
  it('2: may be 0 with no actionhour for a notice', async () => {
    await made(kind, notice(kind, things, { actiontimediff: 0 }));
  });

  it.each([{ actiontimediff: 0 }, { actiontimediff: undefined }])(
    '3: must be non-zero for a list action: %j',
    async ({ actiontimediff }) => {
      const { actiontimediff: _, ...body } = listRule(kind, things);
      const answer = await refusedPost(
        kind,
        actiontimediff === undefined ? body : { ...body, actiontimediff },
        400,
      );
      expect(attributesIn(answer)).toEqual(['actiontimediff']);
      const id = await made(kind, listRule(kind, things));
      await refusedPut(kind, id, { actiontimediff: 0 }, 400);
    },
  );

  it('3: 0 or greater; date rules may be negative', async () => {
    const body = notice(kind, things, { actiontimediff: -60, actiononweekend: true });
    if (kind === 'date') await made(kind, body);
    else expect(attributesIn(await refusedPost(kind, body, 400))).toEqual(['actiontimediff']);
  });

  it.each([
    [0, 202],
    [1440, 202],
    [2880, 202],
    [-1440, kind === 'date' ? 202 : 400],
    [1439, 400],
    [60, 400],
    [-720, 400],
  ])('4: with actionhour, an offset of %i', async (actiontimediff, status) => {
    const body = notice(kind, things, { actiontimediff, actionhour: '09:00:00', actiononweekend: true });
    const answer = await post(kind, body);
    expect(answer.status).toBe(status);
    if (status === 400) expect(attributesIn(answer)).toEqual(['actiontimediff']);
    expect(await rules(kind)).toHaveLength(status === 202 ? 1 : 0);
  });

  it('4: also rejects setting the hour of a rule with another offset', async () => {
    const id = await made(kind, notice(kind, things, { actiontimediff: 60, actiononweekend: true }));
    await refusedPut(kind, id, { actionhour: '09:00:00' }, 400);
  });
});

describe.each(KINDS)('%sAutomation: actiontarget', (kind) => {
  it.each([
    ['an unknown list', 'list', '999'],
    ['no id', 'list', 'News'],
    ['an unknown e-mail message', 'email_autoresponder', '999'],
    ['an unknown SMS message', 'sms_autoresponder', '999'],
    ['no e-mail address', 'notify', 'office'],
    ['an id instead of an address', 'notify', '1'],
  ])('%s: 400 with its name', async (_, action, actiontarget) => {
    const actiontype = action === 'list' ? LIST_ACTION[kind] : action;
    const answer = await refusedPost(kind, listRule(kind, things, { actiontype, actiontarget }), 400);
    expect(attributesIn(answer)).toEqual(['actiontarget']);
  });

  it('of another company or deleted: 400', async () => {
    for (const [actiontype, id] of [
      [LIST_ACTION[kind], things.foreignList],
      ['email_autoresponder', things.deletedEmail],
      ['sms_autoresponder', things.deletedSms],
    ] as const)
      await refusedPost(kind, listRule(kind, things, { actiontype, actiontarget: String(id) }), 400);
  });

  it('an id is stored in its plain form, and may be changed for a list', async () => {
    const id = await made(kind, listRule(kind, things, { actiontarget: `00${things.otherList}` }));
    expect((await rules(kind))[0]).toMatchObject({ actiontarget: String(things.otherList) });
    const changed = await send('admin', 'PUT', `${target(kind)}/${id}`, {
      actiontarget: String(things.hiddenList),
    });
    expect(changed.data['actiontarget']).toBe(String(things.hiddenList));
    expect(attributesIn(await refusedPut(kind, id, { actiontarget: '999' }, 400))).toEqual(['actiontarget']);
  });

  it.each([
    ['enableemail', 'email_autoresponder'],
    ['enablesms', 'sms_autoresponder'],
  ] as const)('403 with the name %s if the account lacks it', async (feature, actiontype) => {
    await world.sandbox.service.store.db.run(sql`update account set ${assignments({ [feature]: 0 })}`);
    const answer = await refusedPost(kind, notice(kind, things, { actiontype, actiontarget: '1' }), 403);
    expect(answer.response['message']).toContain(feature);
  });
});

describe.each(KINDS)('%sAutomation, rule 6: only messages the user can access', (kind) => {
  it.each([
    ['email_autoresponder', 'email', 403],
    ['email_autoresponder', 'emailOfSub2', 202],
    ['sms_autoresponder', 'sms', 403],
    ['sms_autoresponder', 'smsOfSub2', 202],
  ] as const)('actiontarget of %s: %s', async (actiontype, message, status) => {
    const body = notice(kind, things, { actiontype, actiontarget: String(things[message]) });
    const answer = await post(kind, body, 'sub2');
    expect(answer.status).toBe(status);
    expect(await rules(kind)).toHaveLength(status === 202 ? 1 : 0);
  });
});

describe.each(['click', 'open'] as const)('%sAutomation, rule 6: message_id', (kind) => {
  it('accepts only a message that the user can access', async () => {
    await refusedPost(kind, notice(kind, things, { message_id: things.email }), 403, 'sub2');
    const id = await made(kind, notice(kind, things), 'sub2');
    await refusedPut(kind, id, { message_id: things.email }, 403, 'sub2');
  });

  it.each(['deletedEmail', 'missing'] as const)('400 for a message that is %s', async (which) => {
    const message_id = which === 'missing' ? 999 : things[which];
    const answer = await refusedPost(kind, notice(kind, things, { message_id }), 400);
    expect(attributesIn(answer)).toEqual(['message_id']);
  });

  it('reports all missing references at once', async () => {
    const answer = await refusedPost(
      kind,
      listRule(kind, things, { message_id: 999, actiontarget: '999' }),
      400,
    );
    expect(attributesIn(answer)).toEqual(['message_id', 'actiontarget']);
  });
});

describe('clickAutomation: link_id and message_id, "only one may be non-null"', () => {
  it('link_id must belong to an accessible message', async () => {
    const withLink = (link_id: number) => notice('click', things, { link_id, message_id: null });
    await refusedPost('click', withLink(things.link), 403, 'sub2');
    expect(attributesIn(await refusedPost('click', withLink(999), 400))).toEqual(['link_id']);
    await made('click', withLink(things.linkOfSub2), 'sub2');
  });

  it.each([
    ['both', true],
    ['neither (wire)', false],
  ])('400 with %s', async (_, both) => {
    const ids = both
      ? { link_id: things.link, message_id: things.email }
      : { link_id: null, message_id: null };
    await refusedPost('click', notice('click', things, ids), 400);
  });

  it('PUT moves from the message to a link when it sets both', async () => {
    const id = await made('click', notice('click', things));
    await refusedPut('click', id, { link_id: things.link }, 400);
    await refusedPut('click', id, { message_id: null }, 400);
    const ids = { link_id: things.link, message_id: null };
    const answer = await send('admin', 'PUT', `/v1/clickAutomation/${id}`, ids);
    expect([answer.status, answer.data]).toEqual([200, expect.objectContaining(ids)]);
  });
});

describe('rule 7: associating an e-mail message with a rule makes it non-editable', () => {
  const locked = async () =>
    (await world.sandbox.rows('email_message'))
      .filter((row) => row['editable'] === 0)
      .map((row) => row['id']);

  it.each(KINDS)('%s: actiontarget of email_autoresponder, on POST and PUT', async (kind) => {
    const answerWith = (id: number) => ({ actiontype: 'email_autoresponder', actiontarget: String(id) });
    const kept = { click: [things.emailOfSub2], open: [things.emailOfSub2], subscription: [], date: [] };
    await made(kind, notice(kind, things, answerWith(things.email)));
    expect((await locked()).sort()).toEqual([things.email, ...kept[kind]].sort());
    const id = await made(kind, notice(kind, things));
    await send('admin', 'PUT', `${target(kind)}/${id}`, answerWith(things.otherEmail));
    expect((await locked()).sort()).toEqual([things.email, things.otherEmail, ...kept[kind]].sort());
    const put = await send('admin', 'PUT', `/v1/emailMessage/${things.otherEmail}`, { name: 'New' });
    expect([put.status, put.response['subcode']]).toEqual([423, 10]);
  });

  it.each(['click', 'open'] as const)('%s: message_id, on POST and PUT', async (kind) => {
    const id = await made(kind, notice(kind, things));
    expect(await locked()).toEqual([things.emailOfSub2]);
    await send('admin', 'PUT', `${target(kind)}/${id}`, { message_id: things.email });
    expect(await locked()).toEqual([things.email, things.emailOfSub2]);
  });

  it("click: the link's message, on POST and PUT", async () => {
    const id = await made('click', notice('click', things, { link_id: things.link, message_id: null }));
    expect(await locked()).toEqual([things.email]);
    await send('admin', 'PUT', `/v1/clickAutomation/${id}`, { link_id: things.linkOfSub2 });
    expect(await locked()).toEqual([things.email, things.emailOfSub2]);
  });

  it('a refused rule locks nothing, and an SMS message stays editable', async () => {
    await refusedPost('open', listRule('open', things, { actiontarget: '999' }), 400);
    await made(
      'date',
      notice('date', things, { actiontype: 'sms_autoresponder', actiontarget: `${things.sms}` }),
    );
    expect(await locked()).toEqual([]);
    expect((await world.sandbox.rows('sms_message')).every((row) => row['editable'] === 1)).toBe(true);
  });
});

describe.each(KINDS)('%sAutomation, rule 8: PUT and auto-responders', (kind) => {
  it.each(['email_autoresponder', 'sms_autoresponder'])(
    '%s keeps type and target: 409',
    async (actiontype) => {
      const message = actiontype === 'email_autoresponder' ? things.email : things.sms;
      const body = notice(kind, things, { actiontype, actiontarget: String(message) });
      const id = await made(kind, body);
      for (const change of [
        { actiontarget: '999' },
        { actiontarget: String(things.otherEmail) },
        { actiontype: 'notify' },
        { actiontype: 'notify', actiontarget: 'office@example.com' },
      ]) {
        const answer = await refusedPut(kind, id, change, 409);
        expect(answer.response['subcode']).toBeNull();
      }
      const same = await send('admin', 'PUT', `${target(kind)}/${id}`, {
        actiontype,
        actiontarget: String(message),
        name: 'New',
      });
      expect([same.status, same.data['name']]).toEqual([200, 'New']);
    },
  );

  it('another rule may become an auto-responder', async () => {
    const id = await made(kind, notice(kind, things));
    const change = { actiontype: 'sms_autoresponder', actiontarget: String(things.sms) };
    expect((await send('admin', 'PUT', `${target(kind)}/${id}`, change)).data).toMatchObject(change);
  });
});

describe.each(KINDS)('%sAutomation, rule 9: folder restrictions', (kind) => {
  it('accepts only lists in folders that the user can access: 403', async () => {
    const hidden = String(things.hiddenList);
    await refusedPost(kind, listRule(kind, things, { actiontarget: hidden }), 403, 'sub2');
    const id = await made(kind, listRule(kind, things), 'sub2');
    await refusedPut(kind, id, { actiontarget: hidden }, 403, 'sub2');
  });

  it('a rule with a hidden list is hidden, until the list is deleted', async () => {
    const id = await made(kind, listRule(kind, things, { actiontarget: String(things.hiddenList) }));
    expect((await send('sub2', 'GET', `${target(kind)}/${id}`)).status).toBe(404);
    expect((await send('sub', 'GET', `${target(kind)}/${id}`)).status).toBe(200);
    await world.sandbox.service.store.db.run(sql`delete from list where id = ${things.hiddenList}`);
    expect((await send('sub2', 'GET', `${target(kind)}/${id}`)).status).toBe(200);
  });
});

describe('subscriptionAutomation, rules 9 and 10: list_id', () => {
  it('must be an existing list that the user can access', async () => {
    const on = (list_id: number) => notice('subscription', things, { list_id });
    for (const missing of [999, things.foreignList])
      expect(attributesIn(await refusedPost('subscription', on(missing), 400))).toEqual(['list_id']);
    await refusedPost('subscription', on(things.hiddenList), 403, 'sub2');
    await made('subscription', on(things.list), 'sub2');
  });

  it.each(['1', '', 'list'])('removefromlist: actiontarget must be 0, not %j', async (actiontarget) => {
    const body = listRule('subscription', things, { actiontype: 'removefromlist', actiontarget });
    await refusedPost('subscription', body, 400);
    await made('subscription', { ...body, actiontarget: '0' });
  });

  it.each(['copytolist', 'movetolist'])('%s: list_id and actiontarget must differ', async (actiontype) => {
    const to = (actiontarget: string) => listRule('subscription', things, { actiontype, actiontarget });
    for (const same of [`${things.list}`, `0${things.list}`])
      await refusedPost('subscription', to(same), 400);
    const id = await made('subscription', to(`${things.otherList}`));
    await refusedPut('subscription', id, { list_id: things.otherList }, 400);
  });
});

describe.each(KINDS)('%sAutomation, rule 11: DELETE', (kind) => {
  const queued = (rule_id: number, rule_kind: string = kind) =>
    world.sandbox.put('queued_action', {
      account_id: IDS.company,
      rule_kind,
      rule_id,
      subscriber_id: 1,
      due: NOW + 60,
      event: '{}',
    });

  it.each([
    ['sub', 'sub', 200],
    ['sub', 'admin', 200],
    ['sub', 'partner', 200],
    ['admin', 'sub', 403],
    ['sub', 'sub2', 403],
  ] as const)('rule of %s, deleted by %s', async (creator, as, status) => {
    const id = await made(kind, notice(kind, things), creator);
    await queued(id);
    const answer = await send(as, 'DELETE', `${target(kind)}/${id}`);
    expect(answer.status).toBe(status);
    expect(await rules(kind)).toHaveLength(status === 200 ? 0 : 1);
    expect(await world.sandbox.rows('queued_action')).toHaveLength(status === 200 ? 0 : 1);
  });

  it('aborts its queued actions and those of no other rule', async () => {
    const id = await made(kind, notice(kind, things));
    await queued(id);
    const others = [await queued(id + 1), await queued(id, 'sms')];
    expect((await send('admin', 'DELETE', `${target(kind)}/${id}`)).data).toEqual({ id });
    expect((await world.sandbox.rows('queued_action')).map((row) => row['id'])).toEqual(others);
  });

  it('a paused rule keeps them', async () => {
    const id = await made(kind, notice(kind, things));
    await queued(id);
    await send('admin', 'PUT', `${target(kind)}/${id}`, { paused: true });
    expect(await world.sandbox.rows('queued_action')).toHaveLength(1);
  });
});

describe('States: "deletion of its list or the list\'s folder" pauses, and PUT paused=false', () => {
  const unpause = (kind: TimedKind, id: number, more: Values = {}) =>
    [kind, id, { paused: false, ...more }] as const;

  it.each(KINDS)('%s: 409 subcode 12 until the target is another list', async (kind) => {
    const id = await made(kind, listRule(kind, things, { actiontarget: String(things.hiddenList) }));
    const folder = await world.sandbox.put('folder', { account_id: 1, name: 'F', cdate: NOW, mdate: NOW });
    await world.sandbox.service.store.db.run(
      sql`update list set folder_id = ${folder} where id = ${things.hiddenList}`,
    );
    await send('admin', 'DELETE', `/v1/folder/${folder}`);
    expect((await rules(kind))[0]).toMatchObject({ paused: 1 });
    for (const more of [{}, { actiontarget: String(things.hiddenList) }]) {
      const answer = await refusedPut(...unpause(kind, id, more), 409);
      expect(answer.response).toMatchObject({
        code: 409,
        subcode: 12,
        message: `Automation Rule ${id} cannot be unpaused: Dependent list resource ${things.hiddenList} no longer exists`,
      });
    }
    await refusedPut(...unpause(kind, id, { actiontarget: '999' }), 400);
    const renamed = await send('admin', 'PUT', `${target(kind)}/${id}`, { name: 'Still paused' });
    expect(renamed.data).toMatchObject({ name: 'Still paused', paused: true });
    const answer = await send('admin', 'PUT', `${target(kind)}/${id}`, {
      paused: false,
      actiontarget: String(things.otherList),
    });
    expect([answer.status, answer.data['paused']]).toEqual([200, false]);
  });

  it.each(KINDS)('%s: 409 subcode 12 if the message of its answer was deleted', async (kind) => {
    const body = { actiontype: 'sms_autoresponder', actiontarget: String(things.sms), paused: true };
    const id = await made(kind, notice(kind, things, body));
    await send('admin', 'DELETE', `/v1/smsMessage/${things.sms}`);
    const answer = await refusedPut(...unpause(kind, id), 409);
    expect(answer.response['message']).toBe(
      `Automation Rule ${id} cannot be unpaused: Dependent smsMessage resource ${things.sms} no longer exists`,
    );
  });

  it('subscription: 409 if list_id was deleted, until it is changed', async () => {
    const id = await made('subscription', notice('subscription', things, { paused: true }));
    await world.sandbox.service.store.db.run(sql`delete from list where id = ${things.list}`);
    const answer = await refusedPut(...unpause('subscription', id), 409);
    expect(answer.response['subcode']).toBe(12);
    const change = { paused: false, list_id: things.otherList };
    expect((await send('admin', 'PUT', `/v1/subscriptionAutomation/${id}`, change)).data).toMatchObject(
      change,
    );
  });

  it.each(['click', 'open'] as const)('%s: 409 if message_id was deleted', async (kind) => {
    const id = await made(kind, notice(kind, things, { paused: true }));
    await send('admin', 'DELETE', `/v1/emailMessage/${things.emailOfSub2}`);
    const answer = await refusedPut(...unpause(kind, id), 409);
    expect(answer.response['message']).toContain(`Dependent emailMessage resource ${things.emailOfSub2}`);
  });

  it.each(KINDS)('%s: active again when all dependent resources exist', async (kind) => {
    const id = await made(kind, listRule(kind, things, { paused: true }));
    const answer = await send('admin', 'PUT', `${target(kind)}/${id}`, { paused: false });
    expect([answer.status, answer.data['paused']]).toEqual([200, false]);
  });

  it.each(KINDS)('%s: a target that only this user cannot use does not prevent it', async (kind) => {
    const body = { actiontype: 'sms_autoresponder', actiontarget: String(things.sms), paused: true };
    const id = await made(kind, notice(kind, things, body));
    expect((await send('sub2', 'PUT', `${target(kind)}/${id}`, { paused: false })).status).toBe(200);
  });
});
