import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const folder = (name: string, cdate = NOW, account_id: number = IDS.company): Promise<number> =>
  sandbox.put('folder', { account_id, name, cdate, mdate: cdate });
const list = (folder_id: number | null, name = 'L', account_id: number = IDS.company): Promise<number> =>
  sandbox.put('list', { account_id, folder_id, name, cdate: NOW });
/** Restricts the sub-user to this folder. */
const restrict = (folder_id: number) => sandbox.put('folder_access', { user_id: IDS.sub, folder_id });
const names = async (as: As, query = ''): Promise<unknown[]> =>
  (await sandbox.send(as, 'GET', `/v1/folder${query}`)).list.map(({ name }) => name);

describe('folder GET', () => {
  beforeEach(async () => {
    await folder('b', NOW - 2);
    await folder('a', NOW - 1);
    await folder('hidden', NOW, IDS.other);
  });

  it('has every field of the table; its counts are those of its lists', async () => {
    const subscribers = [];
    for (const email of ['a@example.com', 'b@example.com'])
      subscribers.push(await sandbox.put('subscriber', { account_id: IDS.company, email, cdate: NOW }));
    for (const [folderId, count] of [
      [1, 2],
      [1, 1],
      [2, 1],
    ] as const) {
      const list_id = await list(folderId);
      for (const subscriber_id of subscribers.slice(0, count))
        await sandbox.put('subscription', { list_id, subscriber_id, cdate: NOW });
    }
    expect((await sandbox.send('admin', 'GET', '/v1/folder')).list).toEqual([
      { id: 1, list_count: 2, name: 'b', subscription_count: 3, cdate: NOW - 2, mdate: NOW - 2 },
      { id: 2, list_count: 1, name: 'a', subscription_count: 1, cdate: NOW - 1, mdate: NOW - 1 },
    ]);
  });

  it.each<readonly [As, readonly string[]]>([
    ['admin', ['b', 'a']],
    ['sub', ['b', 'a']],
    ['partner', ['b', 'a']],
    ['other', ['hidden']],
  ])('as %s', async (as, expected) => {
    expect(await names(as)).toEqual(expected);
  });

  it('a restricted user sees only the folders given; the others see all', async () => {
    await restrict(2);
    expect(await names('sub')).toEqual(['a']);
    expect((await sandbox.send('sub', 'GET', '/v1/folder/1')).status).toBe(404);
    expect((await sandbox.send('sub', 'HEAD', '/v1/folder?name=b')).status).toBe(404);
    expect(await names('sub2')).toEqual(['b', 'a']);
    expect(await names('admin')).toEqual(['b', 'a']);
  });

  it('filters by id and name; sorts by id, name and cdate', async () => {
    expect(await names('admin', '?name=a')).toEqual(['a']);
    expect(await names('admin', '?sort=name')).toEqual(['a', 'b']);
    expect(await names('admin', '?sort=cdate&reverse=true')).toEqual(['a', 'b']);
    for (const query of ['list_count=0', 'cdate=1', 'sort=list_count', 'sort=mdate'])
      expect((await sandbox.send('admin', 'GET', `/v1/folder?${query}`)).status).toBe(400);
  });

  it.each(['/3', '/9', '?id=3', '?name=hidden'])('%s is 404', async (rest) => {
    expect((await sandbox.send('admin', 'GET', `/v1/folder${rest}`)).status).toBe(404);
  });
});

