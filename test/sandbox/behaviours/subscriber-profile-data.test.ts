import { beforeEach, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { putList, restrictSub } from '../../support/messages.ts';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

const TARGET = '/v1/subscriberProfileData';
let sandbox: TestSandbox;

/** Fields 1 and 2 and subscribers 1 to 3 belong to the company; field 3 and subscriber 4 belong to the other. */
beforeEach(async () => {
  sandbox = await createTestSandbox();
  for (const [account_id, name] of [
    [IDS.company, 'colour'],
    [IDS.company, 'size'],
    [IDS.other, 'colour'],
  ] as const)
    await sandbox.put('profile_field', { account_id, name });
  for (const [account_id, email] of [
    [IDS.company, 'a@example.com'],
    [IDS.company, 'b@example.com'],
    [IDS.company, 'c@example.com'],
    [IDS.other, 'd@example.com'],
  ] as const)
    await sandbox.put('subscriber', { account_id, email, cdate: NOW });
  for (const [field_id, subscriber_id, account_id, value] of [
    [2, 1, IDS.company, 'small'],
    [1, 2, IDS.company, 'blue'],
    [1, 1, IDS.company, 'red'],
    [3, 4, IDS.other, 'theirs'],
  ] as const)
    await sandbox.put('profile_data', { field_id, subscriber_id, account_id, value });
});

const values = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await sandbox.rows('profile_data')).map((row) => [
      `${row['field_id']}_${row['subscriber_id']}`,
      row['value'],
    ]),
  );
const BEFORE = { '2_1': 'small', '1_2': 'blue', '1_1': 'red', '3_4': 'theirs' };

