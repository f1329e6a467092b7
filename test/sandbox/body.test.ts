/** Bodies as JSON and as forms (wire, "body of POST, PUT"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_BODY_OCTETS } from '../../src/protocol/wire.ts';
import { createTestSandbox, readAnswer, type TestSandbox } from '../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../support/signing.ts';

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
