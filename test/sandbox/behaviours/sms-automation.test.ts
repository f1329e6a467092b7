import { beforeEach, describe, expect, it } from 'vitest';
import type { Scalar } from '../../../src/kit/schema/field.ts';
import type { Values } from '../../../src/kit/schema/resource.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { createWorld, type Things, type World } from '../../support/automations.ts';
import { type Answer, type As, IDS, NOW } from '../../support/sandbox.ts';

let world: World;
let things: Things;
beforeEach(async () => {
  world = await createWorld();
  things = world.things;
});

const PATH = '/v1/smsAutomation';
const send: World['sandbox']['send'] = (...request) => world.sandbox.send(...request);
const rules = () => world.sandbox.rows('sms_automation');
const attributesIn = (answer: Answer) =>
  (answer.response['additional_information'] as readonly { attribute: string }[]).map(
    ({ attribute }) => attribute,
  );

const body = (more: Values = {}): Record<string, Scalar> => ({
  keyword: 'JOIN',
  list_id: things.list,
  name: 'Rule',
  summary: null,
  ...more,
});

async function made(more: Values = {}, as: As = 'admin'): Promise<number> {
  const answer = await send(as, 'POST', PATH, body(more));
  expect(answer.status, answer.text).toBe(202);
  return Number(answer.data['id']);
}

async function refusedPost(more: Values, status: number, as: As = 'admin'): Promise<Answer> {
  const before = await rules();
  const answer = await send(as, 'POST', PATH, body(more));
  expect(answer.status, answer.text).toBe(status);
  expect(await rules()).toEqual(before);
  return answer;
}

async function refusedPut(id: number, change: Values, status: number, as: As = 'admin'): Promise<Answer> {
  const before = await rules();
  await world.sandbox.at(60);
  const answer = await send(as, 'PUT', `${PATH}/${id}`, change);
  expect(answer.status, answer.text).toBe(status);
  expect(await rules()).toEqual(before);
  return answer;
}

const put = async (id: number, change: Values, as: As = 'admin') =>
  (await send(as, 'PUT', `${PATH}/${id}`, change)).data;

describe('smsAutomation: methods', () => {
  it('POST creates a rule and returns 202 with the whole object', async () => {
    const answer = await send('sub', 'POST', PATH, body());
    expect([answer.status, answer.data]).toEqual([
      202,
      {
        id: 1,
        email_list_id: null,
        keyword: 'JOIN',
        list_id: things.list,
        message_id: null,
        message_actionhour: null,
        message_actiontimediff: null,
        message_actiononweekend: null,
        name: 'Rule',
        notifyemail: null,
        notifymsisdn: null,
        notifyurl: null,
        paused: false,
        summary: null,
        user_id: IDS.sub,
        cdate: NOW,
        mdate: NOW,
      },
    ]);
  });

  it('GET, its F attributes and HEAD find it; another company does not', async () => {
    const id = await made();
    for (const query of ['', '?name=Rule', '?paused=false', `?user_id=${IDS.admin}`])
      expect((await send('sub', 'GET', `${PATH}${query}`)).list, query).toHaveLength(1);
    expect((await send('admin', 'HEAD', `${PATH}?name=Rule&paused=false`)).status).toBe(200);
    expect((await send('admin', 'HEAD', `${PATH}?paused=true`)).status).toBe(404);
    expect((await send('other', 'GET', `${PATH}/${id}`)).status).toBe(404);
  });

  it.each(['keyword', 'list_id', 'name', 'summary'])('POST requires %s', async (attribute) => {
    const { [attribute]: _, ...rest } = body();
    const answer = await send('admin', 'POST', PATH, rest);
    expect([answer.status, attributesIn(answer)]).toEqual([400, [attribute]]);
    expect(await rules()).toEqual([]);
  });

  it.each([
    ['keyword', ''],
    ['keyword', 'x'.repeat(33)],
    ['keyword', 'two words'],
    ['keyword', 'ünïcode'],
    ['notifyemail', 'office'],
    ['notifymsisdn', '0'],
    ['notifyurl', 'ftp://example.com/'],
    ['notifyurl', 'example.com'],
    ['list_id', null],
    ['user_id', 1],
  ])('POST rejects %s %j with 400', async (attribute, value) => {
    expect(attributesIn(await refusedPost({ [attribute]: value }, 400))).toEqual([attribute]);
  });

  it('PUT changes only attributes that were sent', async () => {
    const id = await made();
    const before = (await send('admin', 'GET', `${PATH}/${id}`)).data;
    await world.sandbox.at(60);
    const change = { name: 'New', notifyurl: 'http://127.0.0.1:9000/in', keyword: null };
    expect(await put(id, change)).toEqual({ ...before, ...change, mdate: NOW + 60 });
  });

  it('smsautomation_limit: 409 with its name; the other kinds do not count', async () => {
    await world.sandbox.service.store.db.run(
      sql`update account set smsautomation_limit = 1, automation_limit = 0`,
    );
    await made();
    const answer = await refusedPost({ keyword: 'OTHER' }, 409);
    expect(answer.response['message']).toBe("The account's smsautomation_limit of 1 is reached");
  });

  it('403 with the name enablesms if the account lacks it', async () => {
    await world.sandbox.service.store.db.run(sql`update account set enablesms = 0`);
    expect((await refusedPost({}, 403)).response['message']).toContain('enablesms');
  });
});

