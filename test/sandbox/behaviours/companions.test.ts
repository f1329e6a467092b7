/**
 * Wire, "Not part of the interface": lists, subscribers, subscriptions and profile fields "through /v1 only where a sandbox is
 * started with --companions, for the sake of real clients whose scripts begin there, and never by the command line".
 */

import { beforeEach, describe, expect, it } from 'vitest';
import {
  filtersOf,
  METHODS,
  type Method,
  sortAttributesOf,
  supports,
} from '../../../src/kit/schema/resource.ts';
import { operationsOnSubscriberLists } from '../../../src/sandbox/control/all.ts';
import type { ControlCall } from '../../../src/sandbox/control/operation.ts';
import { subscriberOperations } from '../../../src/sandbox/control/records.ts';
import { runDueWork } from '../../../src/sandbox/engine/tick.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { insertRows } from '../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { DEFAULT_WIRE_NAMING, namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { checkFieldNames } from '../../../src/service/protocol/naming-fields.ts';
import { catalogue, resourceNamed } from '../../../src/service/resources/catalogue.ts';
import { sandboxOnlyResources } from '../../../src/service/resources/companions.ts';
import { type As, createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox({ companions: true });
});

const get = (target: string, as: As = 'admin') => sandbox.send(as, 'GET', `/v1/${target}`);
const post = (resource: string, body: unknown, as: As = 'admin') =>
  sandbox.send(as, 'POST', `/v1/${resource}`, body);
const put = (target: string, body: unknown, as: As = 'admin') =>
  sandbox.send(as, 'PUT', `/v1/${target}`, body);
const del = (target: string, body?: unknown, as: As = 'admin') =>
  sandbox.send(as, 'DELETE', `/v1/${target}`, body);
const idOf = async (answer: Promise<{ readonly data: Readonly<Record<string, unknown>> }>): Promise<number> =>
  Number((await answer).data['id']);
const attributesOf = (answer: { readonly response: Readonly<Record<string, unknown>> }): unknown =>
  (answer.response['additional_information'] as readonly { attribute: string }[]).map(
    (each) => each.attribute,
  );

const folder = (name = 'Folder') =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate: NOW, mdate: NOW });
const list = (more: object = {}) =>
  sandbox.put('list', { account_id: IDS.company, name: 'List', cdate: NOW, ...more });
const subscriber = (email: string, account_id: number = IDS.company) =>
  sandbox.put('subscriber', { account_id, email, email_domain: email.split('@')[1] ?? '', cdate: NOW });
const subscribe = (list_id: number, subscriber_id: number) =>
  insertRows(sandbox.service.store.db, 'subscription', [{ list_id, subscriber_id, cdate: NOW }]);
/** Restricts the sub-user to this folder. */
const restrict = (folder_id: number) =>
  insertRows(sandbox.service.store.db, 'folder_access', [{ user_id: IDS.sub, folder_id }]);

describe('without --companions', () => {
  it.each(sandboxOnlyResources.map(({ name }) => name))(
    '%s is not a resource, for any method',
    async (name) => {
      sandbox = await createTestSandbox();
      for (const method of METHODS) {
        const answer = await sandbox.send('admin', method, `/v1/${name}`);
        expect([method, answer.status]).toEqual([method, 404]);
        if (method !== 'HEAD')
          expect(answer.response['message']).toBe(
            `Unknown resource "${name}": it is not part of the interface. A sandbox started with --companions serves it`,
          );
      }
    },
  );

  it.each(sandboxOnlyResources.map(({ name }) => name))('%s is not in the catalogue of the nouns', (name) => {
    expect(resourceNamed(name)).toBeUndefined();
    expect(catalogue).toHaveLength(18);
  });
});

const NO_PERSON = Object.fromEntries(
  [
    ...[
      'firstname',
      'lastname',
      'title',
      'companyname',
      'gender',
      'housenumber',
      'streetname',
      'town',
      'county',
    ],
    ...['postcode', 'country', 'daybirth', 'monthbirth', 'yearbirth'],
  ].map((name) => [name, null]),
);

/** Wire, "Companions, in full": the name, then F and S. `id` is F and S everywhere. */
const TABLE: Readonly<Record<string, string>> = {
  list: `id FS, name FS, folder_id F, note, optin, smsdefault F, deletable, subscription_count, automation_count,
    smsautomation_count, form_count, cdate S, mdate`,
  subscriber: `id FS, email FS, msisdn FS, list_id F, firstname, lastname, title, companyname, gender, housenumber,
    streetname, town, county, postcode, country, daybirth, monthbirth, yearbirth, emailsuspended, smssuspended,
    confirmed, emailmd5, bounce_exists, contact_exists, subscription_count, cdate S, mdate`,
  subscription: `id FS, subscriber_id F, list_id F, confirmed F, confirmationredirect, source, cdate S, mdate`,
  subscriberProfileField: `id FS, name FS, columnheader FS, type, goaltracking, cdate S, mdate`,
};

