import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const entry = (contactdata: string, account_id: number = IDS.company, cdate = NOW): Promise<number> =>
  sandbox.put('do_not_contact', { account_id, contactdata, cdate });
const contacts = async (): Promise<unknown[]> =>
  (await sandbox.rows('do_not_contact')).map(({ contactdata }) => contactdata);

/** Adds subscribers to the company, each with a list and a profile value. */
async function subscribers(): Promise<void> {
  const list = await sandbox.put('list', { account_id: IDS.company, name: 'L', cdate: NOW });
  const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'colour' });
  for (const [email, msisdn] of [
    ['ann@example.com', '447700900001'],
    ['bob@example.com', '447700900002'],
    ['cat@sub.example.com', '447700900003'],
    ['dan@example.org', '447700900004'],
  ]) {
    const id = await sandbox.put('subscriber', {
      account_id: IDS.company,
      email: email ?? null,
      email_domain: email?.split('@')[1] ?? null,
      msisdn: msisdn ?? null,
      cdate: NOW,
    });
    await sandbox.put('subscription', { list_id: list, subscriber_id: id, cdate: NOW });
    await sandbox.put('profile_data', { field_id: field, subscriber_id: id, account_id: 1, value: 'red' });
  }
  await sandbox.put('subscriber', {
    account_id: IDS.other,
    email: 'ann@example.com',
    email_domain: 'example.com',
    msisdn: '447700900001',
    cdate: NOW,
  });
}
const left = async (): Promise<unknown[]> => (await sandbox.rows('subscriber')).map(({ id }) => id);

