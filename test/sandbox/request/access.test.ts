/** The permissions of an authenticated sender, for any record (wire, the row of 403; interface, "Authentication"). */

import { beforeEach, describe, expect, it } from 'vitest';
import { METHODS, type Method, supports } from '../../../src/kit/schema/resource.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { createTestSandbox, IDS, KEYS, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const calls = catalogue.flatMap((resource) =>
  METHODS.filter((method) => supports(resource, method)).map((method) => [method, resource.name] as const),
);
const target = (method: string, name: string): string =>
  method === 'PUT' || method === 'DELETE' ? `/v1/${name}/1` : `/v1/${name}`;
const lock = (table: 'account' | 'user', id: number, set: string) =>
  sandbox.service.store.db.run(sql`update ${sql.ref(table)} set ${sql.raw(set)} where id = ${id}`);
/** Sends a request of the partner, for its company. */
const asPartner = async (parts: Signing) =>
  readAnswer(
    await sandbox.service.handle(
      signing({ pid: IDS.partner, cid: IDS.company, key: KEYS.partner, ...parts }),
    ),
    parts.method,
  );
const nothingChanged = async (): Promise<void> => {
  expect(await sandbox.rows('account')).toHaveLength(3);
  expect(await sandbox.rows('user')).toHaveLength(4);
  expect(await sandbox.rows('folder')).toEqual([]);
  expect(await sandbox.rows('nonce')).toEqual([]);
};

describe.each(calls)('%s %s', (method, name) => {
  it('is 403 for a partner on a company that it does not manage', async () => {
    expect((await sandbox.send('stranger', method, target(method, name), { name: 'X' })).status).toBe(403);
    await nothingChanged();
  });

  // Interface, "Authorisation effects": "A locked account rejects all user access and API calls."
  it('is 403 for every user of a locked account, also if the partner names the user', async () => {
    await lock('account', IDS.company, 'locked = 1');
    for (const as of ['admin', 'sub'] as const)
      expect((await sandbox.send(as, method, target(method, name), { name: 'X' })).status).toBe(403);
    for (const uid of [IDS.admin, IDS.sub])
      expect((await asPartner({ uid, method, target: target(method, name), body: '{}' })).status).toBe(403);
    await nothingChanged();
  });

  // Wire, "Who may act": its partner, without a user, may GET and PUT accountFeatures and GET account.
  const unlocks = ['GET accountFeatures', 'PUT accountFeatures', 'GET account'].includes(`${method} ${name}`);
  it(`is ${unlocks ? 200 : 403} for the partner of a locked account`, async () => {
    await lock('account', IDS.company, 'locked = 1');
    const answer = await asPartner({ method, target: target(method, name), body: '{}' });
    expect(answer.status).toBe(unlocks ? 200 : 403);
    if (!unlocks) await nothingChanged();
  });

  // Interface: "A partner … can act for any company it manages." Wire, "Who may act".
  const needsNoAdmin = ['user', 'accountFeatures', 'account'].includes(name);
  it.each(['locked = 1', 'active = 0'])(
    `${needsNoAdmin ? 'needs no admin who can act' : 'is 403'} for the partner of a company whose admin has %s`,
    async (set) => {
      await lock('user', IDS.admin, set);
      const answer = await asPartner({ method, target: target(method, name), body: '{}' });
      if (needsNoAdmin) expect(answer.status).not.toBe(403);
      else expect(answer.status).toBe(403);
      const named = await asPartner({ uid: IDS.admin, method, target: target(method, name), body: '{}' });
      expect(named.status).toBe(403);
    },
  );

  it('is 401 for a user of another company', async () => {
    const parts: Signing = { cid: IDS.company, uid: IDS.otherAdmin, key: KEYS.company };
    const request = signing({ ...parts, method, target: target(method, name), body: '{"name":"X"}' });
    expect((await sandbox.service.handle(request)).status).toBe(401);
    await nothingChanged();
  });
});

describe('a partner', () => {
  it.each(calls.filter(([method, name]) => `${method} ${name}` !== 'POST account'))(
    '400 without a company for %s %s; only POST account needs none',
    async (method, name) => {
      const refused = await sandbox.send('partner-alone', method, target(method, name), { name: 'X' });
      expect(refused.status).toBe(400);
      if (method !== 'HEAD') expect(refused.response['message']).toMatch(/company id/);
      await nothingChanged();
    },
  );

  it("acts as the admin if it names no user, with an admin's permissions", async () => {
    const all = await sandbox.send('partner', 'GET', '/v1/user');
    expect(all.list.map(({ id, currentuser }) => [id, currentuser])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
  });

  it("acts as the named user, with that user's permissions", async () => {
    const as = (parts: Signing) => asPartner({ uid: IDS.sub, ...parts });
    expect((await as({ target: '/v1/user' })).list.map(({ id }) => id)).toEqual([IDS.sub]);
    expect((await as({ method: 'DELETE', target: '/v1/user/3' })).status).toBe(403);
    expect(await sandbox.rows('user')).toHaveLength(4);
  });

  // "All actions run as the nominated user": the features are the admin's to read, and a partner's to change.
  it.each<readonly [Method, string, string, number]>([
    ['GET', 'sub-user', '/v1/accountFeatures', 403],
    ['PUT', 'sub-user', '/v1/accountFeatures/1', 403],
    ['POST', 'sub-user', '/v1/user', 403],
    ['GET', 'admin', '/v1/accountFeatures', 200],
    ['PUT', 'admin', '/v1/accountFeatures/1', 200],
  ])('%s as a named %s of %s is %i', async (method, who, path, status) => {
    const uid = who === 'admin' ? IDS.admin : IDS.sub;
    expect((await asPartner({ uid, method, target: path, body: '{}' })).status).toBe(status);
  });

  describe('without a user, of a company whose admin has locked themselves out', () => {
    const PERSON = { email: 'a@example.com', firstname: 'A', lastname: 'B', username: 'new', password: null };
    const send = (method: Method, path: string, body?: object) =>
      asPartner({ method, target: path, ...(body && { body: JSON.stringify(body) }) });

    it.each(['locked = 1, failed_logins = 3', 'active = 0'])('reads and changes users (%s)', async (set) => {
      await lock('user', IDS.admin, set);
      expect((await send('GET', '/v1/user')).list).toHaveLength(3);
      expect((await send('HEAD', '/v1/user/1')).status).toBe(200);
      expect((await send('POST', '/v1/user', PERSON)).status).toBe(202);
      expect((await send('DELETE', '/v1/user/5')).status).toBe(200);
      expect((await send('PUT', '/v1/accountFeatures/1', { enablecms: true })).data['enablecms']).toBe(true);
      expect((await send('GET', '/v1/account/1')).data['id']).toBe(IDS.company);
      const mended = await send('PUT', '/v1/user/1', { active: true, password: 'harbour7' });
      expect(mended.data).toMatchObject({ active: true, locked: false });
      expect((await sandbox.send('admin', 'POST', '/v1/folder', { name: 'News' })).status).toBe(202);
    });
  });
});
