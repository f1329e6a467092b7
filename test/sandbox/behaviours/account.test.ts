import { beforeEach, describe, expect, it } from 'vitest';
import { readSignatureHeaders } from '../../../src/service/auth/verify.ts';
import { createTestSandbox, IDS, KEYS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const restrict = async (): Promise<void> => {
  const folder = await sandbox.put('folder', { account_id: 1, name: 'Own', cdate: NOW, mdate: NOW });
  await sandbox.put('folder_access', { user_id: IDS.sub, folder_id: folder });
};

describe('account GET: "returns the account record"', () => {
  it('folderrestrict is "true while folder restrictions hold"', async () => {
    const shown = async (as: 'admin' | 'sub' | 'sub2' | 'other') =>
      (await sandbox.send(as, 'GET', '/v1/account')).list[0]?.['folderrestrict'];
    expect(await shown('admin')).toBe(false);
    await restrict();
    expect([await shown('admin'), await shown('sub'), await shown('sub2'), await shown('other')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect((await sandbox.send('admin', 'DELETE', '/v1/folder/1')).status).toBe(200);
    expect([await shown('admin'), await shown('sub')]).toEqual([false, false]);
  });

  it('has every field of the table and of the sample response', async () => {
    const answer = await sandbox.send('admin', 'GET', '/v1/account/1');
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      id: 1,
      address: '',
      automation_limit: null,
      blacklist_count: 0,
      contactemail: 'office@example.com',
      country: '',
      emailcreditbalance: 1000,
      emailsuspended_count: 0,
      folder_count: 0,
      folderrestrict: false,
      goaltrackingdomain: '',
      inboxtestcreditbalance: 0,
      list_count: 0,
      list_limit: 200,
      name: 'Company',
      search_limit: null,
      smsautomation_limit: null,
      smscreditbalance: 1000,
      subscriber_count: 0,
      subscriber_limit: null,
      subscriberprofileattribute_limit: null,
      smssuspended_count: 0,
      telephone: null,
      timezone: 'Europe/London',
      user_count: 2,
      user_limit: 10,
      website: null,
      cdate: NOW - 86_400,
      mdate: NOW - 86_400,
      custommaildomain: false,
      subscriberprofilefield_limit: null,
    });
  });

  it("counts only the account's own records", async () => {
    for (const account_id of [IDS.company, IDS.company, IDS.other]) {
      const suffix = `${account_id}${Math.random()}`;
      const times = { account_id, cdate: NOW };
      await sandbox.put('folder', { ...times, name: suffix, mdate: NOW });
      await sandbox.put('list', { ...times, name: suffix });
      await sandbox.put('subscriber', { ...times, email: `${suffix}@example.com`, emailsuspended: 1 });
      await sandbox.put('subscriber', { ...times, email: `s${suffix}@example.com`, smssuspended: 1 });
      await sandbox.put('do_not_contact', { ...times, contactdata: `${suffix}@example.org` });
    }
    expect((await sandbox.send('admin', 'GET', '/v1/account/1')).data).toMatchObject({
      folder_count: 2,
      list_count: 2,
      subscriber_count: 4,
      emailsuspended_count: 2,
      smssuspended_count: 2,
      blacklist_count: 2,
    });
  });

  it.each([
    ['admin', 'Company'],
    ['sub', 'Company'],
    ['partner', 'Company'],
    ['other', 'Other'],
  ] as const)('as %s returns its own account, "only one record per company"', async (as, name) => {
    const all = await sandbox.send(as, 'GET', '/v1/account');
    expect([all.status, all.response['count'], all.response['next']]).toEqual([200, 1, null]);
    // wire: data is an object only "where the request named one item by id".
    expect(all.list.map((record) => record['name'])).toEqual([name]);
  });

  it('hides the account of another company', async () => {
    expect((await sandbox.send('admin', 'GET', '/v1/account/2')).status).toBe(404);
    expect((await sandbox.send('admin', 'GET', '/v1/account?id=2')).status).toBe(404);
    expect((await sandbox.send('partner', 'GET', '/v1/account/2')).status).toBe(404);
  });

  it('three counts "are null for sub-users when category restrictions are enabled"', async () => {
    const counts = { blacklist_count: 0, emailsuspended_count: 0, smssuspended_count: 0 };
    const nulls = { blacklist_count: null, emailsuspended_count: null, smssuspended_count: null };
    const of = async (as: 'admin' | 'sub' | 'sub2') => (await sandbox.send(as, 'GET', '/v1/account/1')).data;
    expect(await of('sub')).toMatchObject(counts);
    expect(await of('sub2')).toMatchObject(counts);
    await restrict();
    expect(await of('sub')).toMatchObject(nulls);
    // "for sub-users", restricted themselves or not.
    expect(await of('sub2')).toMatchObject(nulls);
    expect(await of('admin')).toMatchObject(counts);
  });

  it.each(['name=Company', 'sort=id', 'cdate=1'])('"No filtering or sorting": ?%s is 400', async (query) => {
    expect((await sandbox.send('admin', 'GET', `/v1/account?${query}`)).status).toBe(400);
  });

  it('requires a company from a partner', async () => {
    expect((await sandbox.send('partner-alone', 'GET', '/v1/account')).status).toBe(400);
    expect((await sandbox.send('stranger', 'GET', '/v1/account')).status).toBe(403);
  });
});

describe('account HEAD: "supported; always present"', () => {
  it.each(['admin', 'sub', 'partner', 'other'] as const)('as %s', async (as) => {
    const answer = await sandbox.send(as, 'HEAD', '/v1/account');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
  // Wire, "item": "An `id` in the query (GET, HEAD, DELETE) … names the same item".
  it.each([
    ['?id=1', 200],
    ['/1', 200],
    ['/1?id=1', 200],
    ['?id=2', 404],
    ['/2', 404],
    ['/1?id=2', 400],
    ['?name=Company', 400],
  ])('takes no attributes but the id that names the item: %s is %i', async (rest, status) => {
    expect((await sandbox.send('admin', 'HEAD', `/v1/account${rest}`)).status).toBe(status);
    expect((await sandbox.send('admin', 'GET', `/v1/account${rest}`)).status).toBe(status);
  });
});

describe('account POST: "lets a partner POST /account to create a company account without a company id or user id"', () => {
  const NEW = { name: 'New', contactemail: 'new@example.com' };

  it('creates one of this partner, with the defaults of the table', async () => {
    const made = await sandbox.send('partner-alone', 'POST', '/v1/account', NEW);
    expect(made.status).toBe(202);
    expect(made.data).toMatchObject({
      ...NEW,
      id: 4,
      automation_limit: null,
      list_limit: 200,
      search_limit: null,
      smsautomation_limit: null,
      subscriber_limit: null,
      subscriberprofileattribute_limit: null,
      user_limit: 0,
      user_count: 0,
      website: null,
      telephone: null,
      // "Two-character country code", and not null: ISO 3166-1 reserves ZZ for users without a country.
      country: 'ZZ',
      timezone: 'Europe/London',
      cdate: NOW,
      mdate: NOW,
    });
    const row = (await sandbox.rows('account')).find(({ id }) => id === 4);
    expect(row).toMatchObject({ partner_id: IDS.partner, api_key: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(made.text).not.toContain(String(row?.['api_key']));
  });

  it('accepts every writable field', async () => {
    const all = {
      ...NEW,
      address: '1 High Street',
      automation_limit: 5,
      country: 'GB',
      folderrestrict: true,
      goaltrackingdomain: 'mail.example.com',
      list_limit: 7,
      search_limit: 8,
      smsautomation_limit: 9,
      subscriber_limit: 1,
      subscriberprofileattribute_limit: 3,
      telephone: '+44 20 7946 0000',
      timezone: 'Australia/Sydney',
      user_limit: 2,
      website: 'https://example.com',
    };
    expect((await sandbox.send('partner-alone', 'POST', '/v1/account', all)).data).toMatchObject(all);
  });

  it('"the first user created for an account must be an admin"', async () => {
    await sandbox.send('partner-alone', 'POST', '/v1/account', { ...NEW, user_limit: 1 });
    const person = { email: 'a@example.com', firstname: 'A', lastname: 'B', username: 'a', password: null };
    const as = async (body: object) => {
      const request = signing({
        pid: 1,
        cid: 4,
        key: KEYS.partner,
        method: 'POST',
        target: '/v1/user',
        body: JSON.stringify(body),
      });
      expect(readSignatureHeaders(request)?.signed.userId).toBeUndefined();
      return readAnswer(await sandbox.service.handle(request));
    };
    expect((await as(person)).status).toBe(400);
    expect((await as({ ...person, isadmin: true })).status).toBe(202);
    expect((await as({ ...person, username: 'b' })).status).toBe(202);
  });

  // Interface, account: "Two-character country code (ISO 3166-1 alpha-2)". The code of no country is what a response shows without one.
  it.each([
    ['GB', 202],
    ['XK', 400],
    ['ZZ', 202],
    ['UK', 400],
    ['AB', 400],
    ['gb', 400],
  ])('with the country %s is %i', async (country, status) => {
    const answer = await sandbox.send('partner-alone', 'POST', '/v1/account', { ...NEW, country });
    expect([answer.status, answer.data['country']]).toEqual([status, status === 202 ? country : undefined]);
  });

  it.each([
    ['no name', { contactemail: 'new@example.com' }, ['name']],
    ['no contactemail', { name: 'New' }, ['contactemail']],
    ['neither', {}, ['name', 'contactemail']],
    ['an id', { ...NEW, id: 9 }, ['id']],
    ['counters', { ...NEW, folder_count: 1, emailcreditbalance: 5 }, ['folder_count', 'emailcreditbalance']],
    ['subscriber_limit 0: "minimum 1"', { ...NEW, subscriber_limit: 0 }, ['subscriber_limit']],
    ['a website that does not start with http', { ...NEW, website: 'example.com' }, ['website']],
    ['a country of three letters', { ...NEW, country: 'GBR' }, ['country']],
    ['an unknown timezone', { ...NEW, timezone: 'Mars/Olympus' }, ['timezone']],
    [
      'only invalid attributes',
      { name: 5, contactemail: 'x', locked: true },
      ['name', 'contactemail', 'locked'],
    ],
  ])('400 for %s, and nothing is created', async (_, body, attributes) => {
    const refused = await sandbox.send('partner-alone', 'POST', '/v1/account', body);
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toEqual(
      expect.arrayContaining(attributes.map((attribute) => expect.objectContaining({ attribute }))),
    );
    expect(await sandbox.rows('account')).toHaveLength(3);
  });

  it.each([
    ['a CID', {}],
    ['a CID and a UID', { uid: IDS.admin }],
  ])('400 with %s: "Endpoints that need no company take no CID or UID"', async (_, more) => {
    const request = signing({
      pid: IDS.partner,
      cid: IDS.company,
      ...more,
      key: KEYS.partner,
      method: 'POST',
      target: '/v1/account',
      body: JSON.stringify(NEW),
    });
    const refused = readAnswer(await sandbox.service.handle(request));
    expect([refused.status, refused.response['message']]).toEqual([
      400,
      'POST account must not have the headers X-Svc-CID and X-Svc-UID',
    ]);
    expect(await sandbox.rows('account')).toHaveLength(3);
  });

  it.each(['admin', 'sub'] as const)('as %s: "unsupported for company auth"', async (as) => {
    const refused = await sandbox.send(as, 'POST', '/v1/account', NEW);
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(await sandbox.rows('account')).toHaveLength(3);
  });
});
