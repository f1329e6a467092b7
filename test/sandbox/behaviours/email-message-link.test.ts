import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

const TARGET = '/v1/emailMessageLink';
let sandbox: TestSandbox;

/** Links 1 and 2 belong to the admin's message, 3 to the sub-user's, and 4 to another company's. */
beforeEach(async () => {
  sandbox = await createTestSandbox();
  for (const [account_id, user_id] of [
    [IDS.company, IDS.admin],
    [IDS.company, IDS.sub],
    [IDS.other, IDS.otherAdmin],
  ] as const)
    await sandbox.put('email_message', {
      account_id,
      user_id,
      name: 'M',
      fromname: 'F',
      html: 'H',
      replyemail: 'r@example.com',
      subject: 'S',
      text: 'T',
      cdate: NOW,
      mdate: NOW,
    });
  for (const [account_id, message_id, type, cdate] of [
    [IDS.company, 1, 'html', NOW - 1],
    [IDS.company, 1, 'text', NOW - 2],
    [IDS.company, 2, 'html', NOW - 3],
    [IDS.other, 3, 'html', NOW],
  ] as const)
    await sandbox.put('email_message_link', {
      account_id,
      message_id,
      type,
      target: 'https://example.com/',
      cdate,
    });
  await task(7, 1);
});

/** Puts a task that sends the message directly into the store. */
const task = (id: number, message_id: number, more: object = {}) =>
  sandbox.put('task', {
    id,
    account_id: IDS.company,
    user_id: IDS.admin,
    name: 'T',
    channel: 'email',
    message_id,
    list_id: 1,
    scheduledtime: NOW,
    size: 0,
    cdate: NOW,
    ...more,
  });

describe('emailMessageLink GET', () => {
  it('has every field of the table', async () => {
    expect((await sandbox.send('admin', 'GET', `${TARGET}/2`)).data).toEqual({
      id: 2,
      message_id: 1,
      name: null,
      target: 'https://example.com/',
      task_id: 7,
      type: 'text',
      cdate: NOW - 2,
    });
  });

  it.each<readonly [As, string, readonly number[]]>([
    ['admin', '', [1, 2, 3]],
    ['sub', '', [1, 2, 3]],
    ['partner', '', [1, 2, 3]],
    ['other', '', [4]],
    ['admin', '?message_id=1', [1, 2]],
    ['admin', '?task_id=7', [1, 2]],
    ['admin', '?task_id=0', [3]],
    ['admin', '?type=html', [1, 3]],
    ['admin', '?type=html&task_id=7', [1]],
    ['admin', '?task_id=7&sort=cdate', [2, 1]],
    ['admin', '?task_id=7&message_id=1', [1, 2]],
    ['admin', '?sort=cdate', [3, 2, 1]],
  ])('as %s %s', async (as, query, expected) => {
    expect((await sandbox.send(as, 'GET', `${TARGET}${query}`)).list.map(({ id }) => id)).toEqual(expected);
  });

  it.each([
    ['?type=pdf', 400],
    ['?target=x', 400],
    ['?name=x', 400],
    ['?sort=message_id', 400],
    ['/4', 404],
    ['?message_id=3', 404],
    ['?task_id=8', 404],
    ['?task_id=7&message_id=2', 404],
    ['?task_id=9007199254740993', 404],
  ])('%s is %i', async (rest, status) => {
    expect((await sandbox.send('admin', 'GET', `${TARGET}${rest}`)).status).toBe(status);
  });

  it('a restricted user sees the links of their own messages', async () => {
    const folder_id = await sandbox.put('folder', { account_id: 1, name: 'F', cdate: NOW, mdate: NOW });
    await sandbox.put('folder_access', { user_id: IDS.sub, folder_id });
    expect((await sandbox.send('sub', 'GET', TARGET)).list.map(({ id }) => id)).toEqual([3]);
    expect((await sandbox.send('sub', 'GET', `${TARGET}/1`)).status).toBe(404);
  });
});

describe('task_id: "the newest task of the message that is not cancelled; a filter by an earlier task finds its links too"', () => {
  const shown = async () =>
    (await sandbox.send('admin', 'GET', `${TARGET}?message_id=1`)).list.map(({ id, task_id }) => [
      id,
      task_id,
    ]);
  const found = async (id: number) =>
    (await sandbox.send('admin', 'GET', `${TARGET}?task_id=${id}`)).list.map((link) => link['id']);

  it('a later task replaces it, ids stay, and both tasks find the links', async () => {
    await task(8, 1);
    expect(await shown()).toEqual([
      [1, 8],
      [2, 8],
    ]);
    expect([await found(7), await found(8)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('a cancelled task is never shown, and finds no links', async () => {
    await task(8, 1, { due: NOW });
    expect((await sandbox.send('admin', 'PUT', '/v1/task/8', { cancelled: true })).status).toBe(200);
    expect(await shown()).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect([await found(7), await found(8)]).toEqual([[1, 2], []]);
    expect((await sandbox.send('admin', 'HEAD', `${TARGET}?task_id=8`)).status).toBe(404);
  });

  it('is 0 if the message has no task, or only cancelled ones', async () => {
    await task(9, 2, { cancelled: 1 });
    expect((await sandbox.send('admin', 'GET', `${TARGET}/3`)).data['task_id']).toBe(0);
    expect(await found(0)).toEqual([3]);
  });

  it('ignores a task that sends an SMS message with the same id', async () => {
    await task(9, 1, { channel: 'sms' });
    expect(await shown()).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect(await found(9)).toEqual([]);
  });

  it('a task of another company finds no links', async () => {
    await task(9, 1, { account_id: IDS.other });
    expect(await shown()).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect((await sandbox.send('other', 'GET', `${TARGET}?task_id=9`)).status).toBe(404);
  });
});

describe('emailMessageLink HEAD: "id, message_id, task_id, type"', () => {
  it.each([
    ['/1', 200],
    ['?message_id=2', 200],
    ['?task_id=7&type=text', 200],
    ['?message_id=2&type=text', 404],
    ['/4', 404],
    ['?target=x', 400],
  ])('%s is %i', async (rest, status) => {
    const answer = await sandbox.send('admin', 'HEAD', `${TARGET}${rest}`);
    expect([answer.status, answer.text]).toEqual([status, '']);
  });
});

describe('emailMessageLink: read-only', () => {
  it.each(['POST', 'PUT', 'DELETE'] as const)('%s is 405', async (method) => {
    const answer = await sandbox.send('admin', method, method === 'POST' ? TARGET : `${TARGET}/1`, {});
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(await sandbox.rows('email_message_link')).toHaveLength(4);
  });
});