describe('smsAutomation: "keyword of sms rules per company" is unique', () => {
  it('ignores case, gives 409 with resource_id, and also counts paused rules', async () => {
    const id = await made({ paused: true });
    const answer = await refusedPost({ keyword: 'join' }, 409);
    expect(answer.response).toMatchObject({ subcode: null, resource_id: id });
    const other = await made({ keyword: 'OTHER' });
    expect((await refusedPut(other, { keyword: 'Join' }, 409)).response['resource_id']).toBe(id);
  });

  it('lets a rule keep its own, and another company have the same', async () => {
    const id = await made();
    expect(await put(id, { keyword: 'join' })).toMatchObject({ keyword: 'join' });
    const answer = await send('other', 'POST', PATH, body({ list_id: things.foreignList }));
    expect(answer.status).toBe(202);
  });

  it('allows several rules with null, which is not a keyword and matches all other texts', async () => {
    await made({ keyword: null });
    await made({ keyword: null });
    expect(await rules()).toHaveLength(2);
  });
});

describe('smsAutomation: references', () => {
  it.each([
    ['list_id', 'foreignList'],
    ['email_list_id', 'foreignList'],
    ['message_id', 'deletedSms'],
  ] as const)('%s that does not exist: 400 with its name, on POST and PUT', async (attribute, other) => {
    const id = await made({ keyword: 'OTHER' });
    for (const value of [999, things[other]]) {
      expect(attributesIn(await refusedPost({ [attribute]: value }, 400))).toEqual([attribute]);
      expect(attributesIn(await refusedPut(id, { [attribute]: value }, 400))).toEqual([attribute]);
    }
  });

  it.each([
    ['list_id', 'hiddenList'],
    ['email_list_id', 'hiddenList'],
    ['message_id', 'sms'],
  ] as const)('%s that the user cannot access: 403, on POST and PUT', async (attribute, other) => {
    const id = await made({ keyword: 'OTHER' }, 'sub2');
    await refusedPost({ [attribute]: things[other] }, 403, 'sub2');
    await refusedPut(id, { [attribute]: things[other] }, 403, 'sub2');
  });

  it('reports all missing references at once', async () => {
    const answer = await refusedPost({ list_id: 999, email_list_id: 998, message_id: 997 }, 400);
    expect(attributesIn(answer)).toEqual(['list_id', 'email_list_id', 'message_id']);
  });
});

