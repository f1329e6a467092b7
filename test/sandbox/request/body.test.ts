/** Bodies as JSON and as forms (wire, "body of POST, PUT"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_BODY_OCTETS } from '../../../src/protocol/wire.ts';
import { createTestSandbox, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })));
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

describe('no body keeps everybody else waiting (attack M8)', () => {
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
  ])('%s: 400 in a few words, before anything is built', async (_, body, contentType, words) => {
    const answer = await post(body, contentType);
    expect(answer.status).toBe(400);
    expect(answer.response['message']).toContain(words);
    expect(answer.text.length).toBeLessThan(300);
  });

  it('what is inside a text counts for nothing', async () => {
    const name = '{[,"\\[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[';
    const made = await post(JSON.stringify({ name }));
    expect([made.status, made.data['name']]).toEqual([202, name]);
    const long = `${',[{&='.repeat(1000)}\\"`;
    expect((await post(JSON.stringify({ name: long }))).response['message']).toContain('octets');
  });

  it('1,000 attributes that there are none of: 50 are named, and how many more', async () => {
    for (const answer of [await post(keys(1000)), await post(pairs(1000), form)]) {
      expect(answer.status).toBe(400);
      expect(named(answer)).toHaveLength(50);
      expect(answer.response['message']).toMatch(/; and 951 more$/);
    }
  });

  it('a name of a million characters is cut in the answer', async () => {
    const answer = await post(JSON.stringify({ name: 'News', ['x'.repeat(1_000_000)]: 1 }));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(3000);
  });
});