/** `token` and `emailOptIn` only accept a POST, and have separate tests. */
const RECORDS = sandboxOnlyResources.filter((resource) => supports(resource, 'GET'));

describe.each(RECORDS.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
  const rows = (TABLE[name] ?? '').split(',').map((row) => row.trim().split(' '));

  it('has the attributes that clients use, with their filters and sorts', () => {
    expect(Object.keys(resource.fields)).toEqual(rows.map(([attribute]) => attribute));
    expect(filtersOf(resource)).toEqual(
      rows.filter(([, marks]) => marks?.includes('F')).map(([each]) => each),
    );
    expect(sortAttributesOf(resource)).toEqual(
      rows.filter(([, marks]) => marks?.includes('S')).map(([each]) => each),
    );
  });

  it('has all methods', () => {
    expect(METHODS.filter((method) => supports(resource, method))).toEqual(METHODS);
  });

  it('can be filtered, sorted and paged by its declared attributes, and by no others', async () => {
    const lists = [await list({ name: 'A' }), await list({ name: 'B' }), await list({ name: 'C' })];
    for (const [at, id] of lists.entries()) {
      await subscribe(id, await subscriber(`s${at}@example.com`));
      await post('subscriberProfileField', { name: `Field ${at}` });
    }
    const all = (await get(name)).list;
    expect(all).toHaveLength(3);
    for (const sort of sortAttributesOf(resource)) {
      const { list: page, response } = await get(`${name}?sort=${sort}&reverse=true&count=2`);
      expect([sort, page.length, response['next'] !== undefined]).toEqual([sort, 2, true]);
    }
    for (const filter of filtersOf(resource)) {
      const value = all[0]?.[filter] ?? (filter === 'list_id' ? lists[0] : '');
      const { status, list: found } = await get(`${name}?${filter}=${value}`);
      const one = filter === 'id' ? 1 : found.length;
      expect([filter, status, one > 0]).toEqual([filter, 200, true]);
      expect((await sandbox.send('admin', 'HEAD', `/v1/${name}?${filter}=${value}`)).status).toBe(200);
    }
    expect((await get(`${name}?mdate=${NOW}`)).status).toBe(400);
    expect((await get(`${name}?sort=mdate`)).status).toBe(400);
    const first = await get(`${name}?count=2`);
    const second = await get(`${name}?count=2&start=${first.response['next']}`);
    expect([...first.list, ...second.list]).toEqual(all);
  });

  it('hides the records of another company', async () => {
    const mine = await list();
    const other = await sandbox.put('list', { account_id: IDS.other, name: 'Other', cdate: NOW });
    const theirs = await subscriber('x@example.org', IDS.other);
    await subscribe(mine, await subscriber('x@example.com'));
    await subscribe(other, theirs);
    await sandbox.put('profile_field', { account_id: IDS.other, name: 'Theirs' });
    await sandbox.put('profile_field', { account_id: IDS.company, name: 'Mine' });
    const answer = await get(name);
    expect(answer.list).toHaveLength(1);
    const own = await get(name, 'other');
    expect(own.list).toHaveLength(1);
    expect((await get(`${name}/${own.list[0]?.['id']}`)).status).toBe(404);
    expect((await del(`${name}/${own.list[0]?.['id']}`)).status).toBe(404);
    expect((await get(name, 'other')).list).toHaveLength(1);
  });
});

