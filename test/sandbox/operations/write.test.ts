/** The ways to name an item that is written (wire, "item"). A request is performed completely or not at all. */

import { beforeEach, describe, expect, it } from 'vitest';
import { namingWithOverrides } from '../../../src/service/protocol/naming.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, type Signing, signing } from '../../support/signing.ts';
import { refuseChange } from '../../support/store.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })), parts.method);
const folder = (name: string, cdate = NOW): Promise<number> =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate, mdate: cdate });

describe('the id of an item', () => {
  it.each<readonly [string, Signing]>([
    ['in the path', { target: '/v1/folder/1' }],
    ['in the query', { target: '/v1/folder?id=1' }],
    ['in both, the same', { target: '/v1/folder/1?id=1' }],
    ['percent-encoded', { target: '/v1/folder/%31' }],
  ])('GET %s: "an object where the request named one item by id"', async (_, parts) => {
    await folder('News');
    const answer = await send(parts);
    expect([answer.status, answer.response['count'], answer.response['next'], answer.data['name']]).toEqual([
      200,
      1,
      null,
      'News',
    ]);
  });

  it.each<readonly [string, Signing]>([
    ['path and query', { target: '/v1/folder/1?id=2' }],
    ['path and body of a PUT', { method: 'PUT', target: '/v1/folder/1', body: '{"id":2,"name":"X"}' }],
    ['path and body of a DELETE', { method: 'DELETE', target: '/v1/folder/1', body: '{"id":2}' }],
    ['path and query of a DELETE', { method: 'DELETE', target: '/v1/folder/1?id=2' }],
    ['query and body of a DELETE', { method: 'DELETE', target: '/v1/folder?id=1', body: '{"id":2}' }],
  ])('"Both given and different: 400": %s', async (_, parts) => {
    await folder('A');
    await folder('B');
    expect((await send(parts)).status).toBe(400);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['A', 'B']);
  });

  it.each<readonly [string, Signing]>([
    ['the path', { target: '/v1/folder/1', body: '{"name":"New"}' }],
    ['the body', { target: '/v1/folder', body: '{"id":1,"name":"New"}' }],
    ['both', { target: '/v1/folder/1', body: '{"id":1,"name":"New"}' }],
  ])('PUT accepts it from %s', async (_, parts) => {
    await folder('Old');
    await folder('Other');
    const answer = await send({ method: 'PUT', ...parts });
    expect([answer.status, answer.data]).toMatchObject([200, { id: 1, name: 'New' }]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['New', 'Other']);
  });

  it.each<readonly [string, Signing]>([
    ['the path', { target: '/v1/folder/1' }],
    ['the query', { target: '/v1/folder?id=1' }],
    ['the body', { target: '/v1/folder', body: '{"id":1}' }],
    ['a form', { target: '/v1/folder', body: 'id=1', contentType: 'application/x-www-form-urlencoded' }],
    ['all of them', { target: '/v1/folder/1?id=1', body: '{"id":1}' }],
  ])('DELETE accepts it from %s', async (_, parts) => {
    await folder('Gone');
    await folder('Other');
    const answer = await send({ method: 'DELETE', ...parts });
    expect([answer.status, answer.data]).toEqual([200, { id: 1 }]);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['Other']);
  });

  it.each<readonly [string, Signing]>([
    ['PUT without any', { method: 'PUT', target: '/v1/folder', body: '{"name":"X"}' }],
    ['DELETE without any', { method: 'DELETE', target: '/v1/folder' }],
    ['DELETE by an attribute that names none', { method: 'DELETE', target: '/v1/folder?name=A' }],
    [
      'DELETE by a body attribute that names none',
      { method: 'DELETE', target: '/v1/folder', body: '{"name":"A"}' },
    ],
    ['POST with an id in the body', { method: 'POST', target: '/v1/folder', body: '{"id":5,"name":"X"}' }],
    ['POST with an id in the query', { method: 'POST', target: '/v1/folder?id=5', body: '{"name":"X"}' }],
    ['an id that is not a number', { target: '/v1/folder/abc' }],
    ['an id with a sign', { target: '/v1/folder/-1' }],
    ['an id of 41 digits', { target: `/v1/folder/${'9'.repeat(41)}` }],
    ['a large id with zeros in front', { target: '/v1/folder/00000009007199254740993' }],
    ['an id in JSON that is text', { method: 'PUT', target: '/v1/folder', body: '{"id":"1","name":"X"}' }],
    ['a path with invalid percent-encoding', { target: '/v1/folder/%zz' }],
  ])('400 for %s', async (_, parts) => {
    await folder('A');
    expect((await send(parts)).status).toBe(400);
    expect((await sandbox.rows('folder')).map(({ name }) => name)).toEqual(['A']);
  });

  it.each<readonly [string, Signing]>([
    ['GET', { target: '/v1/folder/99' }],
    ['PUT', { method: 'PUT', target: '/v1/folder/99', body: '{"name":"X"}' }],
    ['DELETE', { method: 'DELETE', target: '/v1/folder/99' }],
  ])('404 with the envelope for %s of an unknown item', async (_, parts) => {
    const answer = await send(parts);
    expect(answer.status).toBe(404);
    expect(answer.response).toEqual({
      code: 404,
      subcode: null,
      message: 'Not Found',
      additional_information: { resource: 'folder', id: 99 },
    });
  });

  it('PUT gives "an array of the objects changed, whole (of one: an array of one)"', async () => {
    await folder('Old');
    const { response } = await send({ method: 'PUT', target: '/v1/folder/1', body: '{"name":"New"}' });
    expect(response).toEqual({
      count: 1,
      next: null,
      data: [{ id: 1, name: 'New', list_count: 0, subscription_count: 0, cdate: NOW, mdate: NOW }],
    });
  });

  it('"PUT without changes" is 200 with the object', async () => {
    await folder('News', NOW - 60);
    for (const body of ['{}', '{"id":1}', undefined]) {
      const answer = await send({
        method: 'PUT',
        target: '/v1/folder/1',
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.data['name']]).toEqual([200, 'News']);
    }
  });
});

