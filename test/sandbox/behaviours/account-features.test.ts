import { beforeEach, describe, expect, it } from 'vitest';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const DEFAULTS = {
  id: 1,
  automation_limit: null,
  contactemail: 'office@example.com',
  custommaildomaintype: null,
  enableanalyse: false,
  enableaudienceinsights: true,
  enablechangepassword: true,
  enablecustommaildomain: false,
  enabledkim: true,
  enabledynamiccontent: false,
  enableemail: true,
  enableemailcredits: true,
  enablesocialnetworka: false,
  enablehttpapi: true,
  enableinboxtest: false,
  enablecrm: true,
  enablesendbulkemail: true,
  enablesendbulksms: true,
  enablesms: true,
  enablesplittest: false,
  enablesubscriberprofilefields: true,
  enablesubscriptionmo: true,
  enabletimezonepremium: false,
  enablesocialnetworkb: false,
  enablecms: false,
  list_limit: 200,
  locked: false,
  maildomainprimary: null,
  search_limit: null,
  smsautomation_limit: null,
  subscriber_limit: null,
  subscriberprofilefield_limit: null,
  timezone: 'Europe/London',
  user_limit: 10,
  cdate: NOW - 86_400,
  mdate: NOW - 86_400,
};

describe('accountFeatures GET: "fields of part 2"', () => {
  it('shows the partner all of them, with the defaults of the table', async () => {
    const answer = await sandbox.send('partner', 'GET', '/v1/accountFeatures/1');
    expect([answer.status, answer.data]).toEqual([200, DEFAULTS]);
    expect((await sandbox.send('partner', 'GET', '/v1/accountFeatures')).list).toEqual([DEFAULTS]);
  });

  it.each([
    ['admin', 200],
    ['sub', 403],
    ['partner', 200],
    ['stranger', 403],
    ['partner-alone', 400],
  ] as const)('as %s: "GET by the admin" with company authentication', async (as, status) => {
    expect((await sandbox.send(as, 'GET', '/v1/accountFeatures')).status).toBe(status);
  });

  it('hides the features of another company', async () => {
    expect((await sandbox.send('partner', 'GET', '/v1/accountFeatures/2')).status).toBe(404);
    expect((await sandbox.send('other', 'GET', '/v1/accountFeatures')).list[0]?.['id']).toBe(IDS.other);
  });

  it('"All fields are unfilterable and unsortable"', async () => {
    for (const query of ['locked=true', 'sort=id', 'contactemail=office@example.com'])
      expect((await sandbox.send('partner', 'GET', `/v1/accountFeatures?${query}`)).status).toBe(400);
  });
});

