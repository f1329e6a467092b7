/** The pipeline from request to answer (wire, "Requests" and "Responses"). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { namingWith } from '../../src/protocol/naming.ts';
import { MAX_BODY_OCTETS } from '../../src/protocol/wire.ts';
import { automationKinds, automationRules, type Transcript, transcript } from '../resources/transcript.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })));
const folder = (name: string, cdate = NOW): Promise<number> =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate, mdate: cdate });
const named = (answer: { readonly response: Readonly<Record<string, unknown>> }): string[] =>
  (answer.response['additional_information'] as { attribute: string }[]).map(({ attribute }) => attribute);

describe('404 for what is no resource', () => {
  it.each([
    '/v1/nothing',
    '/v1/Folder',
    '/v1/FOLDER',
    '/v1/folders',
    '/v1/accountfeatures',
    '/v1/list',
    '/v1/subscriber',
    '/v1/',
    '/v1',
    '/',
    '/v2/folder',
    '/folder',
    '/v1//folder',
    '/v1/folder/1/name',
    '/v1/constructor',
    '/v1/__proto__',
  ])('%s', async (target) => {
    const answer = await send({ target });
    expect([answer.status, answer.response['code']]).toEqual([404, 404]);
  });
});

const tables = new Map<string, Transcript>([
  ...Object.entries(transcript),
  ...Object.keys(automationKinds).map((kind) => [kind, automationRules] as const),
]);
const unsupported = [...tables].flatMap(([name, table]) =>
  (['HEAD', 'POST', 'PUT', 'DELETE'] as const)
    .filter((method) => table[method] === undefined)
    .map((method) => [method, name] as const),
);

describe('405 with Allow for every method that the document marks unsupported', () => {
  it('are as many as the document has', () => {
    expect(unsupported.map(([method, name]) => `${method} ${name}`).sort()).toEqual([
      'DELETE account',
      'DELETE accountFeatures',
      'DELETE emailMessageLink',
      'DELETE sms',
      'DELETE smsDestination',
      'DELETE task',
      'HEAD accountFeatures',
      'POST accountFeatures',
      'POST emailMessageLink',
      'POST form',
      'POST smsDestination',
      'PUT account',
      'PUT doNotContact',
      'PUT emailMessageLink',
      'PUT form',
      'PUT sms',
    ]);
  });

  it.each(unsupported)('%s %s', async (method, name) => {
    const table = tables.get(name);
    const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].filter(
      (each) => each === 'GET' || table?.[each as 'HEAD'] !== undefined,
    );
    for (const caller of [ADMIN, PARTNER]) {
      const answer = await send({ uid: undefined, ...caller, method, target: `/v1/${name}` });
      expect(answer.status).toBe(405);
      expect(words(answer.headers['allow'])).toEqual(allowed.sort());
      expect(answer.text === '').toBe(method === 'HEAD');
    }
  });

  it('POST account with company authentication: "unsupported for company auth"', async () => {
    const answer = await send({
      method: 'POST',
      target: '/v1/account',
      body: '{"name":"N","contactemail":"a@example.com"}',
    });
    expect([answer.status, words(answer.headers['allow'])]).toEqual([405, ['GET', 'HEAD']]);
    expect(await sandbox.rows('account')).toHaveLength(3);
  });

  it.each([...tables].filter(([, table]) => table.POST).map(([name]) => name))(
    'POST to an item path of %s',
    async (name) => {
      const answer = await send({ method: 'POST', target: `/v1/${name}/1`, body: '{}' });
      expect(answer.status).toBe(405);
      expect(words(answer.headers['allow'])).not.toContain('POST');
    },
  );
});

describe('bodies', () => {
  const post = (body: string, contentType?: string) =>
    send({
      method: 'POST',
      target: '/v1/folder',
      body,
      ...(contentType === undefined ? {} : { contentType }),
    });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    '%s',
    async (contentType) => {
      expect((await post('{"name":"News"}', contentType)).status).toBe(202);
    },
  );

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', '', 'application/jsonp'])(
    '415 for %j',
    async (contentType) => {
      const answer = await post('{"name":"News"}', contentType);
      expect([answer.status, answer.response['code']]).toEqual([415, 415]);
      expect(await sandbox.rows('folder')).toEqual([]);
    },
  );

  it('413 over 10 MiB, not at 10 MiB', async () => {
    const filled = (octets: number): string => `{"name":"${'x'.repeat(octets - 11)}"}`;
    expect((await post(filled(MAX_BODY_OCTETS + 1))).status).toBe(413);
    expect((await post(filled(MAX_BODY_OCTETS))).status).toBe(400);
    expect(MAX_BODY_OCTETS).toBe(10 * 1024 * 1024);
  });

  it.each(['{', '[]', '"x"', 'null', '7', '{"name":"a"} x', 'name=News'])(
    '400 for %j as JSON',
    async (body) => {
      expect((await post(body)).status).toBe(400);
      expect(await sandbox.rows('folder')).toEqual([]);
    },
  );

  it('attributes that JavaScript has on every object are unknown ones', async () => {
    const answer = await post('{"name":"News","constructor":1,"__proto__":{"x":1},"toString":2}');
    expect(answer.status).toBe(400);
    expect(named(answer).sort()).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('application/x-www-form-urlencoded: "numbers and booleans as text, an empty value is null"', () => {
  const form = { contentType: 'application/x-www-form-urlencoded' };

  it('text', async () => {
    const made = await send({
      method: 'POST',
      target: '/v1/folder',
      body: 'name=Spring+sale+%26+caf%C3%A9',
      ...form,
    });
    expect([made.status, made.data['name']]).toEqual([202, 'Spring sale & café']);
  });

  it('numbers, booleans and null', async () => {
    const set = (body: string) =>
      send({
        ...PARTNER,
        uid: undefined,
        method: 'PUT',
        target: '/v1/accountFeatures/1',
        body,
        ...form,
      });
    const on = await set('list_limit=7&enableanalyse=true&enablecms=1&enablecrm=0&search_limit=5');
    expect(on.data).toMatchObject({
      list_limit: 7,
      enableanalyse: true,
      enablecms: true,
      enablecrm: false,
      search_limit: 5,
    });
    expect((await set('search_limit=')).data['search_limit']).toBeNull();
  });

  it.each([
    ['name=', ['name']],
    ['name=a&name=b', ['name']],
    ['name=a&colour=red', ['colour']],
    ['name=a&id=5', ['id']],
    ['', ['name']],
  ])('400 for %j', async (body, attributes) => {
    const answer = await send({ method: 'POST', target: '/v1/folder', body, ...form });
    expect(answer.status).toBe(400);
    expect(named(answer)).toEqual(attributes);
  });

  it('a number that is none names its attribute', async () => {
    const answer = await send({
      ...form,
      ...PARTNER,
      uid: undefined,
      method: 'PUT',
      target: '/v1/accountFeatures/1',
      body: 'list_limit=many&locked=maybe',
    });
    expect([answer.status, named(answer)]).toEqual([400, ['list_limit', 'locked']]);
  });
});

describe('a slash at the end is the collection, signed with or without it', () => {
  it.each(['/v1/folder', '/v1/folder/'])('%s', async (target) => {
    await folder('News');
    const answer = await send({ target });
    expect([answer.status, answer.list.map(({ name }) => name)]).toEqual([200, ['News']]);
    expect((await send({ method: 'POST', target, body: '{"name":"B"}' })).status).toBe(202);
  });
  it('signed without the slash, sent with it', async () => {
    await folder('News');
    const { headers } = signing({ ...ADMIN, target: '/v1/folder' });
    const answer = await sandbox.service.handle({ method: 'GET', path: '/v1/folder/', query: '', headers });
    expect(answer.status).toBe(200);
  });
});

describe('the id of an item', () => {
  it.each<readonly [string, Signing]>([
    ['in the path', { target: '/v1/folder/1' }],
    ['in the query', { target: '/v1/folder?id=1' }],
    ['in both, the same', { target: '/v1/folder/1?id=1' }],
    ['percent-encoded', { target: '/v1/folder/%31' }],
  ])('GET %s: "an object where the request named one item by id"', async (_, parts) => {
    await folder('News');
    const answer = await send(parts);
    expect([answer.status, answer.response['count'], answer.response['next'], answer.data['name']]).toEqual([
      200,
      1,
      null,
      'News',
    ]);
  });

  it.each<readonly [string, Signing]>([
    ['path and query', { target: '/v1/folder/1?id=2' }],
    ['path and body of a PUT', { method: 'PUT', target: '/v1/folder/1', body: '{"id":2,"name":"X"}' }],
    ['path and body of a DELETE', { method: 'DELETE', target: '/v1/folder/1', body: '{"id":2}' }],
    ['path and query of a DELETE', { method: 'DELETE', target: '/v1/folder/1?id=2' }],
    ['query and body of a DELETE', { method: 'DELETE', target: '/v1/folder?id=1', body: '{"id":2}' }],
  ])('"Both given and different: 400": %s', async (_, parts) => {
    await folder('A');
    await folder('B');
    expect((await send(parts)).status).toBe(400);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['A', 'B']);
  });

  it.each<readonly [string, Signing]>([
    ['the path', { target: '/v1/folder/1', body: '{"name":"New"}' }],
    ['the body', { target: '/v1/folder', body: '{"id":1,"name":"New"}' }],
    ['both', { target: '/v1/folder/1', body: '{"id":1,"name":"New"}' }],
  ])('PUT takes it from %s', async (_, parts) => {
    await folder('Old');
    await folder('Other');
    const answer = await send({ method: 'PUT', ...parts });
    expect([answer.status, answer.data]).toMatchObject([200, { id: 1, name: 'New' }]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['New', 'Other']);
  });

  it.each<readonly [string, Signing]>([
    ['the path', { target: '/v1/folder/1' }],
    ['the query', { target: '/v1/folder?id=1' }],
    ['the body', { target: '/v1/folder', body: '{"id":1}' }],
    ['a form', { target: '/v1/folder', body: 'id=1', contentType: 'application/x-www-form-urlencoded' }],
    ['all of them', { target: '/v1/folder/1?id=1', body: '{"id":1}' }],
  ])('DELETE takes it from %s', async (_, parts) => {
    await folder('Gone');
    await folder('Other');
    const answer = await send({ method: 'DELETE', ...parts });
    expect([answer.status, answer.data]).toEqual([200, { id: 1 }]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['Other']);
  });

  it.each<readonly [string, Signing]>([
    ['PUT without any', { method: 'PUT', target: '/v1/folder', body: '{"name":"X"}' }],
    ['DELETE without any', { method: 'DELETE', target: '/v1/folder' }],
    ['DELETE by an attribute that names none', { method: 'DELETE', target: '/v1/folder?name=A' }],
    [
      'DELETE by a body attribute that names none',
      { method: 'DELETE', target: '/v1/folder', body: '{"name":"A"}' },
    ],
    ['POST with an id in the body', { method: 'POST', target: '/v1/folder', body: '{"id":5,"name":"X"}' }],
    ['POST with an id in the query', { method: 'POST', target: '/v1/folder?id=5', body: '{"name":"X"}' }],
    ['an id that is no number', { target: '/v1/folder/abc' }],
    ['an id with a sign', { target: '/v1/folder/-1' }],
    ['an id of 30 digits', { target: `/v1/folder/${'9'.repeat(30)}` }],
    ['an id in JSON that is text', { method: 'PUT', target: '/v1/folder', body: '{"id":"1","name":"X"}' }],
    ['a path that is no percent-encoding', { target: '/v1/folder/%zz' }],
  ])('400 for %s', async (_, parts) => {
    await folder('A');
    expect((await send(parts)).status).toBe(400);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['A']);
  });

  it.each<readonly [string, Signing]>([
    ['GET', { target: '/v1/folder/99' }],
    ['PUT', { method: 'PUT', target: '/v1/folder/99', body: '{"name":"X"}' }],
    ['DELETE', { method: 'DELETE', target: '/v1/folder/99' }],
  ])('404 with the envelope for %s of one that is not there', async (_, parts) => {
    const answer = await send(parts);
    expect(answer.status).toBe(404);
    expect(answer.response).toMatchObject({
      code: 404,
      subcode: null,
      message: expect.stringContaining('99'),
    });
  });

  it('"PUT with nothing to change" is 200 with the object', async () => {
    await folder('News', NOW - 60);
    for (const body of ['{}', '{"id":1}', undefined]) {
      const answer = await send({
        method: 'PUT',
        target: '/v1/folder/1',
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.data['name']]).toEqual([200, 'News']);
    }
  });
});

describe('filters and order', () => {
  it.each<readonly [string, string[]]>([
    ['/v1/folder?colour=red', ['colour']],
    ['/v1/folder?list_count=0', ['list_count']],
    ['/v1/folder?sort=mdate', ['sort']],
    ['/v1/folder?sort=colour', ['sort']],
    ['/v1/folder?count=0', ['count']],
    ['/v1/folder?count=-1', ['count']],
    ['/v1/folder?count=many', ['count']],
    ['/v1/folder?start=News', ['start']],
    ['/v1/folder?reverse=maybe', ['reverse']],
    ['/v1/folder?colour=red&sort=x&count=0', ['colour', 'sort', 'count']],
    ['/v1/account?name=Company', ['name']],
    ['/v1/subscriberProfileData?sort=id&subscriber_id=1', ['sort']],
  ])('400 for %s, naming it', async (target, attributes) => {
    const answer = await send({ target });
    expect([answer.status, named(answer)]).toEqual([400, attributes]);
  });

  const task = (more: Readonly<Record<string, string | number | null>>) =>
    sandbox.put('task', {
      account_id: IDS.company,
      user_id: IDS.admin,
      name: 'T',
      channel: 'email',
      message_id: 1,
      scheduledtime: NOW,
      size: 0,
      cdate: NOW,
      ...more,
    });

  it('"attr= (empty) matches null", booleans are true, false, 1 and 0, several are ANDed', async () => {
    await task({ list_id: 7, cancelled: 0 });
    await task({ list_id: null, search_id: 3, cancelled: 1 });
    await task({ list_id: 7, cancelled: 1 });
    const ids = async (query: string) =>
      (await send({ target: `/v1/task?${query}` })).list.map(({ id }) => id);
    expect(await ids('list_id=')).toEqual([2]);
    expect(await ids('list_id=7')).toEqual([1, 3]);
    expect(await ids('list_id=7&cancelled=false')).toEqual([1]);
    for (const yes of ['true', '1']) expect(await ids(`cancelled=${yes}`)).toEqual([2, 3]);
    for (const no of ['false', '0']) expect(await ids(`cancelled=${no}`)).toEqual([1]);
    expect((await send({ target: '/v1/task?list_id=8' })).status).toBe(404);
  });

  it('a null sort value can be where a page begins', async () => {
    for (const endtime of [null, NOW, null, NOW + 5]) await task({ endtime });
    const ids = async (query: string) => await send({ target: `/v1/task?sort=endtime&${query}` });
    const first = await ids('count=2');
    expect([first.list.map(({ id }) => id), first.response['next']]).toEqual([[1, 3], NOW]);
    const back = await ids('count=2&reverse=true');
    expect([back.list.map(({ id }) => id), back.response['next']]).toEqual([[4, 2], '']);
    expect((await ids('count=2&reverse=true&start=')).list.map(({ id }) => id)).toEqual([3, 1]);
  });
});

describe('paging', () => {
  const names = async (query: string) => {
    const answer = await send({ target: `/v1/folder?${query}` });
    return {
      names: answer.list.map(({ name }) => name),
      next: answer.response['next'],
      count: answer.response['count'],
    };
  };
  beforeEach(async () => {
    for (const [index, name] of ['d', 'b', 'a', 'b', 'c'].entries()) await folder(name, NOW + index);
  });

  it('default: by id, no next when all are there', async () => {
    expect(await names('')).toEqual({ names: ['d', 'b', 'a', 'b', 'c'], next: null, count: 5 });
    expect(await names('count=5')).toEqual({ names: ['d', 'b', 'a', 'b', 'c'], next: null, count: 5 });
  });

  it('next is "the value to send as start for the next page", of the sort attribute', async () => {
    expect(await names('count=2')).toEqual({ names: ['d', 'b'], next: 3, count: 2 });
    expect(await names('count=2&start=3')).toEqual({ names: ['a', 'b'], next: 5, count: 2 });
    expect(await names('count=2&start=5')).toEqual({ names: ['c'], next: null, count: 1 });
    expect(await names('sort=name&count=2')).toEqual({ names: ['a', 'b'], next: 'b', count: 2 });
    expect(await names('sort=cdate&count=4')).toMatchObject({ next: NOW + 4 });
  });

  it('start is inclusive and "need not exist"', async () => {
    expect((await names('start=2')).names).toEqual(['b', 'a', 'b', 'c']);
    expect((await names('start=-5')).names).toHaveLength(5);
    expect((await names('sort=name&start=bb')).names).toEqual(['c', 'd']);
    expect((await send({ target: '/v1/folder?start=6' })).status).toBe(404);
  });

  it('rows with equal values are repeated by the next page, in order of their ids', async () => {
    const sorted = await send({ target: '/v1/folder?sort=name' });
    expect(sorted.list.map(({ id }) => id)).toEqual([3, 2, 4, 5, 1]);
    expect((await names('sort=name&count=2&start=b')).names).toEqual(['b', 'b']);
  });

  it('reverse sorts descending, with start inclusive', async () => {
    expect((await names('reverse=true')).names).toEqual(['c', 'b', 'a', 'b', 'd']);
    expect(await names('sort=name&reverse=1&count=2')).toEqual({ names: ['d', 'c'], next: 'b', count: 2 });
    expect((await names('reverse=true&start=2')).names).toEqual(['b', 'd']);
    expect(await names('reverse=true&count=2')).toMatchObject({ next: 3 });
  });

  it('"Above 200 the service caps, it does not refuse"', async () => {
    for (let index = 5; index < 203; index++) await folder(`f${index}`);
    for (const query of ['', 'count=200', 'count=500']) {
      const { names: page, next, count } = await names(query);
      expect([page.length, next, count]).toEqual([200, 201, 200]);
    }
    expect(await names('start=201')).toMatchObject({ count: 3, next: null });
  });
});

describe('HEAD: "200 with no body where something matches, 404 where nothing does"', () => {
  it.each([
    ['/v1/folder', 200],
    ['/v1/folder/1', 200],
    ['/v1/folder?id=1', 200],
    ['/v1/folder?name=News', 200],
    ['/v1/folder?name=News&id=1', 200],
    ['/v1/folder?name=Other', 404],
    ['/v1/folder?name=News&id=2', 404],
    ['/v1/folder/2', 404],
    ['/v1/nothing', 404],
    ['/v1/folder?cdate=1', 400],
    ['/v1/folder/1?id=2', 400],
  ])('%s is %i', async (target, status) => {
    await folder('News');
    const answer = await send({ method: 'HEAD', target });
    expect([answer.status, answer.text]).toEqual([status, '']);
    expect(answer.headers).not.toHaveProperty('content-type');
  });
});

describe('an empty collection', () => {
  it('"GET answers 404 with the error envelope, for a collection too"', async () => {
    const answer = await send({ target: '/v1/folder' });
    expect(answer.status).toBe(404);
    expect(answer.response).toEqual({
      code: 404,
      subcode: null,
      message: expect.any(String),
      additional_information: null,
    });
  });
});

describe('every answer', () => {
  const requests: readonly Signing[] = [
    { target: '/v1/account' },
    { method: 'HEAD', target: '/v1/account' },
    { method: 'HEAD', target: '/v1/folder' },
    { method: 'POST', target: '/v1/folder', body: '{"name":"News"}' },
    { target: '/v1/folder?colour=1' },
    { target: '/v1/nothing' },
    { method: 'DELETE', target: '/v1/task' },
    { key: 'wrong' },
    { method: 'POST', target: '/v1/folder', body: 'x', contentType: 'text/plain' },
    { method: 'POST', target: '/v1/folder', body: '{' },
    { uid: IDS.sub, method: 'DELETE', target: '/v1/user/1' },
  ];

  it("carries the service's clock as X-Svc-Time", async () => {
    await sandbox.at(3600);
    for (const parts of requests)
      expect([parts, (await send(parts)).headers['x-svc-time']]).toEqual([parts, String(NOW + 3600)]);
  });

  it('is JSON in the envelope, where it has a body', async () => {
    for (const parts of requests) {
      const { text, status, headers } = await send(parts);
      if (parts.method === 'HEAD') continue;
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(text).status).toBe(status < 300 ? 'ok' : 'error');
    }
  });

  it('POST is 202, the others 200', async () => {
    const statuses: number[] = [];
    for (const [method, target, body] of [
      ['POST', '/v1/folder', '{"name":"News"}'],
      ['GET', '/v1/folder', undefined],
      ['HEAD', '/v1/folder', undefined],
      ['PUT', '/v1/folder/1', '{"name":"Other"}'],
      ['DELETE', '/v1/folder/1', undefined],
    ] as const)
      statuses.push((await send({ method, target, ...(body === undefined ? {} : { body }) })).status);
    expect(statuses).toEqual([202, 200, 200, 200, 200]);
  });
});

describe('"all faults at once, not only the first"', () => {
  it('in a body', async () => {
    const answer = await send({
      method: 'POST',
      target: '/v1/user',
      body: JSON.stringify({
        email: 'none',
        firstname: 7,
        password: 'short',
        isadmin: true,
        logins: 5,
        colour: 'red',
      }),
    });
    expect(answer.status).toBe(400);
    expect(named(answer).sort()).toEqual([
      'colour',
      'email',
      'firstname',
      'isadmin',
      'lastname',
      'logins',
      'password',
      'username',
    ]);
    expect(answer.text).not.toContain('"short"');
    expect(await sandbox.rows('user')).toHaveLength(4);
  });
});

describe('500', () => {
  it('"a request id in additional_information, no stack trace", and nothing is left behind', async () => {
    await sql`drop table folder_access`.execute(sandbox.service.store.db);
    await sql`create trigger broken after insert on folder begin select raise(abort, 'secret words'); end`.execute(
      sandbox.service.store.db,
    );
    const answer = await send({ method: 'POST', target: '/v1/folder', body: '{"name":"News"}' });
    expect(answer.status).toBe(500);
    expect(answer.response).toEqual({
      code: 500,
      subcode: null,
      message: 'Internal error',
      additional_information: { request_id: expect.stringMatching(/^[0-9a-f]+$/) },
    });
    expect(answer.text).not.toContain('secret');
    expect(sandbox.reports).toHaveLength(1);
    expect(await sandbox.rows('folder')).toEqual([]);
    expect(await sandbox.rows('nonce')).toEqual([]);
  });
});

describe('vendor names, end to end (wire, "Vendor names")', () => {
  const vendor = namingWith({
    headerPrefix: 'X-Acme-',
    companyScheme: 'AcmeHash',
    partnerScheme: 'AcmePartner',
    fields: { name: 'title', list_count: 'lists', enablecrm: 'enablesalesthing' },
  });
  const acme = async (parts: Signing) =>
    readAnswer(
      await sandbox.service.handle(
        signing({
          ...ADMIN,
          prefix: 'X-Acme-',
          scheme: parts.pid === undefined ? 'AcmeHash' : 'AcmePartner',
          ...parts,
        }),
      ),
    );
  beforeEach(async () => {
    sandbox = await createTestSandbox({ naming: vendor });
  });

  it("headers, schemes, bodies, filters, sorts and answers go by the deployment's names", async () => {
    const made = await acme({ method: 'POST', target: '/v1/folder', body: '{"title":"News"}' });
    expect([made.status, made.headers['x-acme-time']]).toEqual([202, String(NOW)]);
    expect(made.data).toEqual({
      id: 1,
      title: 'News',
      lists: 0,
      subscription_count: 0,
      cdate: NOW,
      mdate: NOW,
    });
    expect((await acme({ target: '/v1/folder?title=News&sort=title' })).list).toEqual([made.data]);
    const form = { contentType: 'application/x-www-form-urlencoded' };
    const put = await acme({ method: 'PUT', target: '/v1/folder/1', body: 'title=Other', ...form });
    expect(put.data['title']).toBe('Other');
    const features = await acme({
      ...PARTNER,
      uid: undefined,
      method: 'PUT',
      target: '/v1/accountFeatures/1',
      body: '{"enablesalesthing":false}',
    });
    expect([features.status, features.data['enablesalesthing']]).toEqual([200, false]);
  });

  it('faults name attributes as the deployment does', async () => {
    const missing = await acme({ method: 'POST', target: '/v1/folder', body: '{}' });
    expect([missing.status, named(missing)]).toEqual([400, ['title']]);
    expect(missing.response['message']).toContain('title');
    expect(named(await acme({ target: '/v1/folder?lists=3' }))).toEqual(['lists']);
  });

  it('the neutral headers prove nothing there', async () => {
    expect((await send({ target: '/v1/account' })).status).toBe(401);
  });
});

describe('one transaction a request', () => {
  it('a refusal in the middle of several deletions leaves all of them', async () => {
    const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'colour' });
    for (const email of ['a@example.com', 'b@example.com']) {
      const subscriber = await sandbox.put('subscriber', { account_id: IDS.company, email, cdate: NOW });
      await sandbox.put('profile_data', {
        field_id: field,
        subscriber_id: subscriber,
        account_id: IDS.company,
        value: 'red',
      });
    }
    await sql`create trigger broken before delete on profile_data when old.subscriber_id = 2
      begin select raise(abort, 'no'); end`.execute(sandbox.service.store.db);
    const answer = await send({
      method: 'DELETE',
      target: '/v1/subscriberProfileData?subscriberprofilefield_id=1',
    });
    expect(answer.status).toBe(500);
    expect(await sandbox.rows('profile_data')).toHaveLength(2);
  });
});

function words(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .sort();
}
