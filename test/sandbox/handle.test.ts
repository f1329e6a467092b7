/** The common properties of all responses (wire, "Responses", "Vendor names"). */

import { beforeEach, describe, expect, it } from 'vitest';
import { setClockMode } from '../../src/sandbox/engine/clock.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../support/sandbox.ts';
import { ADMIN, PARTNER, type Signing, signing } from '../support/signing.ts';
import { refuseChange } from '../support/store.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })), parts.method);
const named = (answer: { readonly response: Readonly<Record<string, unknown>> }): string[] =>
  (answer.response['additional_information'] as { attribute: string }[]).map(({ attribute }) => attribute);

describe('every response', () => {
  const requests: readonly Signing[] = [
    { target: '/v1/account' },
    { method: 'HEAD', target: '/v1/account' },
    { method: 'HEAD', target: '/v1/folder' },
    { method: 'POST', target: '/v1/folder', body: '{"name":"News"}' },
    { target: '/v1/folder?colour=1' },
    { target: '/v1/nothing' },
    { method: 'DELETE', target: '/v1/task' },
    { key: 'wrong' },
    { method: 'POST', target: '/v1/folder', body: 'x', contentType: 'text/plain' },
    { method: 'POST', target: '/v1/folder', body: '{' },
    { uid: IDS.sub, method: 'DELETE', target: '/v1/user/1' },
  ];

  it("has the service's clock as X-Svc-Time", async () => {
    await sandbox.at(3600);
    for (const parts of requests)
      expect([parts, (await send(parts)).headers['x-svc-time']]).toEqual([parts, String(NOW + 3600)]);
  });

  // src/service/protocol/README.md, "A clock that stands still".
  it('has X-Svc-Clock while the clock is manual, and not while it is real', async () => {
    for (const parts of requests)
      expect([parts, (await send(parts)).headers['x-svc-clock']]).toEqual([parts, 'manual']);
    await setClockMode(sandbox.service.store.db, 'real', NOW * 1000);
    for (const parts of requests) expect((await send(parts)).headers).not.toHaveProperty('x-svc-clock');
  });

  it('is JSON in the envelope, if it has a body', async () => {
    for (const parts of requests) {
      const { text, status, headers } = await send(parts);
      if (parts.method === 'HEAD') continue;
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(text).status).toBe(status < 300 ? 'ok' : 'error');
    }
  });

  it('is 202 for POST, and 200 for the others', async () => {
    const statuses: number[] = [];
    for (const [method, target, body] of [
      ['POST', '/v1/folder', '{"name":"News"}'],
      ['GET', '/v1/folder', undefined],
      ['HEAD', '/v1/folder', undefined],
      ['PUT', '/v1/folder/1', '{"name":"Other"}'],
      ['DELETE', '/v1/folder/1', undefined],
    ] as const)
      statuses.push((await send({ method, target, ...(body === undefined ? {} : { body }) })).status);
    expect(statuses).toEqual([202, 200, 200, 200, 200]);
  });
});

describe('500', () => {
  it('has "a request id in additional_information, no stack trace", and changes nothing', async () => {
    await sandbox.service.store.db.exec(sql`drop table folder_access`);
    await refuseChange(sandbox.service.store, 'folder', 'insert', { words: 'secret words' });
    const answer = await send({ method: 'POST', target: '/v1/folder', body: '{"name":"News"}' });
    expect(answer.status).toBe(500);
    expect(answer.response).toEqual({
      code: 500,
      subcode: null,
      message: 'Internal error',
      additional_information: { request_id: expect.stringMatching(/^[0-9a-f]+$/) },
    });
    expect(answer.text).not.toContain('secret');
    expect(sandbox.reports).toHaveLength(1);
    expect(await sandbox.rows('folder')).toEqual([]);
    expect(await sandbox.rows('nonce')).toEqual([]);
  });
});

describe('vendor names, end to end (wire, "Vendor names")', () => {
  const vendor = namingWithOverrides({
    headerPrefix: 'X-Acme-',
    companyScheme: 'AcmeHash',
    partnerScheme: 'AcmePartner',
    fields: { name: 'title', list_count: 'lists', enablecrm: 'enablesalesthing' },
  });
  const acme = async (parts: Signing) =>
    readAnswer(
      await sandbox.service.handle(
        signing({
          ...ADMIN,
          prefix: 'X-Acme-',
          scheme: parts.pid === undefined ? 'AcmeHash' : 'AcmePartner',
          ...parts,
        }),
      ),
      parts.method,
    );
  beforeEach(async () => {
    sandbox = await createTestSandbox({ naming: vendor });
  });

  it("uses the deployment's names in headers, schemes, bodies, filters, sorts and responses", async () => {
    const made = await acme({ method: 'POST', target: '/v1/folder', body: '{"title":"News"}' });
    expect([made.status, made.headers['x-acme-time']]).toEqual([202, String(NOW)]);
    expect(made.data).toEqual({
      id: 1,
      title: 'News',
      lists: 0,
      subscription_count: 0,
      cdate: NOW,
      mdate: NOW,
    });
    expect((await acme({ target: '/v1/folder?title=News&sort=title' })).list).toEqual([made.data]);
    const form = { contentType: 'application/x-www-form-urlencoded' };
    const put = await acme({ method: 'PUT', target: '/v1/folder/1', body: 'title=Other', ...form });
    expect(put.data['title']).toBe('Other');
    const features = await acme({
      ...PARTNER,
      uid: undefined,
      method: 'PUT',
      target: '/v1/accountFeatures/1',
      body: '{"enablesalesthing":false}',
    });
    expect([features.status, features.data['enablesalesthing']]).toEqual([200, false]);
  });

  it("uses the deployment's names of attributes in faults", async () => {
    const missing = await acme({ method: 'POST', target: '/v1/folder', body: '{}' });
    expect([missing.status, named(missing)]).toEqual([400, ['title']]);
    expect(missing.response['message']).toContain('title');
    expect(named(await acme({ target: '/v1/folder?lists=3' }))).toEqual(['lists']);
  });

  it('does not authenticate requests with the neutral headers', async () => {
    expect((await send({ target: '/v1/account' })).status).toBe(401);
  });
});