describe('list', () => {
  it('shares its records with the control plane', async () => {
    const folder_id = await folder();
    const made = await post('list', { name: 'News', folder_id, note: 'Weekly', smsdefault: true });
    expect([made.status, made.data]).toEqual([
      202,
      {
        id: 1,
        name: 'News',
        folder_id,
        note: 'Weekly',
        optin: false,
        smsdefault: true,
        deletable: true,
        subscription_count: 0,
        automation_count: 0,
        smsautomation_count: 0,
        form_count: 0,
        cdate: NOW,
        mdate: NOW,
      },
    ]);
    expect(await sandbox.rows('list')).toMatchObject([{ id: 1, name: 'News', folder_id, permanent: 0 }]);
    expect((await get('folder/1')).data['list_count']).toBe(1);
  });

  it('counts its subscriptions, and the rules that name it', async () => {
    const [watched, target] = [await list(), await list()];
    await subscribe(watched, await subscriber('a@example.com'));
    const rule = { actiontype: 'copytolist', actiontarget: String(target), actiontimediff: 5, summary: null };
    const made = await post('subscriptionAutomation', {
      ...rule,
      list_id: watched,
      name: 'R',
      actiononweekend: true,
    });
    expect(made.status).toBe(202);
    await post('smsAutomation', { keyword: null, list_id: target, name: 'S', summary: null });
    const counts = async (id: number) => {
      const { data } = await get(`list/${id}`);
      return [data['subscription_count'], data['automation_count'], data['smsautomation_count']];
    };
    expect([await counts(watched), await counts(target)]).toEqual([
      [1, 1, 0],
      [0, 1, 1],
    ]);
  });

  it('can be filtered by smsdefault', async () => {
    const [usual, other] = [await list({ smsdefault: 1 }), await list()];
    expect((await get('list?smsdefault=true')).list.map(({ id }) => id)).toEqual([usual]);
    expect((await get('list?smsdefault=false')).list.map(({ id }) => id)).toEqual([other]);
  });

  it('can be changed, which sets mdate', async () => {
    const id = await list();
    await sandbox.at(60);
    const changed = await put(`list/${id}`, { name: 'Olds', folder_id: await folder(), optin: true });
    expect(changed.data).toMatchObject({
      name: 'Olds',
      folder_id: 1,
      optin: true,
      cdate: NOW,
      mdate: NOW + 60,
    });
    expect((await put(`list/${id}`, { folder_id: null })).data['folder_id']).toBeNull();
  });

  it.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'A', folder_id: 99 }, ['folder_id']],
    [{ name: 'A', deletable: false }, ['deletable']],
    [{ name: 'A', colour: 'red' }, ['colour']],
  ])('400 for %j', async (body, attributes) => {
    const answer = await post('list', body);
    expect([answer.status, attributesOf(answer)]).toEqual([400, attributes]);
    expect(await sandbox.rows('list')).toEqual([]);
  });

  it('has the limit list_limit', async () => {
    await sandbox.service.store.db.run(sql`update account set list_limit = 1 where id = 1`);
    expect((await post('list', { name: 'A' })).status).toBe(202);
    const over = await post('list', { name: 'B' });
    expect([over.status, over.response['message']]).toEqual([
      409,
      expect.stringContaining('list_limit of 1'),
    ]);
    expect(await sandbox.rows('list')).toHaveLength(1);
  });

  it('DELETE works as in the control plane: pauses rules, deletes subscriptions, keeps subscribers', async () => {
    const id = await list();
    await subscribe(id, await subscriber('a@example.com'));
    await post('smsAutomation', { keyword: null, list_id: id, name: 'S', summary: null });
    expect((await del(`list/${id}`)).data).toEqual({ id });
    expect(await sandbox.rows('subscription')).toEqual([]);
    expect(await sandbox.rows('subscriber')).toHaveLength(1);
    expect((await get('smsAutomation')).list[0]?.['paused']).toBe(true);
  });

  it.each([
    ['permanent', { permanent: 1 }, 'List 1 is permanent'],
    ['targeted', {}, 'List 1 is to be or has been targeted'],
  ])('DELETE of a %s one is 409, as in the control plane', async (what, more, message) => {
    const id = await list(more);
    if (what === 'targeted')
      await sandbox.put('task', {
        account_id: 1,
        user_id: 1,
        name: 'T',
        channel: 'sms',
        message_id: 1,
        list_id: id,
        scheduledtime: NOW + 60,
        size: 0,
        cdate: NOW,
      });
    expect((await get(`list/${id}`)).data['deletable']).toBe(what !== 'permanent');
    const answer = await del(`list/${id}`);
    expect([answer.status, answer.response['message']]).toEqual([409, message]);
    expect(await sandbox.rows('list')).toHaveLength(1);
    const account = await sandbox.service.store.db.first(sql<Row<'account'>>`select * from account`);
    const call = { db: sandbox.service.store.db, account, now: NOW };
    await expect(operationsOnSubscriberLists['list delete'](call as never, { id } as never)).rejects.toThrow(
      message,
    );
  });
});