describe('accountFeatures PUT: "id required; every other field of the table is optional"', () => {
  const set = (body: object, as: 'partner' | 'admin' | 'sub' = 'partner') =>
    sandbox.send(as, 'PUT', '/v1/accountFeatures/1', body);

  it.each(
    Object.entries(DEFAULTS)
      .filter(([, value]) => typeof value === 'boolean')
      .map(([attribute, value]) => [attribute, !value] as const)
      .filter(([attribute]) => attribute !== 'locked'),
  )('%s becomes %s, and nothing else of the account changes', async (attribute, value) => {
    const answer = await set({ [attribute]: value });
    expect(answer.status).toBe(200);
    const dependent: Readonly<Record<string, object>> = {
      enablecustommaildomain: { custommaildomaintype: 'fixed_email' },
      enablesendbulkemail: { enablesplittest: null },
      enablesms: { enablesubscriptionmo: null },
    };
    expect(answer.data).toEqual({ ...DEFAULTS, [attribute]: value, mdate: NOW, ...dependent[attribute] });
    const [, other] = await sandbox.rows('account');
    expect(other).toMatchObject({ id: IDS.other, [attribute]: value ? 0 : 1, mdate: NOW - 86_400 });
  });

  it.each([
    ['automation_limit', 5],
    ['automation_limit', null],
    ['contactemail', 'new@example.com'],
    ['list_limit', 0],
    ['search_limit', 3],
    ['smsautomation_limit', 2],
    ['subscriber_limit', 1],
    ['subscriberprofilefield_limit', 4],
    ['timezone', 'Australia/Sydney'],
    ['user_limit', 0],
    ['locked', true],
  ])('%s becomes %j', async (attribute, value) => {
    expect((await set({ [attribute]: value })).data).toEqual({ ...DEFAULTS, [attribute]: value, mdate: NOW });
  });

  it('requires the id in path or body', async () => {
    const put = (target: string, body: object) => sandbox.send('partner', 'PUT', target, body);
    expect((await put('/v1/accountFeatures', { id: 1, list_limit: 1 })).status).toBe(200);
    expect((await put('/v1/accountFeatures', { list_limit: 2 })).status).toBe(400);
    expect((await put('/v1/accountFeatures/2', { list_limit: 3 })).status).toBe(404);
    expect((await sandbox.rows('account')).map((row) => row['list_limit'])).toEqual([1, 200, 200]);
  });

  it.each([
    ['enablecustommaildomain', 'custommaildomaintype', 'domain'],
    ['enablecustommaildomain', 'maildomainprimary', 'mail.example.com'],
    ['enablesendbulkemail', 'enablesplittest', true],
    ['enablesubscriberprofilefields', 'subscriberprofilefield_limit', 5],
    ['enablesms', 'enablesubscriptionmo', false],
  ])('with %s: "%s only if" it is true', async (condition, attribute, value) => {
    await set({ [condition]: false });
    const refused = await set({ [attribute]: value });
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toEqual([expect.objectContaining({ attribute })]);
    expect((await set({})).data).toMatchObject({ [condition]: false, [attribute]: null });
    expect((await set({ [condition]: false, [attribute]: value })).status).toBe(400);
    expect((await set({ [attribute]: null })).status).toBe(200);
    expect((await set({ [condition]: true, [attribute]: value })).data).toMatchObject({
      [condition]: true,
      [attribute]: value,
    });
    expect((await set({ [condition]: false })).data).toMatchObject({ [attribute]: null });
  });

  it.each([
    [{ id: 1, cdate: 5 }, 'cdate'],
    [{ mdate: 5 }, 'mdate'],
    [{ name: 'X' }, 'name'],
    [{ subscriber_limit: 0 }, 'subscriber_limit'],
    [{ list_limit: null }, 'list_limit'],
    [{ enablecrm: null }, 'enablecrm'],
    [{ enablecrm: 1 }, 'enablecrm'],
    [{ custommaildomaintype: 'other' }, 'custommaildomaintype'],
    [{ contactemail: '' }, 'contactemail'],
  ])('400 for %j', async (body, attribute) => {
    const refused = await set(body);
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toEqual([expect.objectContaining({ attribute })]);
    expect((await set({})).data).toMatchObject({ ...DEFAULTS, mdate: expect.any(Number) });
  });

  // "null when enablecustommaildomain is false, otherwise default fixed_email"
  it('custommaildomaintype is never null while custom senders are on: null gives the default', async () => {
    await set({ enablecustommaildomain: true, custommaildomaintype: 'domain' });
    expect((await set({ custommaildomaintype: null })).data['custommaildomaintype']).toBe('fixed_email');
    await set({ enablecustommaildomain: false });
    const on = await set({ enablecustommaildomain: true, custommaildomaintype: null });
    expect([on.status, on.data['custommaildomaintype']]).toEqual([200, 'fixed_email']);
    const off = await set({ enablecustommaildomain: false, custommaildomaintype: null });
    expect([off.status, off.data['custommaildomaintype']]).toEqual([200, null]);
  });

  it.each(['admin', 'sub'] as const)('as %s: with company authentication "PUT is 403"', async (as) => {
    const before = await sandbox.rows('account');
    expect((await set({ locked: true }, as)).status).toBe(403);
    expect(await sandbox.rows('account')).toEqual(before);
  });

  it('locked: "users cannot access the account or make API calls"', async () => {
    await set({ locked: true });
    expect((await sandbox.send('admin', 'GET', '/v1/account')).status).toBe(403);
    expect((await sandbox.send('sub', 'GET', '/v1/account')).status).toBe(403);
    expect((await sandbox.send('other', 'GET', '/v1/account')).status).toBe(200);
    await set({ locked: false });
    expect((await sandbox.send('sub', 'GET', '/v1/account')).status).toBe(200);
  });

  it('changes the attributes that a company sees in its account', async () => {
    await set({
      list_limit: 5,
      timezone: 'UTC',
      enablecustommaildomain: true,
      contactemail: 'n@example.com',
    });
    expect((await sandbox.send('sub', 'GET', '/v1/account/1')).data).toMatchObject({
      list_limit: 5,
      timezone: 'UTC',
      custommaildomain: true,
      contactemail: 'n@example.com',
    });
  });
});
