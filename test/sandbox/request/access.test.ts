/** The permissions of an authenticated sender, for any record (wire, the row of 403; interface, "Authentication"). */

import { beforeEach, describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/resources/catalogue.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { METHODS, supports } from '../../../src/schema/resource.ts';
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

  it('is 403 for every user of a locked account', async () => {
    await sandbox.service.store.db.run(sql`update account set locked = 1 where id = ${IDS.company}`);
    for (const as of ['admin', 'sub'] as const)
      expect((await sandbox.send(as, method, target(method, name), { name: 'X' })).status).toBe(403);
    await nothingChanged();
  });

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
    const as = async (parts: Signing) =>
      readAnswer(
        await sandbox.service.handle(
          signing({ pid: IDS.partner, cid: IDS.company, uid: IDS.sub, key: KEYS.partner, ...parts }),
        ),
      );
    expect((await as({ target: '/v1/user' })).list.map(({ id }) => id)).toEqual([IDS.sub]);
    expect((await as({ method: 'DELETE', target: '/v1/user/3' })).status).toBe(403);
    expect(await sandbox.rows('user')).toHaveLength(4);
  });
});