describe('subscriber', () => {
  it('POST with list_id also creates the subscription, and triggers subscription rules', async () => {
    const [watched, target] = [await list(), await list()];
    const rule = { actiontype: 'copytolist', actiontarget: String(target), actiontimediff: 5, summary: null };
    await post('subscriptionAutomation', { ...rule, list_id: watched, name: 'R', actiononweekend: true });
    const made = await post('subscriber', {
      email: 'Ann@Example.com',
      msisdn: '447700900123',
      list_id: watched,
    });
    expect([made.status, made.data]).toEqual([
      202,
      {
        id: 1,
        email: 'ann@example.com',
        msisdn: '447700900123',
        list_id: null,
        ...NO_PERSON,
        emailsuspended: false,
        smssuspended: false,
        confirmed: true,
        // `printf ann@example.com | md5sum`
        emailmd5: '257c57037d384ae37ea27a07e8a01665',
        bounce_exists: false,
        contact_exists: false,
        subscription_count: 1,
        cdate: NOW,
        mdate: NOW,
      },
    ]);
    expect(await sandbox.rows('queued_action')).toHaveLength(1);
    await sandbox.at(300);
    await runDueWork(sandbox.service.store, { machineNow: () => NOW * 1000 });
    expect((await get('subscription?subscriber_id=1')).list.map((each) => each['list_id'])).toEqual([
      watched,
      target,
    ]);
  });

  it('POST accepts "an id or an array" as list_id', async () => {
    const lists = [await list(), await list(), await list()];
    const [a, b, c] = lists as [number, number, number];
    const made = await post('subscriber', { email: 'a@example.com', list_id: [a, c, a] });
    expect([made.status, made.data['subscription_count']]).toEqual([202, 2]);
    expect((await get('subscription')).list).toMatchObject([
      { list_id: a, source: 'api' },
      { list_id: c, source: 'api' },
    ]);
    const form = async (email: string, body: string) => {
      const parts = { method: 'POST', target: '/v1/subscriber', body: `email=${email}&${body}` } as const;
      const contentType = 'application/x-www-form-urlencoded';
      return readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts, contentType })));
    };
    const indexed = await form('b@example.com', `list_id%5B0%5D=${a}&list_id%5B1%5D=${b}`);
    expect([indexed.status, indexed.data['subscription_count']]).toEqual([202, 2]);
    expect((await form('c@example.com', `list_id[]=${a}&list_id[]=${b}`)).data['subscription_count']).toBe(2);
    expect((await form('d@example.com', `firstname[]=A&firstname[]=B`)).status).toBe(400);
  });

  it.each([[['x']], [[1, 'x']], [[99]], [[null]], [[[1]]]])(
    '400 for list_id %j, and nothing is created',
    async (list_id) => {
      await list();
      const refused = await post('subscriber', { email: 'a@example.com', list_id });
      expect([refused.status, attributesOf(refused)]).toEqual([400, ['list_id']]);
      expect(await sandbox.rows('subscriber')).toEqual([]);
    },
  );

  it('stores the fields of a person', async () => {
    const person = {
      ...NO_PERSON,
      ...{ firstname: 'Ann', lastname: 'Łukasz', title: 'Dr', companyname: 'Harbour', gender: 'f' },
      ...{ housenumber: '1a', streetname: 'High Street', town: 'Bath', county: 'Somerset', postcode: 'BA1' },
      ...{ country: 'GB', daybirth: 29, monthbirth: 2, yearbirth: 1988 },
    };
    const made = await post('subscriber', { email: 'a@example.com', ...person });
    expect([made.status, made.data]).toMatchObject([202, person]);
    const changed = await put('subscriber/1', { town: null, yearbirth: 1989 });
    expect([changed.status, changed.data]).toMatchObject([200, { ...person, town: null, yearbirth: 1989 }]);
    expect(attributesOf(await put('subscriber/1', { daybirth: 32, monthbirth: 0, emailmd5: 'x' }))).toEqual([
      'daybirth',
      'monthbirth',
      'emailmd5',
    ]);
  });

  // Wire, "Companions, in full": "POST takes `confirmed` for the subscriptions that `list_id` makes".
  it.each([
    [true, true],
    [false, false],
    [null, true],
    [undefined, true],
  ])('POST with confirmed %s makes subscriptions with confirmed %s', async (sent, confirmed) => {
    const lists = [await list(), await list()];
    const made = await post('subscriber', { email: 'a@example.com', list_id: lists, confirmed: sent });
    expect([made.status, made.data['confirmed']]).toEqual([202, confirmed]);
    expect((await get('subscription')).list.map((each) => [each['list_id'], each['confirmed']])).toEqual(
      lists.map((id) => [id, confirmed]),
    );
  });

  it('POST reads confirmed from a form', async () => {
    const parts = { method: 'POST', target: '/v1/subscriber' } as const;
    const contentType = 'application/x-www-form-urlencoded';
    const body = `email=a@example.com&list_id=${await list()}&confirmed=0`;
    const answer = readAnswer(
      await sandbox.service.handle(signing({ ...ADMIN, ...parts, body, contentType })),
    );
    expect([answer.status, answer.data['confirmed']]).toEqual([202, false]);
  });

  it.each(['emailsuspended', 'smssuspended'])(
    'PUT takes %s, and the account counts the person',
    async (flag) => {
      const id = await subscriber('a@example.com');
      await sandbox.at(60);
      const shown = (await get(`subscriber/${id}`)).data;
      const changed = await put(`subscriber/${id}`, { [flag]: true });
      expect([changed.status, changed.data]).toEqual([200, { ...shown, [flag]: true, mdate: NOW + 60 }]);
      const count = flag.replace('suspended', 'suspended_count');
      expect((await get('account/1')).data[count]).toBe(1);
      expect((await put(`subscriber/${id}`, { [flag]: false })).data[flag]).toBe(false);
      expect(attributesOf(await put(`subscriber/${id}`, { [flag]: null }))).toEqual([flag]);
    },
  );

  it.each<readonly [string, Method]>([
    ['emailsuspended', 'POST'],
    ['smssuspended', 'POST'],
    ['confirmed', 'PUT'],
    ...['bounce_exists', 'contact_exists'].flatMap(
      (attribute) =>
        [
          [attribute, 'POST'],
          [attribute, 'PUT'],
        ] as const,
    ),
  ])('%s is no attribute of %s', async (attribute, method) => {
    const id = await subscriber('b@example.com');
    const refused =
      method === 'POST'
        ? await post('subscriber', { email: 'a@example.com', [attribute]: true })
        : await put(`subscriber/${id}`, { [attribute]: true });
    expect([refused.status, attributesOf(refused)]).toEqual([400, [attribute]]);
  });

  it('contact_exists and bounce_exists follow from the sends of tasks', async () => {
    const [none, sent, bounced] = [
      await subscriber('a@example.com'),
      await subscriber('b@example.com'),
      await subscriber('c@example.com'),
    ];
    const task_id = await sandbox.put('task', {
      ...{ account_id: 1, user_id: 1, name: 'T', channel: 'email', message_id: 1, scheduledtime: NOW },
      ...{ size: 2, started: 1, completed: 1, endtime: NOW, cdate: NOW },
    });
    for (const [subscriber_id, bounce] of [
      [sent, null],
      [bounced, NOW],
    ] as const)
      await sandbox.put('task_recipient', {
        ...{ task_id, subscriber_id, address: 'x', senttime: NOW, bounced: bounce },
      });
    const shown = (await get('subscriber')).list.map((each) => [
      each['contact_exists'],
      each['bounce_exists'],
    ]);
    expect([none, shown]).toEqual([
      none,
      [
        [false, false],
        [true, false],
        [true, true],
      ],
    ]);
  });

  it('POST without a list triggers nothing', async () => {
    expect((await post('subscriber', { msisdn: '447700900123' })).data).toMatchObject({
      subscription_count: 0,
    });
    expect(await sandbox.rows('queued_action')).toEqual([]);
  });

  it('POST of an existing address is 409 with resource_id, and changes nothing', async () => {
    const id = await subscriber('ann@example.com');
    const answer = await post('subscriber', { email: 'ANN@example.com', list_id: await list() });
    expect([answer.status, answer.response['resource_id']]).toEqual([409, id]);
    expect([await sandbox.rows('subscription'), await sandbox.rows('subscriber')]).toMatchObject([
      [],
      [{ id }],
    ]);
  });

  it.each([
    ['an address', 'ann@example.com'],
    ['a domain', 'example.com'],
  ])('POST and PUT of an address on Do Not Contact are 409 (%s)', async (_, contactdata) => {
    const id = await subscriber('bob@example.org');
    await post('doNotContact', { contactdata });
    expect((await post('subscriber', { email: 'ann@example.com', list_id: await list() })).status).toBe(409);
    expect((await put(`subscriber/${id}`, { email: 'ann@example.com' })).status).toBe(409);
    expect(await sandbox.rows('subscriber')).toMatchObject([{ id, email: 'bob@example.org' }]);
    expect(await sandbox.rows('subscription')).toEqual([]);
  });

  it('has the limit subscriber_limit', async () => {
    await sandbox.service.store.db.run(sql`update account set subscriber_limit = 1 where id = 1`);
    expect((await post('subscriber', { email: 'a@example.com' })).status).toBe(202);
    expect((await post('subscriber', { email: 'b@example.com' })).status).toBe(409);
  });

  it.each([
    [{}, ['email']],
    [{ email: null }, ['email']],
    [{ email: 'none' }, ['email']],
    [{ email: 'a@example.com', list_id: 99 }, ['list_id']],
    [{ email: 'a@example.com', subscription_count: 1 }, ['subscription_count']],
  ])('400 for %j, and nothing is created', async (body, attributes) => {
    const answer = await post('subscriber', body);
    expect([answer.status, attributesOf(answer)]).toEqual([400, attributes]);
    expect(await sandbox.rows('subscriber')).toEqual([]);
  });

  it('list_id is a filter, and null finds subscribers on no list', async () => {
    const id = await list();
    const [on, off] = [await subscriber('on@example.com'), await subscriber('off@example.com')];
    await subscribe(id, on);
    const found = async (query: string) => (await get(`subscriber?${query}`)).list.map((each) => each['id']);
    expect(await found(`list_id=${id}`)).toEqual([on]);
    expect(await found('list_id=')).toEqual([off]);
    expect(await found('list_id=99')).toEqual([]);
    expect(await found('email=ON@Example.com')).toEqual([on]);
    expect(await found('email=on@example.com&list_id=')).toEqual([]);
    expect(await found('email=')).toEqual([]);
    expect(await found('msisdn=')).toEqual([on, off]);
  });

  it('PUT changes addresses, but cannot remove the last one', async () => {
    const [id, other] = [await subscriber('a@example.com'), await subscriber('b@example.com')];
    await sandbox.at(60);
    const changed = await put(`subscriber/${id}`, { email: 'c@example.net', firstname: 'C' });
    expect(changed.data).toMatchObject({ email: 'c@example.net', firstname: 'C', mdate: NOW + 60 });
    expect((await sandbox.rows('subscriber'))[0]).toMatchObject({ email_domain: 'example.net' });
    const taken = await put(`subscriber/${id}`, { email: 'b@example.com' });
    expect([taken.status, taken.response['resource_id']]).toEqual([409, other]);
    expect((await put(`subscriber/${id}`, { email: null })).status).toBe(400);
    expect((await put(`subscriber/${id}`, { email: 'C@example.net' })).status).toBe(200);
    expect((await put(`subscriber/${id}`, { email: null, msisdn: '447700900123' })).data).toMatchObject({
      email: null,
      msisdn: '447700900123',
    });
  });

  it('an address to which a task was sent stays known after its subscriber changed it or was deleted', async () => {
    const [changed, deleted] = [await subscriber('a@example.com'), await subscriber('b@example.com')];
    const task_id = await sandbox.put('task', {
      account_id: 1,
      user_id: 1,
      name: 'T',
      channel: 'email',
      message_id: 1,
      scheduledtime: NOW,
      size: 2,
      started: 1,
      due: NOW + 60,
      cdate: NOW,
    });
    for (const [subscriber_id, address] of [
      [changed, 'a@example.com'],
      [deleted, 'b@example.com'],
    ])
      await sandbox.put('task_recipient', {
        task_id,
        subscriber_id: Number(subscriber_id),
        address: String(address),
        senttime: NOW,
      });
    await put(`subscriber/${changed}`, { email: 'new@example.com' });
    expect((await del(`subscriber/${deleted}`)).data).toEqual({ id: deleted });
    const addresses = ['a@example.com', 'b@example.com'];
    expect((await sandbox.rows('departed_recipient')).map(({ address }) => address)).toEqual(addresses);
    expect((await sandbox.rows('former_recipient')).map(({ address }) => address)).toEqual(addresses);
  });
});

