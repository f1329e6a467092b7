import { beforeEach, describe, expect, it } from 'vitest';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

describe('folder POST: "required name", "1 to 40 octets"', () => {
  it('makes a folder and answers 202 with the whole object', async () => {
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
  ])('refuses %s with 400 and makes nothing', async (_, body) => {
    const refused = await sandbox.send('admin', 'POST', '/v1/folder', body);
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toEqual([
      expect.objectContaining({ attribute: expect.any(String), reason: expect.any(String) }),
    ]);
    expect(await sandbox.rows('folder')).toEqual([]);
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