describe('one transaction per request', () => {
  it('a refusal during several deletions keeps all records', async () => {
    const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'colour' });
    for (const email of ['a@example.com', 'b@example.com']) {
      const subscriber = await sandbox.put('subscriber', { account_id: IDS.company, email, cdate: NOW });
      await sandbox.put('profile_data', {
        field_id: field,
        subscriber_id: subscriber,
        account_id: IDS.company,
        value: 'red',
      });
    }
    await refuseChange(sandbox.service.store, 'profile_data', 'delete', {
      words: 'no',
      condition: 'old.subscriber_id = 2',
    });
    const answer = await send({
      method: 'DELETE',
      target: '/v1/subscriberProfileData?subscriberprofilefield_id=1',
    });
    expect(answer.status).toBe(500);
    expect(await sandbox.rows('profile_data')).toHaveLength(2);
  });
});

describe('wire, "Vendor names": `null-optional`, a required attribute that may be null may be omitted', () => {
  // Interface, smsAutomation POST: required keyword (string/null), list_id, name, summary (string/null).
  const rule = { list_id: 1, name: 'Rule' };
  const post = (target: string, body: Readonly<Record<string, unknown>>) =>
    send({ method: 'POST', target, body: JSON.stringify(body) });
  beforeEach(async () => {
    await sandbox.put('list', { account_id: 1, name: 'List', cdate: NOW });
  });

  it('is off by default', async () => {
    const answer = await post('/v1/smsAutomation', rule);
    expect(answer.status).toBe(400);
    expect(answer.response['additional_information']).toEqual([
      { attribute: 'keyword', reason: 'is required' },
      { attribute: 'summary', reason: 'is required' },
    ]);
  });

  describe('with an id', () => {
    beforeEach(async () => {
      sandbox = await createTestSandbox({ naming: namingWithOverrides({ 'null-optional': true }) });
      await sandbox.put('list', { account_id: 1, name: 'List', cdate: NOW });
    });

    it('sets them to null', async () => {
      const answer = await post('/v1/smsAutomation', rule);
      expect([answer.status, answer.data]).toMatchObject([
        202,
        { keyword: null, summary: null, name: 'Rule' },
      ]);
    });

    it('also applies to a form', async () => {
      const contentType = 'application/x-www-form-urlencoded';
      const body = 'list_id=1&name=Rule';
      const answer = await send({ method: 'POST', target: '/v1/smsAutomation', body, contentType });
      expect([answer.status, answer.data['keyword']]).toEqual([202, null]);
    });

    it('still requires an attribute that may not be null', async () => {
      const answer = await post('/v1/smsAutomation', { name: 'Rule' });
      expect([answer.status, answer.response['additional_information']]).toEqual([
        400,
        [{ attribute: 'list_id', reason: 'is required' }],
      ]);
    });

    it('applies rules as for a null that was sent: a task needs a list or a search', async () => {
      const message_id = await sandbox.put('sms_message', {
        account_id: 1,
        user_id: 1,
        name: 'M',
        fromname: 'Shop',
        message: 'Hi',
        cdate: NOW,
        mdate: NOW,
      });
      const task = { channel: 'sms', message_id, name: 'T', scheduledtime: NOW + 3600 };
      expect((await post('/v1/task', task)).status).toBe(400);
      const made = await post('/v1/task', { ...task, list_id: 1 });
      expect([made.status, made.data]).toMatchObject([202, { list_id: 1, search_id: null }]);
    });
  });
});