describe('subscription', () => {
  it('POST subscribes and triggers rules; POST of an existing one is 409 with resource_id', async () => {
    const [list_id, subscriber_id] = [await list(), await subscriber('a@example.com')];
    await post('subscriptionAutomation', {
      list_id,
      actiontype: 'notify',
      actiontarget: 'office@example.com',
      name: 'R',
      summary: null,
    });
    const made = await post('subscription', { list_id, subscriber_id, source: 'form', confirmed: false });
    expect([made.status, made.data]).toEqual([
      202,
      {
        id: made.data['id'],
        subscriber_id,
        list_id,
        confirmed: false,
        confirmationredirect: null,
        source: 'form',
        cdate: NOW,
        mdate: NOW,
      },
    ]);
    expect(made.data['id']).toBe(1);
    expect(await sandbox.rows('queued_action')).toHaveLength(1);
    const again = await post('subscription', { list_id, subscriber_id });
    expect([again.status, again.response['resource_id']]).toEqual([409, made.data['id']]);
    expect((await get(`subscription/${again.response['resource_id']}`)).data).toEqual(made.data);
    expect(await sandbox.rows('queued_action')).toHaveLength(1);
  });

  it('its id is "an ordinary counter that fits 32 bits", and no id is used twice', async () => {
    const list_id = await list();
    const ids: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      const subscriber_id = await subscriber(`s${at}@example.com`);
      ids.push(await idOf(post('subscription', { list_id, subscriber_id })));
      await del(`subscription/${ids[at]}`);
    }
    expect(ids).toEqual([1, 2, 3]);
  });

  it('its source is its origin', async () => {
    const list_id = await list();
    const call = { db: sandbox.service.store.db, now: NOW } as never as ControlCall;
    const [account] = await sandbox.rows('account');
    const rows = [{ email: 'a@example.com' }];
    await subscriberOperations['subscriber import'](Object.assign(call, { account }), {
      lists: [list_id],
      rows,
    });
    expect((await get('subscription')).list).toMatchObject([{ source: 'import' }]);
    const [{ id: subscriber_id } = {}] = (await get('subscriber')).list;
    await del('subscription/1');
    const made = await post('subscription', { list_id, subscriber_id });
    expect(made.data).toMatchObject({ source: 'api' });
    expect(attributesOf(await put(`subscription/${made.data['id']}`, { source: 'shop' }))).toEqual([
      'source',
    ]);
  });

  it('each pair has its own id, which finds, changes and removes it', async () => {
    const [a, b] = [await list(), await list()];
    const [x, y] = [await subscriber('x@example.com'), await subscriber('y@example.com')];
    for (const [each, who] of [
      [a, x],
      [a, y],
      [b, x],
      [b, y],
    ] as const)
      await subscribe(each, who);
    const all = (await get('subscription')).list;
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    await sandbox.at(60);
    const id = await idOf(get(`subscription/${all[2]?.['id']}`));
    const changed = await put(`subscription/${id}`, {
      confirmed: false,
      confirmationredirect: 'https://example.com',
    });
    expect(changed.data).toMatchObject({ list_id: b, subscriber_id: x, confirmed: false, mdate: NOW + 60 });
    expect((await get('subscription?confirmed=false')).list).toEqual([changed.data]);
    expect((await del(`subscription/${id}`)).data).toEqual({ id });
    expect((await get('subscription')).list).toEqual(all.filter((each) => each['id'] !== id));
    expect((await del(`subscription?subscriber_id=${y}`)).list).toHaveLength(2);
    expect((await del('subscription', { list_id: a, subscriber_id: x })).list).toHaveLength(1);
    expect(await sandbox.rows('subscription')).toEqual([]);
    expect(await sandbox.rows('do_not_contact')).toEqual([]);
    for (const none of ['0', '5', '7000000042', '99999999999999999999'])
      expect((await get(`subscription/${none}`)).status).toBe(404);
  });

  it.each([
    [{}, ['list_id', 'subscriber_id']],
    [{ list_id: 99, subscriber_id: 98 }, ['list_id', 'subscriber_id']],
  ])('400 for %j', async (body, attributes) => {
    const answer = await post('subscription', body);
    expect([answer.status, [...(attributesOf(answer) as string[])].sort()]).toEqual([400, attributes]);
  });

  it('of an address on Do Not Contact is 409', async () => {
    const [list_id, subscriber_id] = [await list(), await subscriber('a@example.com')];
    await sandbox.put('do_not_contact', { account_id: 1, contactdata: 'a@example.com', cdate: NOW });
    expect((await post('subscription', { list_id, subscriber_id })).status).toBe(409);
    expect(await sandbox.rows('subscription')).toEqual([]);
  });

  it('its two references cannot be changed', async () => {
    const [list_id, subscriber_id] = [await list(), await subscriber('a@example.com')];
    const id = await idOf(post('subscription', { list_id, subscriber_id }));
    const answer = await put(`subscription/${id}`, { list_id: await list() });
    expect([answer.status, attributesOf(answer)]).toEqual([400, ['list_id']]);
  });
});

