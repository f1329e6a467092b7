import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  const form = (name: string, user_id: number, account_id: number = IDS.company) =>
    sandbox.put('form', {
      account_id,
      user_id,
      name,
      gacode: 'UA-1',
      suppressoptin: 1,
      cdate: NOW,
      mdate: NOW,
    });
  await form('b of the admin', IDS.admin);
  await form('a of the sub-user', IDS.sub);
  await form('c of another sub-user', IDS.sub2);
  await form('of another company', IDS.otherAdmin, IDS.other);
});

/** Puts a folder restriction on the sub-user. */
const restrict = async (user_id: number): Promise<void> => {
  const folder_id = await sandbox.put('folder', { account_id: 1, name: 'F', cdate: NOW, mdate: NOW });
  await sandbox.put('folder_access', { user_id, folder_id });
};
const ids = async (as: As, query = ''): Promise<unknown[]> =>
  (await sandbox.send(as, 'GET', `/v1/form${query}`)).list.map(({ id }) => id);

describe('form GET: "When folder restriction is on and the user is not admin, ... only forms created by that user"', () => {
  it('has every field of the table', async () => {
    expect((await sandbox.send('admin', 'GET', '/v1/form/1')).data).toEqual({
      id: 1,
      gacode: 'UA-1',
      name: 'b of the admin',
      suppressoptin: 1,
      user_id: IDS.admin,
      cdate: NOW,
      mdate: NOW,
    });
  });

  it.each<readonly [As, readonly number[]]>([
    ['admin', [1, 2, 3]],
    ['sub', [1, 2, 3]],
    ['partner', [1, 2, 3]],
    ['other', [4]],
  ])('as %s without restriction', async (as, expected) => {
    expect(await ids(as)).toEqual(expected);
  });

  it('a restricted user sees only their own forms; admin and unrestricted users see all', async () => {
    await restrict(IDS.sub);
    expect(await ids('sub')).toEqual([2]);
    expect(await ids('sub2')).toEqual([1, 2, 3]);
    expect(await ids('admin')).toEqual([1, 2, 3]);
    expect((await sandbox.send('sub', 'GET', '/v1/form/1')).status).toBe(404);
    expect((await sandbox.send('sub', 'HEAD', '/v1/form/1')).status).toBe(404);
  });

  it('filters by id, name and user_id; sorts by id, name and cdate', async () => {
    expect(await ids('admin', '?user_id=2')).toEqual([2]);
    expect(await ids('admin', '?name=b%20of%20the%20admin')).toEqual([1]);
    expect(await ids('admin', '?sort=name')).toEqual([2, 1, 3]);
    expect(await ids('admin', '?sort=cdate')).toEqual([1, 2, 3]);
    for (const query of ['gacode=UA-1', 'suppressoptin=1', 'sort=user_id'])
      expect((await sandbox.send('admin', 'GET', `/v1/form?${query}`)).status).toBe(400);
  });
});

describe('form HEAD: "id, name"', () => {
  it.each([
    ['/1', 200],
    ['?name=a%20of%20the%20sub-user', 200],
    ['?name=nothing', 404],
    ['/4', 404],
    ['?user_id=1', 400],
  ])('/v1/form%s is %i', async (rest, status) => {
    const answer = await sandbox.send('admin', 'HEAD', `/v1/form${rest}`);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('form POST and PUT: "announced as coming soon"', () => {
  it.each(['POST', 'PUT'] as const)('%s is 405', async (method) => {
    const answer = await sandbox.send('admin', method, method === 'PUT' ? '/v1/form/1' : '/v1/form', {
      name: 'X',
    });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, DELETE']);
    expect(await sandbox.rows('form')).toHaveLength(4);
  });
});

describe('form DELETE: "a non-admin user can delete only forms they created"', () => {
  it.each<readonly [As, number]>([
    ['admin', 1],
    ['admin', 2],
    ['sub', 2],
    ['partner', 3],
    ['other', 4],
  ])('as %s deletes form %i, and no other', async (as, id) => {
    const answer = await sandbox.send(as, 'DELETE', `/v1/form/${id}`);
    expect([answer.status, answer.data]).toEqual([200, { id }]);
    expect((await sandbox.rows('form')).map((row) => row['id'])).toEqual(
      [1, 2, 3, 4].filter((each) => each !== id),
    );
  });

  it.each<readonly [As, string, number]>([
    ['sub', '/1', 403],
    ['sub', '/3', 403],
    ['admin', '/4', 404],
    ['admin', '/9', 404],
    ['admin', '', 400],
    ['admin', '?name=b%20of%20the%20admin', 400],
    ['stranger', '/1', 403],
  ])('as %s /v1/form%s is %i, and all forms stay', async (as, rest, status) => {
    expect((await sandbox.send(as, 'DELETE', `/v1/form${rest}`)).status).toBe(status);
    expect(await sandbox.rows('form')).toHaveLength(4);
  });

  it('a restricted user deletes only their own forms', async () => {
    await restrict(IDS.sub);
    expect((await sandbox.send('sub', 'DELETE', '/v1/form/1')).status).toBe(404);
    expect((await sandbox.send('sub', 'DELETE', '/v1/form/2')).status).toBe(200);
    expect((await sandbox.rows('form')).map((row) => row['id'])).toEqual([1, 3, 4]);
  });
});
