import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  await sandbox.put('sms_destination', { account_id: IDS.company, destination: '447700900999' });
  await sandbox.put('sms_destination', {
    account_id: IDS.company,
    destination: '80123',
    isshortcode: 1,
    keyword: 'offer',
    mdate: NOW - 60,
  });
  await sandbox.put('sms_destination', { account_id: IDS.other, destination: '447700900888' });
});

describe('smsDestination GET', () => {
  it('has every field of the table; keyword and mdate are "initially null"', async () => {
    const answer = await sandbox.send('admin', 'GET', '/v1/smsDestination');
    expect(answer.list).toEqual([
      { id: 1, keyword: null, destination: '447700900999', isshortcode: false, mdate: null },
      { id: 2, keyword: 'offer', destination: '80123', isshortcode: true, mdate: NOW - 60 },
    ]);
  });

  it.each<readonly [As, string, readonly number[]]>([
    ['sub', '', [1, 2]],
    ['partner', '', [1, 2]],
    ['other', '', [3]],
    ['admin', '?isshortcode=true', [2]],
    ['admin', '?isshortcode=0', [1]],
    ['admin', '?sort=isshortcode&reverse=true', [2, 1]],
    ['admin', '?sort=id', [1, 2]],
  ])('as %s %s', async (as, query, expected) => {
    const answer = await sandbox.send(as, 'GET', `/v1/smsDestination${query}`);
    expect(answer.list.map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['/3', 404],
    ['/9', 404],
    ['?keyword=offer', 400],
    ['?destination=80123', 400],
    ['?sort=mdate', 400],
  ])('%s is %i', async (rest, status) => {
    expect((await sandbox.send('admin', 'GET', `/v1/smsDestination${rest}`)).status).toBe(status);
  });
});

describe('smsDestination HEAD: "id, isshortcode"', () => {
  it.each([
    ['/1', 200],
    ['?isshortcode=true', 200],
    ['?isshortcode=true&id=1', 404],
    ['/3', 404],
    ['?keyword=offer', 400],
  ])('/v1/smsDestination%s is %i', async (rest, status) => {
    expect((await sandbox.send('sub', 'HEAD', `/v1/smsDestination${rest}`)).status).toBe(status);
  });
});

describe('smsDestination PUT: "Only the admin can set the keyword"', () => {
  it.each<readonly [As, unknown]>([
    ['admin', 'word'],
    ['admin', 'x'.repeat(64)],
    ['admin', null],
    ['partner', 'partners'],
  ])('as %s sets %j, and changes no other destination', async (as, keyword) => {
    const [, ...others] = await sandbox.rows('sms_destination');
    const answer = await sandbox.send(as, 'PUT', '/v1/smsDestination/1', { keyword });
    expect([answer.status, answer.data]).toEqual([
      200,
      { id: 1, keyword, destination: '447700900999', isshortcode: false, mdate: NOW },
    ]);
    expect((await sandbox.rows('sms_destination')).slice(1)).toEqual(others);
  });

  it('accepts the id in the body', async () => {
    const answer = await sandbox.send('admin', 'PUT', '/v1/smsDestination', { id: 2, keyword: null });
    expect([answer.status, answer.data['keyword']]).toEqual([200, null]);
  });

  it('an empty change is 200 and changes nothing', async () => {
    const answer = await sandbox.send('admin', 'PUT', '/v1/smsDestination/1', {});
    expect([answer.status, answer.data['mdate']]).toEqual([200, null]);
  });

  it.each<readonly [string, As, string, object, number]>([
    ['a sub-user', 'sub', '/1', { keyword: 'word' }, 403],
    ['3 characters', 'admin', '/1', { keyword: 'abc' }, 400],
    ['65 characters', 'admin', '/1', { keyword: 'x'.repeat(65) }, 400],
    ['a space', 'admin', '/1', { keyword: 'two words' }, 400],
    ['an empty text', 'admin', '/1', { keyword: '' }, 400],
    ['a number', 'admin', '/1', { keyword: 12_345 }, 400],
    ['the destination', 'admin', '/1', { destination: '80124' }, 400],
    ['isshortcode', 'admin', '/1', { isshortcode: true }, 400],
    ['no id', 'admin', '', { keyword: 'word' }, 400],
    ['an unknown one', 'admin', '/9', { keyword: 'word' }, 404],
    ["another company's", 'admin', '/3', { keyword: 'word' }, 404],
    ['a partner that does not manage the company', 'stranger', '/1', { keyword: 'word' }, 403],
  ])('rejects %s', async (_, as, rest, body, status) => {
    const before = await sandbox.rows('sms_destination');
    expect((await sandbox.send(as, 'PUT', `/v1/smsDestination${rest}`, body)).status).toBe(status);
    expect(await sandbox.rows('sms_destination')).toEqual(before);
  });
});
