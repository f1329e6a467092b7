/** Bodies as JSON and as forms (wire, "body of POST, PUT"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_BODY_OCTETS } from '../../../src/service/protocol/json.ts';
import { createTestSandbox, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })), parts.method);
const named = (answer: { readonly response: Readonly<Record<string, unknown>> }): string[] =>
  (answer.response['additional_information'] as { attribute: string }[]).map(({ attribute }) => attribute);

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

  it('413 over 10 MiB, but not at 10 MiB', async () => {
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

  it('names of properties that JavaScript objects inherit are unknown attributes', async () => {
    const answer = await post('{"name":"News","constructor":1,"__proto__":{"x":1},"toString":2}');
    expect(answer.status).toBe(400);
    expect(named(answer).sort()).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('application/x-www-form-urlencoded: "numbers and booleans are text, and an empty value is null"', () => {
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

  it('an invalid number: the error names its attribute', async () => {
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

describe('"body of GET, HEAD: ignored, whatever it is; on DELETE `null`, `{}` and nothing are the same"', () => {
  const folderId = () => sandbox.put('folder', { account_id: 1, name: 'News', cdate: NOW, mdate: NOW });

  it.each([
    ['null', 'application/json'],
    ['{}', 'application/json'],
    ['', 'application/json'],
    ['[', 'application/json'],
    ['{"name":"Olds"}', 'application/json'],
    ['name=Olds', 'application/x-www-form-urlencoded'],
    ['<x/>', 'application/xml'],
    ['x'.repeat(MAX_BODY_OCTETS + 1), 'text/plain'],
  ])('GET and HEAD with %.20j as %s', async (body, contentType) => {
    const target = `/v1/folder/${await folderId()}`;
    const shown = await send({ method: 'GET', target, body, contentType });
    expect([shown.status, shown.data['name']]).toEqual([200, 'News']);
    expect((await send({ method: 'HEAD', target, body, contentType })).status).toBe(200);
    expect((await send({ method: 'HEAD', target: '/v1/folder/99', body, contentType })).status).toBe(404);
  });

  it.each([
    ['null', 'application/json'],
    [' null\n', 'application/json'],
    ['{}', 'application/json'],
    ['{ }', 'application/json'],
    ['', 'application/json'],
    ['null', 'application/x-www-form-urlencoded'],
    ['{}', 'text/plain'],
  ])('DELETE with %j as %s', async (body, contentType) => {
    const id = await folderId();
    const gone = await send({ method: 'DELETE', target: `/v1/folder/${id}`, body, contentType });
    expect([gone.status, gone.data]).toEqual([200, { id }]);
    expect(await sandbox.rows('folder')).toEqual([]);
  });

  it.each([
    ['[]', 'application/json', 400],
    ['0', 'application/json', 400],
    ['{"name":"News"}', 'application/json', 400],
    ['x', 'text/plain', 415],
  ])('a DELETE with another body requires a valid one: %j as %s', async (body, contentType, status) => {
    const id = await folderId();
    const answer = await send({ method: 'DELETE', target: `/v1/folder/${id}`, body, contentType });
    expect(answer.status).toBe(status);
    expect(await sandbox.rows('folder')).toHaveLength(1);
  });

  it('null names no record: DELETE of a collection with null is 400', async () => {
    await folderId();
    const answer = await send({ method: 'DELETE', target: '/v1/folder', body: 'null' });
    expect([answer.status, named(answer)]).toEqual([400, ['id']]);
    expect(await sandbox.rows('folder')).toHaveLength(1);
  });
});

describe('"true/false without regard to case (two of the clients send True)"', () => {
  it.each([
    ['True', true],
    ['TRUE', true],
    ['False', false],
    ['fALSE', false],
  ])('%s in a form', async (text, value) => {
    const answer = await send({
      ...PARTNER,
      uid: undefined,
      method: 'PUT',
      target: '/v1/accountFeatures/1',
      contentType: 'application/x-www-form-urlencoded',
      body: `enableanalyse=${text}`,
    });
    expect([answer.status, answer.data['enableanalyse']]).toEqual([200, value]);
  });

  it.each([
    ['currentuser=True', ['admin']],
    ['currentuser=FALSE', ['sub', 'sub2']],
    ['reverse=True', ['sub2', 'sub', 'admin']],
    ['reverse=False', ['admin', 'sub', 'sub2']],
  ])('in a query: %s', async (query, usernames) => {
    const answer = await send({ target: `/v1/user?${query}` });
    expect(answer.list.map(({ username }) => username)).toEqual(usernames);
  });

  it.each(['currentuser=yes', 'reverse=on', 'currentuser=truee'])('400 for %s', async (query) => {
    expect((await send({ target: `/v1/user?${query}` })).status).toBe(400);
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

describe('no body blocks other requests (attack M8)', () => {
  const post = (body: string, contentType = 'application/json') =>
    send({ method: 'POST', target: '/v1/folder', body, contentType });
  const form = 'application/x-www-form-urlencoded';
  const keys = (count: number): string =>
    `{${Array.from({ length: count }, (_, at) => `"a${at}":1`).join(',')}}`;
  const pairs = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}=1`).join('&');

  it.each([
    ['1,001 attributes', keys(1001), 'application/json', 'more than 1000 values'],
    ['1,001 pairs', pairs(1001), form, 'more than 1000 values'],
    ['2,500,000 pairs', 'a&'.repeat(2_500_000), form, 'more than 1000 values'],
    ['700,000 attributes', keys(700_000), 'application/json', 'more than 1000 values'],
    ['a list of 1,001 in one attribute', `{"name":[${'1,'.repeat(1000)}1]}`, 'application/json', '1000'],
    ['33 levels', `{"name":${'['.repeat(32)}${']'.repeat(32)}}`, 'application/json', 'deeper than 32'],
    ['5,000,000 brackets', '['.repeat(5_000_000), 'application/json', 'deeper than 32'],
    ['braces', '{"a":'.repeat(1_000_000), 'application/json', 'deeper than 32'],
  ])('%s: 400 with a short message, before anything is built', async (_, body, contentType, words) => {
    const answer = await post(body, contentType);
    expect(answer.status).toBe(400);
    expect(answer.response['message']).toContain(words);
    expect(answer.text.length).toBeLessThan(300);
  });

  it('the content of a text does not count', async () => {
    const name = '{[,"\\[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[';
    const made = await post(JSON.stringify({ name }));
    expect([made.status, made.data['name']]).toEqual([202, name]);
    const long = `${',[{&='.repeat(1000)}\\"`;
    expect((await post(JSON.stringify({ name: long }))).response['message']).toContain('bytes');
  });

  it('1,000 unknown attributes: 50 are named, and the others counted', async () => {
    for (const answer of [await post(keys(1000)), await post(pairs(1000), form)]) {
      expect(answer.status).toBe(400);
      expect(named(answer)).toHaveLength(50);
      expect(answer.response['message']).toMatch(/; and 951 more$/);
    }
  });

  it('a name of a million characters is truncated in the response', async () => {
    const answer = await post(JSON.stringify({ name: 'News', ['x'.repeat(1_000_000)]: 1 }));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(3000);
  });
});