describe('smsAutomation: message_… "can be set only if message_id is set"', () => {
  it.each([
    { message_actionhour: '09:00:00' },
    { message_actiontimediff: 1440 },
    { message_actiononweekend: true },
    { message_actiononweekend: false },
  ])('%j without it: 400, on POST and PUT', async (more) => {
    const id = await made({ keyword: 'OTHER' });
    expect(attributesIn(await refusedPost(more, 400))).toEqual(Object.keys(more));
    await refusedPut(id, more, 400);
    await refusedPut(id, { message_id: null, ...more }, 400);
  });

  it.each([
    [-1, null, 400],
    [0, null, 202],
    [61, null, 202],
    [0, '09:00:00', 202],
    [1440, '09:00:00', 202],
    [1441, '09:00:00', 400],
  ])('offset %i with hour %j is %i', async (message_actiontimediff, message_actionhour, status) => {
    const more = { message_id: things.sms, message_actiontimediff, message_actionhour };
    if (status === 202) await made(more);
    else expect(attributesIn(await refusedPost(more, 400))).toEqual(['message_actiontimediff']);
  });

  it('"if only message_id is set it is implicitly true"', async () => {
    const answer = await send('admin', 'POST', PATH, body({ message_id: things.sms }));
    expect(answer.data).toMatchObject({ message_actiononweekend: true, message_actiontimediff: 0 });
    await refusedPost({ keyword: 'OTHER', message_id: things.sms, message_actiononweekend: false }, 400);
  });

  it.each([{ message_actionhour: '09:00:00' }, { message_actiontimediff: 1440 }])(
    'weekends can be excluded with %j, and are included again without it',
    async (more) => {
      const id = await made({ message_id: things.sms, ...more, message_actiononweekend: false });
      expect((await rules())[0]).toMatchObject({ message_actiononweekend: 0 });
      const cleared = { message_actionhour: null, message_actiontimediff: 0 };
      await refusedPut(id, { ...cleared, message_actiononweekend: false }, 400);
      expect(await put(id, cleared)).toMatchObject({ ...cleared, message_actiononweekend: true });
    },
  );

  it('"if message_id is unset it is null": the others become null, too', async () => {
    const id = await made({
      message_id: things.sms,
      message_actionhour: '09:00:00',
      message_actiontimediff: 1440,
      message_actiononweekend: false,
    });
    expect(await put(id, { message_id: null })).toMatchObject({
      message_id: null,
      message_actionhour: null,
      message_actiontimediff: null,
      message_actiononweekend: null,
    });
    expect(await put(id, { message_id: things.sms })).toMatchObject({
      message_actionhour: null,
      message_actiontimediff: 0,
      message_actiononweekend: true,
    });
  });
});

describe('smsAutomation: "only the creator or an admin can modify or delete a rule"', () => {
  it.each([
    ['sub', 'sub', 200],
    ['sub', 'admin', 200],
    ['sub', 'partner', 200],
    ['admin', 'sub', 403],
    ['sub', 'sub2', 403],
  ] as const)('rule of %s, by %s', async (creator, as, status) => {
    const id = await made({}, creator);
    const before = await rules();
    expect((await send(as, 'PUT', `${PATH}/${id}`, { name: 'New' })).status).toBe(status);
    expect((await rules())[0]?.['name']).toBe(status === 200 ? 'New' : 'Rule');
    expect((await send(as, 'DELETE', `${PATH}/${id}`)).status).toBe(status);
    expect(await rules()).toEqual(status === 200 ? [] : before);
  });

  it('DELETE aborts its queued actions and those of no other rule; a pause keeps them', async () => {
    const id = await made();
    const queued = (rule_kind: string) =>
      world.sandbox.put('queued_action', {
        account_id: IDS.company,
        rule_kind,
        rule_id: id,
        subscriber_id: 1,
        due: NOW,
        event: '{}',
      });
    await queued('sms');
    const other = await queued('click');
    await put(id, { paused: true });
    expect(await world.sandbox.rows('queued_action')).toHaveLength(2);
    await send('admin', 'DELETE', `${PATH}/${id}`);
    expect((await world.sandbox.rows('queued_action')).map((row) => row['id'])).toEqual([other]);
  });
});

