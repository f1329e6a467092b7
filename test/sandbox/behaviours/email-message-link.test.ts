import { beforeEach, describe, expect, it } from 'vitest';
import { type As, createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

const TARGET = '/v1/emailMessageLink';
let sandbox: TestSandbox;

/** Links 1 and 2 of the admin's message, 3 of the sub-user's, 4 of another company's. */
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
  for (const [account_id, message_id, type, task_id, cdate] of [
    [IDS.company, 1, 'html', 0, NOW - 1],
    [IDS.company, 1, 'text', 7, NOW - 2],
    [IDS.company, 2, 'html', 7, NOW - 3],
    [IDS.other, 3, 'html', 0, NOW],
  ] as const)
    await sandbox.put('email_message_link', {
      account_id,
      message_id,
      type,
      task_id,
      target: 'https://example.com/',
      cdate,
    });
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
    ['admin', '?task_id=7', [2, 3]],
    ['admin', '?type=html', [1, 3]],
    ['admin', '?type=html&task_id=7', [3]],
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
  ])('%s is %i', async (rest, status) => {
    expect((await sandbox.send('admin', 'GET', `${TARGET}${rest}`)).status).toBe(status);
  });

  it('a restricted user sees those of own messages', async () => {
    const folder_id = await sandbox.put('folder', { account_id: 1, name: 'F', cdate: NOW, mdate: NOW });
    await sandbox.put('folder_access', { user_id: IDS.sub, folder_id });
    expect((await sandbox.send('sub', 'GET', TARGET)).list.map(({ id }) => id)).toEqual([3]);
    expect((await sandbox.send('sub', 'GET', `${TARGET}/1`)).status).toBe(404);
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