describe('subscriberProfileField', () => {
  it('is created, changed and removed with its values', async () => {
    const made = await post('subscriberProfileField', { name: 'City' });
    expect([made.status, made.data]).toEqual([
      202,
      {
        ...{ id: 1, name: 'City', columnheader: 'City', type: 'text', goaltracking: false },
        ...{ cdate: NOW, mdate: NOW },
      },
    ]);
    const subscriber_id = await subscriber('a@example.com');
    const data = { subscriber_id, subscriberprofilefield_id: 1, value: 'Paris' };
    expect((await post('subscriberProfileData', data)).status).toBe(202);
    await sandbox.at(60);
    const changed = await put('subscriberProfileField/1', { name: 'Town', columnheader: 'TOWN' });
    expect(changed.data).toMatchObject({ name: 'Town', columnheader: 'TOWN', mdate: NOW + 60 });
    expect((await del('subscriberProfileField/1')).data).toEqual({ id: 1 });
    expect(await sandbox.rows('profile_data')).toEqual([]);
  });

  it('an existing name is 409 with resource_id, but a PUT may repeat its own name', async () => {
    const [city, zip] = [
      await idOf(post('subscriberProfileField', { name: 'City' })),
      await idOf(post('subscriberProfileField', { name: 'Zip' })),
    ];
    const again = await post('subscriberProfileField', { name: 'City' });
    expect([again.status, again.response['resource_id']]).toEqual([409, city]);
    expect((await put(`subscriberProfileField/${zip}`, { name: 'City' })).status).toBe(409);
    expect((await put(`subscriberProfileField/${zip}`, { name: 'Zip' })).status).toBe(200);
  });

  it('columnheader is unique: 409 with resource_id, and a field without one has its name as the header', async () => {
    const city = await idOf(post('subscriberProfileField', { name: 'City', columnheader: 'CITY' }));
    const town = await idOf(post('subscriberProfileField', { name: 'Town', goaltracking: true }));
    for (const [body, id] of [
      [{ name: 'Place', columnheader: 'CITY' }, city],
      [{ name: 'Place', columnheader: 'Town' }, town],
      [{ name: 'CITY' }, city],
    ] as const) {
      const refused = await post('subscriberProfileField', body);
      expect([refused.status, refused.response['resource_id']]).toEqual([409, id]);
    }
    expect((await put(`subscriberProfileField/${town}`, { columnheader: 'CITY' })).status).toBe(409);
    expect((await put(`subscriberProfileField/${town}`, { columnheader: 'Town' })).status).toBe(200);
    expect((await get('subscriberProfileField?columnheader=CITY')).list.map(({ id }) => id)).toEqual([city]);
    expect((await get(`subscriberProfileField/${town}`)).data).toMatchObject({ goaltracking: true });
  });

  it('has the limit subscriberprofilefield_limit, and one that a search uses cannot be deleted', async () => {
    const { db } = sandbox.service.store;
    await db.run(sql`update account set subscriberprofilefield_limit = 1 where id = 1`);
    expect((await post('subscriberProfileField', { name: 'City' })).status).toBe(202);
    expect((await post('subscriberProfileField', { name: 'Zip' })).status).toBe(409);
    await sandbox.put('search', { account_id: 1, name: 'S', field_id: 1, equals: 'Paris', cdate: NOW });
    const kept = await del('subscriberProfileField/1');
    expect([kept.status, kept.response['message']]).toEqual([409, 'Saved search 1 uses this profile field']);
    expect(await sandbox.rows('profile_field')).toHaveLength(1);
  });
});