describe('folder HEAD: "id, name"', () => {
  it.each([
    ['/1', 200],
    ['?name=News', 200],
    ['?name=news', 404],
    ['?list_count=0', 400],
    ['/2', 404],
  ])('/v1/folder%s is %i', async (rest, status) => {
    await folder('News');
    await folder('Hidden', NOW, IDS.other);
    const answer = await sandbox.send('sub', 'HEAD', `/v1/folder${rest}`);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('folder PUT: "id required, optional name"', () => {
  beforeEach(async () => {
    await folder('Old', NOW - 60);
    await folder('Other', NOW - 60);
    await folder('Hidden', NOW - 60, IDS.other);
  });

  it.each<As>(['admin', 'sub', 'partner'])('as %s', async (as) => {
    const answer = await sandbox.send(as, 'PUT', '/v1/folder/1', { name: 'New' });
    expect([answer.status, answer.data]).toEqual([
      200,
      { id: 1, list_count: 0, name: 'New', subscription_count: 0, cdate: NOW - 60, mdate: NOW },
    ]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['New', 'Other', 'Hidden']);
  });

  it('names may repeat (wire, "unique")', async () => {
    expect((await sandbox.send('admin', 'PUT', '/v1/folder/1', { name: 'Other' })).status).toBe(200);
    expect((await sandbox.send('admin', 'POST', '/v1/folder', { name: 'Other' })).status).toBe(202);
  });

  it('an empty change is 200 and keeps mdate', async () => {
    const answer = await sandbox.send('admin', 'PUT', '/v1/folder/1', {});
    expect([answer.status, answer.data['mdate']]).toEqual([200, NOW - 60]);
  });

  it.each<readonly [string, As, string, object, number]>([
    ['an empty name', 'admin', '/1', { name: '' }, 400],
    ['41 octets', 'admin', '/1', { name: 'x'.repeat(41) }, 400],
    ['21 characters of 2 octets', 'admin', '/1', { name: 'é'.repeat(21) }, 400],
    ['null', 'admin', '/1', { name: null }, 400],
    ['read-only attributes', 'admin', '/1', { list_count: 1 }, 400],
    ['no id', 'admin', '', { name: 'New' }, 400],
    ['an unknown folder', 'admin', '/9', { name: 'New' }, 404],
    ["another company's", 'admin', '/3', { name: 'New' }, 404],
    ['a partner that does not manage the company', 'stranger', '/1', { name: 'New' }, 403],
  ])('rejects %s', async (_, as, rest, body, status) => {
    const before = await sandbox.rows('folder');
    expect((await sandbox.send(as, 'PUT', `/v1/folder${rest}`, body)).status).toBe(status);
    expect(await sandbox.rows('folder')).toEqual(before);
  });

  it('a restricted user changes only the folders given', async () => {
    await restrict(2);
    expect((await sandbox.send('sub', 'PUT', '/v1/folder/1', { name: 'X' })).status).toBe(404);
    expect((await sandbox.send('sub', 'PUT', '/v1/folder/2', { name: 'X' })).status).toBe(200);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['Old', 'X', 'Hidden']);
  });
});

describe('folder POST: "required name", "1 to 40 octets"', () => {
  it('creates a folder and returns 202 with the whole object', async () => {
    const made = await sandbox.send('admin', 'POST', '/v1/folder', { name: 'News' });
    expect(made.status).toBe(202);
    expect(made.data).toEqual({
      id: 1,
      list_count: 0,
      name: 'News',
      subscription_count: 0,
      cdate: NOW,
      mdate: NOW,
    });
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['41 octets', { name: 'x'.repeat(41) }],
    ['40 characters of 2 octets', { name: 'é'.repeat(40) }],
    ['a number', { name: 7 }],
    ['null', { name: null }],
    ['an unknown attribute', { name: 'News', colour: 'red' }],
    ['a read-only attribute', { name: 'News', list_count: 3 }],
    ['an id', { name: 'News', id: 5 }],
  ])('rejects %s with 400 and creates nothing', async (_, body) => {
    const refused = await sandbox.send('admin', 'POST', '/v1/folder', body);
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toEqual([
      expect.objectContaining({ attribute: expect.any(String), reason: expect.any(String) }),
    ]);
    expect(await sandbox.rows('folder')).toEqual([]);
  });

  it.each<As>(['sub', 'partner', 'other'])('as %s', async (as) => {
    expect((await sandbox.send(as, 'POST', '/v1/folder', { name: 'News' })).status).toBe(202);
    expect(await names(as)).toEqual(['News']);
  });

  it('a restricted user sees the folder that they created', async () => {
    await restrict(await folder('Given'));
    expect((await sandbox.send('sub', 'POST', '/v1/folder', { name: 'Made' })).status).toBe(202);
    expect(await names('sub')).toEqual(['Given', 'Made']);
  });
});

describe('folder DELETE: "Deletion fails if a list in it is permanent or was targeted"', () => {
  const folderWithList = async (list: { permanent?: number } = {}) => {
    const folder = await sandbox.put('folder', {
      account_id: IDS.company,
      name: 'News',
      cdate: NOW,
      mdate: NOW,
    });
    const id = await sandbox.put('list', {
      account_id: IDS.company,
      folder_id: folder,
      name: 'L',
      cdate: NOW,
      ...list,
    });
    return { folder, list: id };
  };
  const task = (list: number, more: Record<string, number | null>) =>
    sandbox.put('task', {
      account_id: IDS.company,
      user_id: IDS.admin,
      name: 'T',
      channel: 'email',
      message_id: 1,
      list_id: list,
      scheduledtime: NOW,
      size: 0,
      cdate: NOW,
      ...more,
    });

  it('removes its lists as if each had been deleted', async () => {
    const { folder } = await folderWithList();
    const removed = await sandbox.send('admin', 'DELETE', `/v1/folder/${folder}`);
    expect([removed.status, removed.data]).toEqual([200, { id: folder }]);
    expect(await sandbox.rows('list')).toEqual([]);
    expect(await sandbox.rows('folder')).toEqual([]);
  });

  it('keeps the lists of other folders, and pauses the rules of the deleted lists', async () => {
    const { folder: gone, list: goneList } = await folderWithList();
    const kept = await folder('Kept');
    const keptList = await list(kept);
    const rule = (list_id: number) =>
      sandbox.put('subscription_automation', {
        account_id: IDS.company,
        user_id: IDS.admin,
        list_id,
        actiononweekend: 1,
        actiontarget: 'a@example.com',
        actiontimediff: 0,
        actiontype: 'notify',
        name: 'R',
        cdate: NOW,
        mdate: NOW,
      });
    await rule(goneList);
    await rule(keptList);
    expect((await sandbox.send('admin', 'DELETE', `/v1/folder/${gone}`)).status).toBe(200);
    expect((await sandbox.rows('list')).map(({ id }) => id)).toEqual([keptList]);
    expect((await sandbox.rows('subscription_automation')).map(({ paused }) => paused)).toEqual([1, 0]);
  });

  it.each<readonly [string, As, string, number]>([
    ['an unknown folder', 'admin', '/9', 404],
    ["another company's", 'other', '/1', 404],
    ['no folder', 'admin', '', 400],
    ['by name', 'admin', '?name=News', 400],
    ['a partner that does not manage the company', 'stranger', '/1', 403],
  ])('rejects %s', async (_, as, rest, status) => {
    await folderWithList();
    expect((await sandbox.send(as, 'DELETE', `/v1/folder${rest}`)).status).toBe(status);
    expect([await sandbox.rows('folder'), await sandbox.rows('list')]).toMatchObject([[{}], [{}]]);
  });

  it('a restricted user cannot delete a folder that they do not see', async () => {
    const { folder: hidden } = await folderWithList();
    await restrict(await folder('Own'));
    expect((await sandbox.send('sub', 'DELETE', `/v1/folder/${hidden}`)).status).toBe(404);
    expect(await sandbox.rows('folder')).toHaveLength(2);
  });

  it('423 subcode 5 when it contains a permanent list', async () => {
    const { folder, list } = await folderWithList({ permanent: 1 });
    const refused = await sandbox.send('admin', 'DELETE', `/v1/folder/${folder}`);
    expect(refused.status).toBe(423);
    expect(refused.response).toMatchObject({
      code: 423,
      subcode: 5,
      message: `Folder contains List ${list} which is permanent`,
    });
    expect(await sandbox.rows('folder')).toHaveLength(1);
  });

  it.each([
    ['a task is scheduled to it', { completed: 0, due: NOW + 60 }, 423],
    ['a task was sent to it 71 hours ago', { completed: 1, started: 1, endtime: NOW - 71 * 3600 }, 423],
    ['a task was sent to it 73 hours ago', { completed: 1, started: 1, endtime: NOW - 73 * 3600 }, 200],
    ['a task was cancelled before it began', { cancelled: 1, endtime: NOW - 60 }, 200],
  ])('when %s', async (_, more, status) => {
    const { folder, list } = await folderWithList();
    await task(list, more);
    const answer = await sandbox.send('admin', 'DELETE', `/v1/folder/${folder}`);
    expect(answer.status).toBe(status);
    if (status === 423)
      expect(answer.response).toMatchObject({
        subcode: 4,
        message: `Folder ${folder} or one of its lists is to be or has been targeted`,
      });
    expect(await sandbox.rows('list')).toHaveLength(status === 423 ? 1 : 0);
  });
});