describe('subscriberProfileData GET: "at least one of id, subscriber_id, subscriberprofilefield_id must be present"', () => {
  it('by id: an object with every field of the table', async () => {
    for (const rest of ['/1_2', '?id=1_2'])
      expect((await sandbox.send('admin', 'GET', `${TARGET}${rest}`)).data).toEqual({
        id: '1_2',
        subscriber_id: 2,
        subscriberprofilefield_id: 1,
        value: 'blue',
      });
  });

  it.each<readonly [As, string, readonly string[]]>([
    ['admin', 'subscriberprofilefield_id=1', ['1_1', '1_2']],
    ['sub', 'subscriber_id=1', ['1_1', '2_1']],
    ['partner', 'subscriber_id=1&subscriberprofilefield_id=2', ['2_1']],
    ['admin', 'subscriber_id=1&reverse=true', ['2_1', '1_1']],
    ['admin', 'subscriber_id=1&sort=subscriberprofilefield_id', ['1_1', '2_1']],
    ['admin', 'subscriberprofilefield_id=1&sort=subscriber_id&reverse=true', ['1_2', '1_1']],
    ['other', 'subscriber_id=4', ['3_4']],
  ])('as %s ?%s: "by field, then subscriber"', async (as, query, ids) => {
    const answer = await sandbox.send(as, 'GET', `${TARGET}?${query}`);
    expect(answer.list.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['', 400],
    ['?sort=subscriber_id', 400],
    ['?value=red', 400],
    ['?subscriber_id=1&value=red', 400],
    ['?subscriber_id=1&sort=id', 400],
    ['/1', 400],
    ['/1_1_1', 400],
    ['?subscriber_id=x', 400],
    ['/2_2', 404],
    ['/3_4', 404],
    ['?subscriber_id=3', 404],
    ['?subscriber_id=4', 404],
  ])('%s is %i', async (rest, status) => {
    expect((await sandbox.send('admin', 'GET', `${TARGET}${rest}`)).status).toBe(status);
  });
});

describe('subscriberProfileData HEAD: "same three attributes, at least one required"', () => {
  it.each([
    ['/1_1', 200],
    ['?id=1_1', 200],
    ['?subscriber_id=2', 200],
    ['?subscriberprofilefield_id=2', 200],
    ['?subscriber_id=2&subscriberprofilefield_id=2', 404],
    ['/2_2', 404],
    ['/3_4', 404],
    ['', 400],
    ['?value=red', 400],
  ])('%s is %i', async (rest, status) => {
    const answer = await sandbox.send('sub', 'HEAD', `${TARGET}${rest}`);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('subscriberProfileData POST: "required subscriber_id, subscriberprofilefield_id, value"', () => {
  const NEW = { subscriber_id: 3, subscriberprofilefield_id: 2, value: 'large' };

  it.each<As>(['admin', 'sub', 'partner'])('as %s', async (as) => {
    const made = await sandbox.send(as, 'POST', TARGET, NEW);
    expect([made.status, made.data]).toEqual([202, { id: '2_3', ...NEW }]);
    expect(await values()).toEqual({ ...BEFORE, '2_3': 'large' });
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['nothing', {}, ['subscriber_id', 'subscriberprofilefield_id', 'value']],
    ['no value', { ...NEW, value: undefined }, ['value']],
    ['a null value', { ...NEW, value: null }, ['value']],
    ['a number as value', { ...NEW, value: 5 }, ['value']],
    ['an id', { ...NEW, id: '2_3' }, ['id']],
    ['ids as text', { ...NEW, subscriber_id: '3' }, ['subscriber_id']],
    ['an unknown subscriber', { ...NEW, subscriber_id: 9 }, ['subscriber_id']],
    ['an unknown field', { ...NEW, subscriberprofilefield_id: 9 }, ['subscriberprofilefield_id']],
    [
      "another company's",
      { ...NEW, subscriber_id: 4, subscriberprofilefield_id: 3 },
      ['subscriber_id', 'subscriberprofilefield_id'],
    ],
  ])('400 for %s, with the name of each', async (_, body, attributes) => {
    const refused = await sandbox.send('admin', 'POST', TARGET, body);
    expect(refused.status).toBe(400);
    const named = refused.response['additional_information'] as { attribute: string }[];
    expect(named.map(({ attribute }) => attribute).sort()).toEqual([...attributes].sort());
    expect(await values()).toEqual(BEFORE);
  });

  it('409 with resource_id if the pair has a value', async () => {
    const refused = await sandbox.send('admin', 'POST', TARGET, {
      subscriber_id: 1,
      subscriberprofilefield_id: 1,
      value: 'green',
    });
    expect([refused.status, refused.response['resource_id']]).toEqual([409, '1_1']);
    expect(await values()).toEqual(BEFORE);
  });
});

describe('subscriberProfileData PUT: "subscriber_id and subscriberprofilefield_id are required unless id is given"', () => {
  it.each<readonly [string, string, object]>([
    ['id in the path', '/1_1', { value: 'green' }],
    ['id in the body', '', { id: '1_1', value: 'green' }],
    ['both keys', '', { subscriber_id: 1, subscriberprofilefield_id: 1, value: 'green' }],
    [
      'id and both keys, the same',
      '/1_1',
      { subscriber_id: 1, subscriberprofilefield_id: 1, value: 'green' },
    ],
  ])('by %s', async (_, rest, body) => {
    const answer = await sandbox.send('sub', 'PUT', `${TARGET}${rest}`, body);
    expect([answer.status, answer.data]).toEqual([
      200,
      { id: '1_1', subscriber_id: 1, subscriberprofilefield_id: 1, value: 'green' },
    ]);
    expect(await values()).toEqual({ ...BEFORE, '1_1': 'green' });
  });

  it('by its pair "stores the value where none is stored yet, 200"', async () => {
    const pair = { subscriber_id: 2, subscriberprofilefield_id: 2 };
    for (const value of ['small', 'large']) {
      const answer = await sandbox.send('sub', 'PUT', TARGET, { ...pair, value });
      expect([answer.status, answer.data]).toEqual([200, { id: '2_2', ...pair, value }]);
      expect(await values()).toEqual({ ...BEFORE, '2_2': value });
    }
  });

  it.each<readonly [string, string, object, number]>([
    ['no value', '/1_1', {}, 400],
    ['a null value', '/1_1', { value: null }, 400],
    ['neither id nor keys', '', { value: 'green' }, 400],
    ['one key', '', { subscriber_id: 1, value: 'green' }, 400],
    ['the other key', '', { subscriberprofilefield_id: 1, value: 'green' }, 400],
    ['keys that differ from the id', '/1_1', { subscriber_id: 2, value: 'green' }, 400],
    ['path and body that differ', '/1_1', { id: '1_2', value: 'green' }, 400],
    ['an unknown attribute', '/1_1', { value: 'green', colour: 'x' }, 400],
    ['an unknown one', '/2_2', { value: 'green' }, 404],
    ['an unknown id in the body', '', { id: '2_2', value: 'green' }, 404],
    [
      'an unknown id, with its pair',
      '/2_2',
      { subscriber_id: 2, subscriberprofilefield_id: 2, value: 'x' },
      404,
    ],
    [
      'a pair with an unknown subscriber',
      '',
      { subscriber_id: 9, subscriberprofilefield_id: 2, value: 'x' },
      400,
    ],
    ['a pair with an unknown field', '', { subscriber_id: 2, subscriberprofilefield_id: 9, value: 'x' }, 400],
    ["a pair of another company's", '', { subscriber_id: 4, subscriberprofilefield_id: 3, value: 'x' }, 400],
    ["another company's", '/3_4', { value: 'green' }, 404],
  ])('rejects %s', async (_, rest, body, status) => {
    expect((await sandbox.send('admin', 'PUT', `${TARGET}${rest}`, body)).status).toBe(status);
    expect(await values()).toEqual(BEFORE);
  });
});

describe('subscriberProfileData DELETE: "at least one of id, subscriber_id, subscriberprofilefield_id"', () => {
  it.each<readonly [string, string, object | undefined, readonly string[]]>([
    ['subscriber in the query', '?subscriber_id=1', undefined, ['1_1', '2_1']],
    ['field in the query', '?subscriberprofilefield_id=1', undefined, ['1_1', '1_2']],
    ['field in the body', '', { subscriberprofilefield_id: 1 }, ['1_1', '1_2']],
    ['both keys', '', { subscriberprofilefield_id: 1, subscriber_id: 2 }, ['1_2']],
  ])('by %s: an array of the ids removed', async (_, rest, body, removed) => {
    const answer = await sandbox.send('sub', 'DELETE', `${TARGET}${rest}`, body);
    expect(answer.status).toBe(200);
    expect(answer.list.map(({ id }) => id).sort()).toEqual(removed);
    expect(Object.keys(await values()).sort()).toEqual(
      Object.keys(BEFORE)
        .filter((id) => !removed.includes(id))
        .sort(),
    );
  });

  it.each<readonly [string, string, object | undefined]>([
    ['path', '/2_1', undefined],
    ['query', '?id=2_1', undefined],
    ['body', '', { id: '2_1' }],
  ])('by id in the %s: the removed one', async (_, rest, body) => {
    const answer = await sandbox.send('partner', 'DELETE', `${TARGET}${rest}`, body);
    expect([answer.status, answer.data]).toEqual([200, { id: '2_1' }]);
    expect(Object.keys(await values()).sort()).toEqual(['1_1', '1_2', '3_4']);
  });

  it.each<readonly [string, string, object | undefined, number]>([
    ['none of them', '', undefined, 400],
    ['another attribute', '?value=red', undefined, 400],
    ['another attribute in the body', '', { value: 'red' }, 400],
    ['an invalid id', '', { id: 'x' }, 400],
    ['an unknown one', '/2_2', undefined, 404],
    ['a subscriber without any', '?subscriber_id=3', undefined, 404],
    ["another company's", '/3_4', undefined, 404],
    ["another company's subscriber", '?subscriber_id=4', undefined, 404],
  ])('rejects %s', async (_, rest, body, status) => {
    expect((await sandbox.send('admin', 'DELETE', `${TARGET}${rest}`, body)).status).toBe(status);
    expect(await values()).toEqual(BEFORE);
  });
});

// Interface, folder: "Restricted folders hide their lists from a user." Protocol, "Restricted users": so do they hide people who are on no
// other list.
describe('subscriberProfileData of a user who is restricted to a folder', () => {
  beforeEach(async () => {
    const folder = await restrictSub(sandbox);
    const [seen, hidden] = [await putList(sandbox, { folder_id: folder }), await putList(sandbox)];
    // Subscriber 1 is on a hidden list only, 2 on both, and 3 on none.
    for (const [list_id, subscriber_id] of [
      [hidden, 1],
      [hidden, 2],
      [seen, 2],
    ] as const)
      await sandbox.put('subscription', { list_id, subscriber_id, cdate: NOW });
    await sandbox.put('profile_data', {
      ...{ field_id: 1, subscriber_id: 3, account_id: IDS.company, value: 'green' },
    });
  });

  it('GET finds the values of visible people alone', async () => {
    const ids = async (as: As) =>
      (await sandbox.send(as, 'GET', `${TARGET}?subscriberprofilefield_id=1`)).list.map(({ id }) => id);
    expect(await ids('sub')).toEqual(['1_2', '1_3']);
    expect(await ids('admin')).toEqual(['1_1', '1_2', '1_3']);
  });

  it.each<readonly [Method, string, object | undefined, number]>([
    ['GET', '/1_1', undefined, 404],
    ['GET', '?subscriber_id=1', undefined, 404],
    ['HEAD', '/1_1', undefined, 404],
    ['PUT', '/1_1', { value: 'X' }, 404],
    ['PUT', '', { subscriber_id: 1, subscriberprofilefield_id: 1, value: 'X' }, 403],
    ['POST', '', { subscriber_id: 1, subscriberprofilefield_id: 1, value: 'X' }, 403],
    ['DELETE', '/1_1', undefined, 404],
    ['DELETE', '?subscriber_id=1', undefined, 404],
  ])('%s %s of a hidden person %j is %i, and changes nothing', async (method, rest, body, status) => {
    const before = await values();
    expect((await sandbox.send('sub', method, `${TARGET}${rest}`, body)).status).toBe(status);
    expect(await values()).toEqual(before);
  });

  it('DELETE of a field spares hidden people', async () => {
    await sandbox.send('sub', 'DELETE', `${TARGET}?subscriberprofilefield_id=1`);
    expect(await values()).toEqual({ '2_1': 'small', '1_1': 'red', '3_4': 'theirs' });
  });
});