describe('doNotContact GET', () => {
  beforeEach(async () => {
    await entry('b@example.com', IDS.company, NOW - 5);
    await entry('example.org', IDS.company, NOW - 9);
    await entry('447700900123');
    await entry('hidden@example.com', IDS.other);
  });

  it('has every field of the table', async () => {
    const answer = await sandbox.send('admin', 'GET', '/v1/doNotContact/1');
    expect([answer.status, answer.data]).toEqual([
      200,
      { id: 1, contactdata: 'b@example.com', cdate: NOW - 5 },
    ]);
  });

  it.each<readonly [As, readonly number[]]>([
    ['admin', [1, 2, 3]],
    ['sub', [1, 2, 3]],
    ['partner', [1, 2, 3]],
    ['other', [4]],
  ])('as %s', async (as, expected) => {
    expect((await sandbox.send(as, 'GET', '/v1/doNotContact')).list.map(({ id }) => id)).toEqual(expected);
  });

  it.each<readonly [string, readonly number[]]>([
    ['contactdata=example.org', [2]],
    ['contactdata=Example.ORG', [2]],
    ['contactdata=B%40Example.com', [1]],
    ['contactdata=%2B447700900123', [3]],
    ['id=3', []],
    ['sort=contactdata', [3, 1, 2]],
    ['sort=cdate', [2, 1, 3]],
    ['sort=cdate&reverse=true', [3, 1, 2]],
  ])('?%s', async (query, expected) => {
    const answer = await sandbox.send('admin', 'GET', `/v1/doNotContact?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.list.map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['admin', 'contactdata=nobody@example.com', 404],
    ['admin', 'contactdata=hidden@example.com', 404],
    ['admin', 'cdate=1', 400],
  ] as const)('as %s ?%s is %i', async (as, query, status) => {
    expect((await sandbox.send(as, 'GET', `/v1/doNotContact?${query}`)).status).toBe(status);
  });
});

describe('doNotContact HEAD: "id, contactdata"', () => {
  it.each([
    ['', 200],
    ['/1', 200],
    ['?id=1', 200],
    ['?contactdata=b@example.com', 200],
    ['?contactdata=B@EXAMPLE.com', 200],
    ['?contactdata=c@example.com', 404],
    ['?contactdata=hidden@example.com', 404],
    ['/2', 404],
    ['?cdate=1', 400],
  ])('/v1/doNotContact%s is %i', async (rest, status) => {
    await entry('b@example.com');
    await entry('hidden@example.com', IDS.other);
    const answer = await sandbox.send('sub', 'HEAD', `/v1/doNotContact${rest}`);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('doNotContact POST: "All subscribers matching the new value are deleted"', () => {
  it.each<readonly [string, string, readonly number[]]>([
    ['ann@example.com', 'ann@example.com', [2, 3, 4, 5]],
    ['Ann@Example.COM', 'ann@example.com', [2, 3, 4, 5]],
    ['example.com', 'example.com', [3, 4, 5]],
    ['EXAMPLE.com', 'example.com', [3, 4, 5]],
    ['447700900003', '447700900003', [1, 2, 4, 5]],
    ['+447700900003', '447700900003', [1, 2, 4, 5]],
    ['nobody@example.net', 'nobody@example.net', [1, 2, 3, 4, 5]],
  ])('%s: "domains match exactly, without regard to case"', async (contactdata, kept, remaining) => {
    await subscribers();
    const made = await sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata });
    expect([made.status, made.data]).toEqual([202, { id: 1, contactdata: kept, cdate: NOW }]);
    expect(await left()).toEqual(remaining);
    const own = remaining.filter((id) => id < 5);
    expect((await sandbox.rows('subscription')).map((row) => row['subscriber_id'])).toEqual(own);
    expect((await sandbox.rows('profile_data')).map((row) => row['subscriber_id'])).toEqual(own);
  });

  it.each<As>(['sub', 'partner'])('as %s', async (as) => {
    expect(
      (await sandbox.send(as, 'POST', '/v1/doNotContact', { contactdata: 'a@example.com' })).status,
    ).toBe(202);
  });

  it.each([
    ['nothing', {}],
    ['null', { contactdata: null }],
    ['a number', { contactdata: 447_700_900_123 }],
    ['a value of none of the three kinds', { contactdata: 'somebody' }],
    ['an empty text', { contactdata: '' }],
    ['an id', { contactdata: 'a@example.com', id: 1 }],
    ['a cdate', { contactdata: 'a@example.com', cdate: 1 }],
  ])('400 for %s, and no subscriber is deleted', async (_, body) => {
    await subscribers();
    expect((await sandbox.send('admin', 'POST', '/v1/doNotContact', body)).status).toBe(400);
    expect(await contacts()).toEqual([]);
    expect(await left()).toHaveLength(5);
  });

  it('409 with resource_id for an existing value, in any spelling, but not for a value of another company', async () => {
    await entry('first@example.com');
    const id = await entry('ann@example.com');
    for (const contactdata of ['ann@example.com', 'ANN@example.com']) {
      const refused = await sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata });
      expect(refused.status).toBe(409);
      expect(refused.response).toMatchObject({ code: 409, subcode: null, resource_id: id });
    }
    expect(await contacts()).toHaveLength(2);
    const other = await sandbox.send('other', 'POST', '/v1/doNotContact', { contactdata: 'ann@example.com' });
    expect(other.status).toBe(202);
  });
});

describe('doNotContact DELETE: "id or contactdata; the two are mutually exclusive"', () => {
  beforeEach(async () => {
    await entry('ann@example.com');
    await entry('example.org');
    await entry('ann@example.com', IDS.other);
  });
  const remove = (rest: string, body?: object, as: As = 'admin') =>
    sandbox.send(as, 'DELETE', `/v1/doNotContact${rest}`, body);

  it('reports both in one sentence', async () => {
    const both = await remove('?id=1&contactdata=ann@example.com');
    expect([both.status, both.response['message']]).toEqual([400, 'give id or contactdata, not both']);
    const neither = await remove('');
    expect([neither.status, neither.response['message']]).toEqual([400, 'give id or contactdata']);
    expect(neither.response['additional_information']).toEqual([
      { attribute: 'id', reason: 'give id or contactdata' },
    ]);
  });

  it.each<readonly [string, string, object | undefined]>([
    ['path', '/1', undefined],
    ['query', '?id=1', undefined],
    ['body', '', { id: 1 }],
  ])('by id in the %s', async (_, rest, body) => {
    const answer = await remove(rest, body);
    expect([answer.status, answer.data]).toEqual([200, { id: 1 }]);
    expect(await contacts()).toEqual(['example.org', 'ann@example.com']);
  });

  it.each<readonly [string, string, object | undefined]>([
    ['query', '?contactdata=ann@example.com', undefined],
    ['query, in another writing', '?contactdata=ANN@Example.com', undefined],
    ['body', '', { contactdata: 'ann@example.com' }],
    ['body, in another writing', '', { contactdata: 'ANN@Example.com' }],
  ])('by contactdata in the %s: "the id(s) removed"', async (_, rest, body) => {
    const answer = await remove(rest, body);
    expect([answer.status, answer.list]).toEqual([200, [{ id: 1 }]]);
    expect(await contacts()).toEqual(['example.org', 'ann@example.com']);
  });

  it.each<readonly [string, string, object | undefined, number]>([
    ['neither: "DELETE with neither attribute 400"', '', undefined, 400],
    ['neither, an empty body', '', {}, 400],
    ['both in the query', '?id=1&contactdata=ann@example.com', undefined, 400],
    ['both in the body', '', { id: 1, contactdata: 'ann@example.com' }, 400],
    ['one in the path, the other in the body', '/1', { contactdata: 'ann@example.com' }, 400],
    ['an attribute that names no entry', '?cdate=1', undefined, 400],
    ['an unknown entry', '/9', undefined, 404],
    ['an unknown value', '?contactdata=bob@example.com', undefined, 404],
    ["another company's", '/3', undefined, 404],
  ])('rejects %s', async (_, rest, body, status) => {
    expect((await remove(rest, body)).status).toBe(status);
    expect(await contacts()).toHaveLength(3);
  });

  it.each<As>(['sub', 'partner'])('as %s', async (as) => {
    expect((await remove('/2', undefined, as)).status).toBe(200);
    expect(await contacts()).toEqual(['ann@example.com', 'ann@example.com']);
  });
});