describe('smsAutomation: "cannot be unpaused while its resource is gone or inaccessible"', () => {
  const remove = (table: 'list' | 'sms_message', id: number) =>
    table === 'list'
      ? world.sandbox.service.store.db.run(sql`delete from list where id = ${id}`)
      : send('admin', 'DELETE', `/v1/smsMessage/${id}`);

  it.each([
    ['list_id', 'otherList', 'list', 'list'],
    ['email_list_id', 'otherList', 'list', 'list'],
    ['message_id', 'sms', 'sms_message', 'smsMessage'],
  ] as const)(
    'without %s: 409 subcode 12 until it is replaced',
    async (attribute, which, table, resource) => {
      const gone = things[which];
      const id = await made({ [attribute]: gone, paused: true });
      await remove(table, gone);
      for (const change of [{ paused: false }, { paused: false, [attribute]: gone }]) {
        const answer = await refusedPut(id, change, 409);
        expect(answer.response).toMatchObject({
          code: 409,
          subcode: 12,
          message: `Automation Rule ${id} cannot be unpaused: Dependent ${resource} resource ${gone} no longer exists`,
        });
      }
      expect(attributesIn(await refusedPut(id, { paused: false, [attribute]: 999 }, 400))).toEqual([
        attribute,
      ]);
      const valid = attribute === 'message_id' ? things.smsOfSub2 : things.list;
      expect(await put(id, { paused: false, [attribute]: valid })).toMatchObject({
        paused: false,
        [attribute]: valid,
      });
    },
  );

  it.each([
    ['email_list_id', 'otherList', 'list'],
    ['message_id', 'sms', 'sms_message'],
  ] as const)('%s may become null instead', async (attribute, which, table) => {
    const id = await made({ [attribute]: things[which], paused: true });
    await remove(table, things[which]);
    expect(await put(id, { paused: false, [attribute]: null })).toMatchObject({
      paused: false,
      [attribute]: null,
    });
  });

  it('inaccessible to the user who resumes it: 409, although it is accessible to others', async () => {
    const id = await made({ message_id: things.smsOfSub2, paused: true }, 'sub2');
    await world.sandbox.service.store.db.run(sql`update sms_message set user_id = ${IDS.sub}`);
    expect((await refusedPut(id, { paused: false }, 409, 'sub2')).response['subcode']).toBe(12);
    expect(await put(id, { paused: false })).toMatchObject({ paused: false });
  });

  // "… is gone or inaccessible, unless the argument is changed to a valid resource or to null": so its creator must still see the rule.
  it.each([
    ['list_id', [400, undefined]],
    ['email_list_id', [200, null]],
  ] as const)(
    '%s inaccessible to the creator: 409 until it is changed',
    async (attribute, [toNull, stored]) => {
      const id = await made({ [attribute]: things.otherList, paused: true }, 'sub2');
      const { db } = world.sandbox.service.store;
      const move = (list: number) => db.run(sql`update list set folder_id = null where id = ${list}`);
      await move(things.otherList);
      const shown = await send('sub2', 'GET', `${PATH}/${id}`);
      expect([shown.status, shown.data[attribute]]).toEqual([200, things.otherList]);
      const refused = await refusedPut(id, { paused: false }, 409, 'sub2');
      expect(refused.response).toMatchObject({
        subcode: 12,
        message: `Automation Rule ${id} cannot be unpaused: Dependent list resource ${things.otherList} no longer exists`,
      });
      await refusedPut(id, { paused: false, [attribute]: things.hiddenList }, 403, 'sub2');
      const nulled = await send('sub2', 'PUT', `${PATH}/${id}`, { paused: false, [attribute]: null });
      expect([nulled.status, nulled.data[attribute]]).toEqual([toNull, stored]);
      expect(await put(id, { paused: false, [attribute]: things.list }, 'sub2')).toMatchObject({
        paused: false,
        [attribute]: things.list,
      });
    },
  );

  it('a rule of another user with an inaccessible list stays hidden', async () => {
    const id = await made({ list_id: things.hiddenList, paused: true });
    expect((await send('sub2', 'GET', `${PATH}/${id}`)).status).toBe(404);
    await refusedPut(id, { paused: false }, 404, 'sub2');
  });

  it('deletion of a list pauses the rule (States)', async () => {
    const id = await made({ email_list_id: things.otherList });
    await send('admin', 'DELETE', `/v1/folder/${things.folder}`);
    expect((await rules())[0]).toMatchObject({ id, paused: 1 });
  });
});
