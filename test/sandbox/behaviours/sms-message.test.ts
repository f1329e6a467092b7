import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { putList, putSms, restrictSub, setAccount } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const SMS = { fromname: 'Company', message: 'Hello', name: 'Text' } as const;

describe('smsMessage POST: "required fromname, message, name; optional subinfo"', () => {
  it('creates one that can be edited, owned by the user of the request', async () => {
    const made = await sandbox.send('sub', 'POST', '/v1/smsMessage', SMS);
    expect([made.status, made.data]).toEqual([
      202,
      { id: 1, editable: 1, ...SMS, subinfo: false, used: false, cdate: NOW, mdate: NOW },
    ]);
    expect(await sandbox.rows('sms_message')).toMatchObject([{ user_id: IDS.sub, account_id: IDS.company }]);
  });

  it.each([
    ['no fromname', { fromname: undefined }, 'fromname'],
    ['no message', { message: undefined }, 'message'],
    ['no name', { name: undefined }, 'name'],
    ['12 letters as sender', { fromname: 'TwelveLetter' }, 'fromname'],
    ['a sender with a space', { fromname: 'My shop' }, 'fromname'],
    ['an empty message', { message: '' }, 'message'],
    ['four parts', { message: 'x'.repeat(460) }, 'message'],
    [
      'three parts and subinfo: "adds 30 bytes to the message length"',
      { message: 'x'.repeat(430), subinfo: true },
      'message',
    ],
    ['a read-only attribute', { used: true }, 'used'],
  ])('rejects %s with 400 and creates nothing', async (_, more, attribute) => {
    const refused = await sandbox.send('admin', 'POST', '/v1/smsMessage', { ...SMS, ...more });
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toMatchObject([{ attribute }]);
    expect(await sandbox.rows('sms_message')).toEqual([]);
  });

  it('403 naming the feature while enablesms is false', async () => {
    await setAccount(sandbox, { enablesms: 0 });
    const refused = await sandbox.send('admin', 'POST', '/v1/smsMessage', SMS);
    expect([refused.status, refused.response['message']]).toEqual([
      403,
      expect.stringContaining('enablesms'),
    ]);
    expect(await sandbox.rows('sms_message')).toEqual([]);
  });

  it('403 for a partner while the account has no user who could be its author', async () => {
    await sandbox.service.store.db.run(sql`delete from "user"`);
    expect((await sandbox.send('partner', 'POST', '/v1/smsMessage', SMS)).status).toBe(403);
  });
});

describe('smsMessage GET and HEAD', () => {
  it('filters by editable, name and used', async () => {
    const id = await putSms(sandbox, { name: 'A' });
    await putSms(sandbox, { name: 'B', editable: 0, used: 1 });
    for (const query of ['editable=1', 'name=A', 'used=false', `id=${id}`]) {
      const found = await sandbox.send('admin', 'GET', `/v1/smsMessage?${query}`);
      expect(query.startsWith('id') ? [found.data] : found.list).toMatchObject([{ name: 'A' }]);
      expect((await sandbox.send('admin', 'HEAD', `/v1/smsMessage?${query}`)).status).toBe(200);
    }
    expect((await sandbox.send('admin', 'GET', '/v1/smsMessage?fromname=Company')).status).toBe(400);
    expect((await sandbox.send('admin', 'HEAD', '/v1/smsMessage?name=C')).status).toBe(404);
  });

  it('shows a user who may not view all messages only their own, and another company nothing', async () => {
    await restrictSub(sandbox);
    const own = await putSms(sandbox, { user_id: IDS.sub });
    const others = await putSms(sandbox);
    const seen = await sandbox.send('sub', 'GET', '/v1/smsMessage');
    expect(seen.list.map(({ id }) => id)).toEqual([own]);
    expect((await sandbox.send('sub', 'GET', `/v1/smsMessage/${others}`)).status).toBe(404);
    expect((await sandbox.send('other', 'GET', `/v1/smsMessage/${own}`)).status).toBe(404);
  });
});

describe('smsMessage PUT', () => {
  it('changes only attributes that were sent', async () => {
    const id = await putSms(sandbox);
    await sandbox.at(60);
    const changed = await sandbox.send('admin', 'PUT', `/v1/smsMessage/${id}`, {
      message: 'Bye',
      subinfo: true,
    });
    expect([changed.status, changed.data]).toMatchObject([
      200,
      { id, message: 'Bye', subinfo: true, name: 'Text', fromname: 'Company', mdate: NOW + 60, cdate: NOW },
    ]);
  });

  it('accepts a body without changes', async () => {
    const id = await putSms(sandbox);
    expect((await sandbox.send('admin', 'PUT', '/v1/smsMessage', { id })).status).toBe(200);
  });

  it('423 subcode 10, "Message $id is locked", once a task uses it', async () => {
    const list = await putList(sandbox);
    const id = await putSms(sandbox);
    const task = await sandbox.send('admin', 'POST', '/v1/task', {
      channel: 'sms',
      message_id: id,
      name: 'T',
      scheduledtime: NOW + 600,
      list_id: list,
      search_id: null,
    });
    expect(task.status).toBe(202);
    const refused = await sandbox.send('admin', 'PUT', `/v1/smsMessage/${id}`, { message: 'Bye' });
    expect([refused.status, refused.response]).toMatchObject([
      423,
      { subcode: 10, message: `Message ${id} is locked` },
    ]);
    expect(await sandbox.rows('sms_message')).toMatchObject([{ message: 'Hello', used: 1, editable: 0 }]);
  });

  it.each([
    ['a message grown past three parts by subinfo', { subinfo: true }, 400],
    ['an unknown id', { id: 99 }, 404],
  ])('rejects %s', async (_, body, status) => {
    const id = await putSms(sandbox, { message: 'x'.repeat(450) });
    const refused = await sandbox.send('admin', 'PUT', '/v1/smsMessage', { id, ...body });
    expect(refused.status).toBe(status);
    expect(await sandbox.rows('sms_message')).toMatchObject([{ subinfo: 0, mdate: NOW }]);
  });

  it('403 while enablesms is false', async () => {
    const id = await putSms(sandbox);
    await setAccount(sandbox, { enablesms: 0 });
    expect((await sandbox.send('admin', 'PUT', `/v1/smsMessage/${id}`, { message: 'Bye' })).status).toBe(403);
    expect(await sandbox.rows('sms_message')).toMatchObject([{ message: 'Hello' }]);
  });
});

describe('smsMessage DELETE: "soft deleted: hidden from GET, still available to the task"', () => {
  it('hides it and cancels no task', async () => {
    const id = await putSms(sandbox, { used: 1, editable: 0 });
    const task = await sandbox.put('task', {
      account_id: IDS.company,
      user_id: IDS.admin,
      name: 'T',
      channel: 'sms',
      message_id: id,
      list_id: 1,
      scheduledtime: NOW + 600,
      due: NOW + 600,
      size: 0,
      cdate: NOW,
    });
    const removed = await sandbox.send('admin', 'DELETE', `/v1/smsMessage/${id}`);
    expect([removed.status, removed.data]).toEqual([200, { id }]);
    expect((await sandbox.send('admin', 'GET', `/v1/smsMessage/${id}`)).status).toBe(404);
    expect((await sandbox.send('admin', 'DELETE', `/v1/smsMessage/${id}`)).status).toBe(404);
    expect(await sandbox.rows('sms_message')).toMatchObject([{ id, message: 'Hello', deleted: 1 }]);
    expect(await sandbox.rows('task')).toMatchObject([{ id: task, cancelled: 0, due: NOW + 600 }]);
  });
});
