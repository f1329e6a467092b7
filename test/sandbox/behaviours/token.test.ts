/**
 * Wire, "Companions, in full", `token`: "POST {username, password} without any signature and any Date … acts as
 * that user, an hour by default, ends with a changed password or a locked user; stored hashed; failed attempts count
 * as failed logins; the scheme name is in the naming table".
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { type FailedAuthCheck, NotAuthenticatedError } from '../../../src/sandbox/request/verify.ts';
import { namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';

const PASSWORD = 'harbour7';
let machineNow: number;
let sandbox: TestSandbox;
let failed: FailedAuthCheck | undefined;
beforeEach(async () => {
  machineNow = NOW * 1000;
  failed = undefined;
  sandbox = await createTestSandbox({
    companions: true,
    machineNow: () => machineNow,
    // Hashing a password is slow on purpose.
    holding: {
      kind: 'a user with a password',
      put: async ({ send }) => {
        const made = await send('admin', 'PUT', `/v1/user/${IDS.sub}`, { password: PASSWORD });
        expect(made.status).toBe(200);
      },
    },
  });
});

const send = async (method: Method, target: string, headers: object, body?: object) => {
  const [path = '', query = ''] = target.split('?');
  const request = {
    ...{ method, path, query },
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return readAnswer(
    await sandbox.service.handle(request, undefined, (refused) => {
      if (refused instanceof NotAuthenticatedError) failed = refused.failed;
    }),
    method,
  );
};
const logIn = (password = PASSWORD, username = 'sub', headers: object = {}) =>
  send('POST', '/v1/token', headers, { username, password });
const as = (token: unknown, method: Method, target: string, body?: object, headers: object = {}) =>
  send(method, target, { authorization: `SvcToken ${String(token)}`, ...headers }, body);
const tokenOf = async (): Promise<string> => String((await logIn()).data['token']);
const userRow = async () => (await sandbox.rows('user')).find(({ id }) => id === IDS.sub);

describe('POST token', () => {
  it('returns a token of 96 characters and its expiry', async () => {
    const made = await logIn();
    expect([made.status, made.data]).toEqual([
      202,
      { token: expect.stringMatching(/^[A-Za-z0-9+/]{96}$/), expiry: NOW + 3600 },
    ]);
    expect((await logIn()).data['token']).not.toBe(made.data['token']);
    expect(await userRow()).toMatchObject({ logins: 2, lastlogon: NOW, failed_logins: 0 });
  });

  it('accepts a form', async () => {
    const request = {
      ...({ method: 'POST', path: '/v1/token', query: '' } as const),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `username=sub&password=${PASSWORD}`,
    } as const;
    expect((await sandbox.service.handle(request)).status).toBe(202);
  });

  it('stores only hashes of token and password', async () => {
    const token = await tokenOf();
    const stored = JSON.stringify([await sandbox.rows('session_token'), await sandbox.rows('user')]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(PASSWORD);
    expect((await sandbox.rows('session_token'))[0]?.['hash']).toMatch(/^[0-9a-f]{64}$/);
    const { data } = await sandbox.send('admin', 'GET', `/v1/user/${IDS.sub}`);
    expect([data['password'], Object.keys(data).filter((name) => name.includes('hash'))]).toEqual([null, []]);
  });

  it('is 401 with the same words for a wrong password, an unknown name and a user without a password', async () => {
    const refusals = [
      await logIn('wrong-one1'),
      await logIn(PASSWORD, 'nobody'),
      await logIn(PASSWORD, 'sub2'),
    ];
    for (const refused of refusals) expect([refused.status, refused.text]).toEqual([401, refusals[0]?.text]);
    expect(failed).toMatchObject({ check: 'login' });
    expect(await sandbox.rows('session_token')).toEqual([]);
  });

  it('"failed attempts count as failed logins": the third consecutive one locks the user', async () => {
    await logIn('wrong-one1');
    await logIn('wrong-one1');
    expect(await userRow()).toMatchObject({ failed_logins: 2, locked: 0 });
    expect((await logIn()).status).toBe(202);
    expect(await userRow()).toMatchObject({ failed_logins: 0, locked: 0 });
    for (let at = 0; at < 3; at += 1) expect((await logIn('wrong-one1')).status).toBe(401);
    expect(await userRow()).toMatchObject({ failed_logins: 3, locked: 1 });
    expect((await logIn()).status).toBe(401);
    expect(failed?.why).toBe('The user sub is locked');
  });

  it.each([
    ['a body with a large announced size', { 'content-length': '5000' }, 413],
    ['another content type', { 'content-type': 'text/plain' }, 415],
  ])('%s is rejected', async (_, headers, status) => {
    expect((await logIn(PASSWORD, 'sub', headers)).status).toBe(status);
    expect(await sandbox.rows('session_token')).toEqual([]);
  });

  // The public clients send no header at all with POST token.
  it.each([undefined, new Date((NOW + 3600) * 1000).toUTCString(), 'yesterday'])(
    'needs no Date, because nothing is signed: %s',
    async (date) => {
      expect((await logIn(PASSWORD, 'sub', { date })).status).toBe(202);
    },
  );

  it('is 400 with the names of missing attributes, and 405 for other methods', async () => {
    const refused = await send('POST', '/v1/token', {}, { username: 'sub' });
    expect([refused.status, refused.response['message']]).toEqual([400, 'password is required']);
    expect((await sandbox.send('admin', 'GET', '/v1/token')).status).toBe(405);
  });

  it('requires the company if several have a user of that name', async () => {
    for (const [who, id] of [
      ['admin', IDS.admin],
      ['other', IDS.otherAdmin],
    ] as const)
      await sandbox.send(who, 'PUT', `/v1/user/${id}`, { password: `${who}-pass1` });
    const refused = await logIn('other-pass1', 'admin');
    expect([refused.status, refused.response['message']]).toEqual([
      400,
      'username is the name of users of several companies: send X-Svc-CID too',
    ]);
    const made = await logIn('other-pass1', 'admin', { 'x-svc-cid': String(IDS.other) });
    const shown = await as(made.data['token'], 'GET', '/v1/account');
    expect(shown.list[0]?.['id']).toBe(IDS.other);
  });

  it('is 403 for a locked account, as with a signature', async () => {
    await sandbox.send('partner', 'PUT', `/v1/accountFeatures/${IDS.company}`, { locked: true });
    expect((await logIn()).status).toBe(403);
  });

  it('does not exist if the sandbox was started without --companions', async () => {
    sandbox = await createTestSandbox();
    expect((await logIn()).status).toBe(404);
    expect((await as('x', 'GET', '/v1/account')).status).toBe(401);
  });
});

describe('a request with a token instead of a signature', () => {
  it('"acts as that user", reads and writes, any number of times', async () => {
    const token = await tokenOf();
    for (let at = 0; at < 2; at += 1)
      expect((await as(token, 'GET', '/v1/user')).list.map(({ id }) => id)).toEqual([IDS.sub]);
    const made = await as(token, 'POST', '/v1/folder', { name: 'News' });
    expect(made.status).toBe(202);
    expect((await as(token, 'PUT', `/v1/folder/${made.data['id']}`, { name: 'Old' })).data['name']).toBe(
      'Old',
    );
    expect((await as(token, 'DELETE', `/v1/user/${IDS.sub2}`)).status).toBe(403);
  });

  it('401 for ids in the headers that are not those of the token', async () => {
    const token = await tokenOf();
    const ids = (cid: number, uid: number) => ({ 'x-svc-cid': String(cid), 'x-svc-uid': String(uid) });
    expect((await as(token, 'GET', '/v1/account', undefined, ids(IDS.company, IDS.sub))).status).toBe(200);
    for (const headers of [ids(IDS.other, IDS.sub), ids(IDS.company, IDS.admin), { 'x-svc-pid': '1' }])
      expect((await as(token, 'GET', '/v1/account', undefined, headers)).status).toBe(401);
  });

  it.each(['', 'x', 'A'.repeat(96), 'A'.repeat(5000)])('401 for the token %j', async (token) => {
    await tokenOf();
    expect((await as(token, 'GET', '/v1/account')).status).toBe(401);
    expect(failed).toMatchObject({ check: 'token' });
  });

  it('needs no Date, and one that is an hour off does no harm', async () => {
    const token = await tokenOf();
    for (const date of [undefined, new Date((NOW + 3600) * 1000).toUTCString()])
      for (const method of ['GET', 'HEAD'] as const)
        expect((await as(token, method, '/v1/account', undefined, { date })).status).toBe(200);
  });

  it('lasts "an hour by default", by the machine\'s clock and not by a moved sandbox clock', async () => {
    const token = await tokenOf();
    await sandbox.at(7200);
    expect((await as(token, 'GET', '/v1/account')).status).toBe(200);
    machineNow += 3_599_000;
    expect((await as(token, 'GET', '/v1/account')).status).toBe(200);
    machineNow += 1_000;
    expect((await as(token, 'GET', '/v1/account')).status).toBe(401);
    await logIn();
    expect(await sandbox.rows('session_token')).toHaveLength(1);
  });

  it('"ends when the password changes"', async () => {
    const token = await tokenOf();
    await sandbox.send('admin', 'PUT', `/v1/user/${IDS.sub}`, { firstname: 'Sue' });
    expect((await as(token, 'GET', '/v1/account')).status).toBe(200);
    await sandbox.send('admin', 'PUT', `/v1/user/${IDS.sub}`, { password: 'another77' });
    expect((await as(token, 'GET', '/v1/account')).status).toBe(401);
    expect((await logIn()).status).toBe(401);
    expect((await logIn('another77')).status).toBe(202);
  });

  it('ends with "a locked user", or a deleted one', async () => {
    const token = await tokenOf();
    for (let at = 0; at < 3; at += 1) await logIn('wrong-one1');
    expect((await as(token, 'GET', '/v1/account')).status).toBe(401);
    await sandbox.put('user', {
      ...{ account_id: 1, username: 'gone', email: 'g@example.com', firstname: 'G', lastname: 'G' },
      ...{ timezone: 'UTC', cdate: NOW, mdate: NOW },
    });
    const [{ id } = {}] = (await sandbox.send('admin', 'GET', '/v1/user?username=gone')).list;
    await sandbox.send('admin', 'PUT', `/v1/user/${id}`, { password: PASSWORD });
    const other = (await logIn(PASSWORD, 'gone')).data['token'];
    expect((await as(other, 'GET', '/v1/account')).status).toBe(200);
    await sandbox.send('admin', 'DELETE', `/v1/user/${id}`);
    expect((await as(other, 'GET', '/v1/account')).status).toBe(401);
  });

  it('uses the scheme name of a deployment', async () => {
    const naming = namingWithOverrides({ 'token-scheme': 'AcmeToken', fields: { username: 'login' } });
    sandbox = await createTestSandbox({ companions: true, naming });
    await sandbox.send('admin', 'PUT', `/v1/user/${IDS.sub}`, { password: PASSWORD });
    const made = await send('POST', '/v1/token', {}, { login: 'sub', password: PASSWORD });
    const authorization = `AcmeToken ${made.data['token']}`;
    expect((await send('GET', '/v1/account', { authorization })).status).toBe(200);
    expect((await as(made.data['token'], 'GET', '/v1/account')).status).toBe(401);
  });
});