describe('folder restriction: "hides their lists from a user; subscriptions … referencing a hidden list are affected"', () => {
  let seen: number;
  let hidden: number;
  let open: number;
  let secret: number;
  let who: { readonly onBoth: number; readonly onHidden: number; readonly onNone: number };
  beforeEach(async () => {
    [open, secret] = [await folder('Open'), await folder('Secret')];
    await restrict(open);
    [seen, hidden] = [await list({ folder_id: open }), await list({ folder_id: secret })];
    who = {
      onBoth: await subscriber('both@example.com'),
      onHidden: await subscriber('hidden@example.com'),
      onNone: await subscriber('none@example.com'),
    };
    await subscribe(seen, who.onBoth);
    await subscribe(hidden, who.onBoth);
    await subscribe(hidden, who.onHidden);
  });
  const ids = async (target: string) => (await get(target, 'sub')).list.map(({ id }) => id);

  it('GET shows records in the folders of the user', async () => {
    expect(await ids('list')).toEqual([seen]);
    expect(await ids('subscriber')).toEqual([who.onBoth, who.onNone]);
    expect((await get('subscription', 'sub')).list.map((each) => each['list_id'])).toEqual([seen]);
    expect((await get(`subscriber/${who.onBoth}`, 'sub')).data['subscription_count']).toBe(1);
    expect(await ids(`subscriber?list_id=${hidden}`)).toEqual([]);
    expect(await ids(`subscription?list_id=${hidden}`)).toEqual([]);
    expect((await get('subscriber')).list).toHaveLength(3);
  });

  it.each<readonly [string, Method, () => readonly [string, unknown?], number]>([
    ['a hidden list is changed', 'PUT', () => [`list/${hidden}`, { name: 'X' }], 404],
    ['a hidden list is deleted', 'DELETE', () => [`list/${hidden}`], 404],
    ['creating a list in a hidden folder', 'POST', () => ['list', { name: 'X', folder_id: secret }], 403],
    ['creating a list in no folder', 'POST', () => ['list', { name: 'X' }], 400],
    ['a list is moved to a hidden folder', 'PUT', () => [`list/${seen}`, { folder_id: secret }], 403],
    ['a list is moved out of all folders', 'PUT', () => [`list/${seen}`, { folder_id: null }], 400],
    [
      'creating a subscriber on a hidden list',
      'POST',
      () => ['subscriber', { email: 'x@example.com', list_id: hidden }],
      403,
    ],
    ['a subscriber of hidden lists is deleted', 'DELETE', () => [`subscriber/${who.onHidden}`], 404],
    [
      'a subscriber who is also on a hidden list is deleted',
      'DELETE',
      () => [`subscriber/${who.onBoth}`],
      403,
    ],
    [
      'adding someone to a hidden list',
      'POST',
      () => ['subscription', { list_id: hidden, subscriber_id: who.onNone }],
      403,
    ],
    [
      'adding someone of hidden lists to a list',
      'POST',
      () => ['subscription', { list_id: seen, subscriber_id: who.onHidden }],
      403,
    ],
  ])('%s: %s is refused, and nothing changes', async (_, method, what, status) => {
    const tables = ['list', 'subscriber', 'subscription'] as const;
    const before = await Promise.all(tables.map(sandbox.rows));
    const [target, body] = what();
    expect((await sandbox.send('sub', method, `/v1/${target}`, body)).status).toBe(status);
    expect(await Promise.all(tables.map(sandbox.rows))).toEqual(before);
  });

  it('writes within these folders succeed', async () => {
    expect((await post('list', { name: 'X', folder_id: open }, 'sub')).status).toBe(202);
    expect((await post('subscriber', { email: 'x@example.com', list_id: seen }, 'sub')).status).toBe(202);
    expect((await post('subscription', { list_id: seen, subscriber_id: who.onNone }, 'sub')).status).toBe(
      202,
    );
    expect((await del(`subscription?list_id=${seen}`, undefined, 'sub')).list).toHaveLength(3);
    expect((await del(`subscriber/${who.onNone}`, undefined, 'sub')).status).toBe(200);
  });
});

describe('names', () => {
  it('of a deployment also apply to their attributes, in any case if configured', async () => {
    const naming = namingWithOverrides({ case: 'any', fields: { firstname: 'forename', name: 'label' } });
    sandbox = await createTestSandbox({ companions: true, naming });
    expect((await post('List', { label: 'News' })).data).toMatchObject({ label: 'News' });
    expect((await post('SUBSCRIBER', { email: 'a@example.com', forename: 'Ann' })).data).toMatchObject({
      forename: 'Ann',
    });
  });

  it('can be set for them, and are used in their responses', () => {
    const fields = (names: Readonly<Record<string, string>>) => namingWithOverrides({ fields: names });
    expect(() =>
      checkFieldNames(fields({ emailsuspended: 'x' }), catalogue, sandboxOnlyResources),
    ).not.toThrow();
    expect(() => checkFieldNames(fields({ name: 'note' }), catalogue, sandboxOnlyResources)).not.toThrow();
    expect(() => checkFieldNames(fields({ name: 'note' }), [...catalogue, ...sandboxOnlyResources])).toThrow(
      'list has an attribute with the name note',
    );
    expect(DEFAULT_WIRE_NAMING.fields).toEqual({});
  });
});
