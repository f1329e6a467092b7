import { beforeEach, describe, expect, it } from 'vitest';
import { setAccount } from '../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const SMS = { msisdn: '447700900123', fromaddress: 'Company', message: 'Hello' } as const;

describe('sms POST: "required msisdn, fromaddress, message; optional senddate"', () => {
  it.each([
    ['no senddate: at once', {}, null, NOW],
    ['null: at once', { senddate: null }, null, NOW],
    ['a past time: at once', { senddate: NOW - 60 }, NOW - 60, NOW],
    ['a later time', { senddate: NOW + 600 }, NOW + 600, NOW + 600],
  ])('%s', async (_, more, senddate, due) => {
    const made = await sandbox.send('sub', 'POST', '/v1/sms', { ...SMS, ...more });
    expect([made.status, made.data]).toEqual([
      202,
      { id: 1, ...SMS, senddate, dispatched: false, failed: false, user_id: IDS.sub, cdate: NOW, mdate: NOW },
    ]);
    expect(await sandbox.rows('sms')).toMatchObject([{ due }]);
  });

  it('removes the + of numbers', async () => {
    const made = await sandbox.send('admin', 'POST', '/v1/sms', {
      ...SMS,
      msisdn: '+447700900123',
      fromaddress: '+447700900124',
    });
    expect(made.data).toMatchObject({ msisdn: '447700900123', fromaddress: '447700900124' });
  });

  it.each([
    ['no msisdn', { msisdn: undefined }, 'msisdn'],
    ['no fromaddress', { fromaddress: undefined }, 'fromaddress'],
    ['no message', { message: undefined }, 'message'],
    ['a number with a leading 0', { msisdn: '07700900123' }, 'msisdn'],
    ['a sender of 12 letters', { fromaddress: 'TwelveLetter' }, 'fromaddress'],
    ['an empty message', { message: '' }, 'message'],
    ['more than 3 parts', { message: 'x'.repeat(460) }, 'message'],
    ['milliseconds', { senddate: NOW * 1000 }, 'senddate'],
    ['a read-only attribute', { dispatched: true }, 'dispatched'],
  ])('rejects %s with 400 and creates nothing', async (_, more, attribute) => {
    const refused = await sandbox.send('admin', 'POST', '/v1/sms', { ...SMS, ...more });
    expect(refused.status).toBe(400);
    expect(refused.response['additional_information']).toMatchObject([{ attribute }]);
    expect(await sandbox.rows('sms')).toEqual([]);
  });

  it('403 naming the feature while enablesms is false', async () => {
    await setAccount(sandbox, { enablesms: 0 });
    const refused = await sandbox.send('admin', 'POST', '/v1/sms', SMS);
    expect([refused.status, refused.response['message']]).toEqual([
      403,
      expect.stringContaining('enablesms'),
    ]);
    expect(await sandbox.rows('sms')).toEqual([]);
  });
});

describe('sms GET and HEAD: "Admin users see messages from any user_id; sub-users see only their own"', () => {
  it.each([
    ['admin', [1, 2]],
    ['sub', [1]],
    ['sub2', [2]],
    ['partner', [1, 2]],
  ] as const)('as %s', async (as, ids) => {
    await sandbox.send('sub', 'POST', '/v1/sms', SMS);
    await sandbox.send('sub2', 'POST', '/v1/sms', { ...SMS, msisdn: '447700900124' });
    const seen = await sandbox.send(as, 'GET', '/v1/sms');
    expect(seen.list.map(({ id }) => id)).toEqual(ids);
  });

  it('HEAD takes id, msisdn, fromaddress and user_id', async () => {
    await sandbox.send('sub', 'POST', '/v1/sms', SMS);
    for (const query of ['id=1', 'msisdn=447700900123', 'fromaddress=Company', `user_id=${IDS.sub}`])
      expect((await sandbox.send('admin', 'HEAD', `/v1/sms?${query}`)).status).toBe(200);
    expect((await sandbox.send('admin', 'HEAD', '/v1/sms?user_id=1')).status).toBe(404);
    expect((await sandbox.send('sub2', 'HEAD', '/v1/sms/1')).status).toBe(404);
  });
});

it.each(['PUT', 'DELETE'] as const)('sms %s is unsupported', async (method) => {
  await sandbox.send('admin', 'POST', '/v1/sms', SMS);
  const refused = await sandbox.send(
    'admin',
    method,
    '/v1/sms/1',
    method === 'PUT' ? { message: 'Bye' } : undefined,
  );
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  expect(await sandbox.rows('sms')).toMatchObject([{ message: 'Hello' }]);
});
