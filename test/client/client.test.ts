import { describe, expect, it } from 'vitest';
import type { Values } from '../../src/kit/schema/resource.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { account } from '../../src/service/resources/account.ts';
import { doNotContact } from '../../src/service/resources/do-not-contact.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { form } from '../../src/service/resources/form.ts';
import { subscriberProfileData } from '../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../src/service/resources/task.ts';
import { answer, clientOn, lost, no, notSent, ok } from './fakes.ts';

const lines = (sent: readonly { readonly method: string; readonly path: string; readonly query: string }[]) =>
  sent.map(({ method, path, query }) => `${method} ${path}${query === '' ? '' : `?${query}`}`);

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const row of rows) collected.push(row);
  return collected;
}

describe('list', () => {
  it('requests page after page with filters, sort and start', async () => {
    const { client, sent } = clientOn([ok([{ id: 9, name: 'a' }], 5), ok([{ id: 5, name: 'a' }])]);
    const rows = client.list(folder, { filters: { name: 'a' }, sort: 'id', reverse: true });
    expect(await all(rows)).toEqual([
      { id: 9, name: 'a' },
      { id: 5, name: 'a' },
    ]);
    expect(lines(sent)).toEqual([
      'GET /v1/folder?name=a&sort=id&reverse=true&count=200',
      'GET /v1/folder?name=a&sort=id&reverse=true&count=200&start=5',
    ]);
  });

  // Wire, "Responses": no match, which is an empty list for the user.
  it('is empty for a 404 in the words of the service', async () => {
    const { client } = clientOn([no(404, 'nothing')]);
    expect(await all(client.list(folder))).toEqual([]);
  });

  it('fails for a 404 in other words, with an error that names the base URL', async () => {
    const { client } = clientOn([answer(404, '<h1>not found</h1>')]);
    await expect(all(client.list(folder))).rejects.toMatchObject({
      kind: 'not-ours',
      message: expect.stringContaining('the base URL is wrong, or a proxy responded'),
    });
  });

  it('keeps fields that no table lists, and accepts status in any case', async () => {
    const body = { status: 'OK', response: { count: 1, next: null, data: [{ id: 1, extra: { a: [1] } }] } };
    const { client } = clientOn([answer(200, body)]);
    expect(await all(client.list(folder))).toEqual([{ id: 1, extra: { a: [1] } }]);
  });

  it('finds one object by id', async () => {
    const { client, sent } = clientOn([ok({ id: 4 })]);
    expect(await client.find(folder, { id: 4 })).toEqual([{ id: 4 }]);
    expect(lines(sent)).toEqual(['GET /v1/folder?id=4']);
  });

  it('reports data that are not objects as a response of another program', async () => {
    const { client } = clientOn([ok([1, 2])]);
    await expect(all(client.list(folder))).rejects.toMatchObject({ kind: 'not-ours' });
  });
});

describe('get and single', () => {
  it('request the percent-encoded item path', async () => {
    const { client, sent } = clientOn([ok({ id: '1_2' }), no(404)]);
    await client.get(subscriberProfileData, '1_2');
    await client.get(folder, 'a/../b?x#y');
    expect(lines(sent)).toEqual(['GET /v1/subscriberProfileData/1_2', 'GET /v1/folder/a%2F..%2Fb%3Fx%23y']);
  });

  it.each(['', '.', '..'])('reject %j as an id', async (id) => {
    const { client, sent } = clientOn([ok({})]);
    await expect(client.get(folder, id)).rejects.toThrow(RangeError);
    expect(sent).toHaveLength(0);
  });

  it('return undefined or throw for a missing record', async () => {
    const { client } = clientOn([no(404)]);
    expect(await client.get(folder, 1)).toBeUndefined();
    await expect(client.single(account)).rejects.toMatchObject({ kind: 'refused', status: 404 });
  });

  it.each([
    ['an object', { id: 7 }],
    ['an array of one', [{ id: 7 }]],
  ])('return the account from %s', async (_name, data) => {
    const { client, sent } = clientOn([ok(data)]);
    expect(await client.single(account)).toEqual({ id: 7 });
    expect(lines(sent)).toEqual(['GET /v1/account']);
  });
});

describe('exists', () => {
  it('sends a HEAD by filters or by id', async () => {
    const { client, sent } = clientOn([answer(200)]);
    expect(await client.exists(task, { name: 'a', cancelled: false })).toBe(true);
    expect(await client.exists(task, { id: 4 })).toBe(true);
    expect(lines(sent)).toEqual(['HEAD /v1/task?name=a&cancelled=false', 'HEAD /v1/task/4']);
  });

  it('is false for a 404 with the time of the service', async () => {
    const { client, sent } = clientOn([answer(404, '', { 'x-svc-time': '1796000000' })]);
    expect(await client.exists(task, { id: 4 })).toBe(false);
    expect(sent).toHaveLength(1);
  });

  // A HEAD has no body, so a wrong base URL answers it with the same 404 as the service.
  it('asks again with GET after a 404 that may come from a wrong base URL', async () => {
    const { client, sent } = clientOn([answer(404), no(404), answer(404)]);
    expect(await client.exists(task, { id: 4 })).toBe(false);
    expect(await client.exists(task, { id: 5 })).toBe(false);
    expect(lines(sent)).toEqual(['HEAD /v1/task/4', 'GET /v1/task/4', 'HEAD /v1/task/5']);
    const wrong = clientOn([answer(404), answer(404, '<h1>nginx</h1>')]);
    await expect(wrong.client.exists(task, { id: 4 })).rejects.toMatchObject({ kind: 'not-ours' });
  });
});

// src/service/protocol/README.md, "A clock that stands still".
describe("the service's time", () => {
  const at = (time: number, more: Record<string, string> = {}) =>
    answer(404, '', { 'x-svc-time': String(time), ...more });

  it('is manual as long as the service says so', async () => {
    const { client, clock } = clientOn([
      at(1_796_000_000, { 'x-svc-clock': 'manual' }),
      at(1_796_000_600, { 'x-svc-clock': 'manual' }),
      at(1_796_000_600),
    ]);
    expect([client.serviceTime(), client.stoppedAt()]).toEqual([undefined, undefined]);
    await client.exists(task, { id: 4 });
    await clock.sleep(5000);
    expect([client.serviceTime(), client.stoppedAt()]).toEqual([1_796_000_000, 1_796_000_000]);
    await client.exists(task, { id: 4 });
    expect([client.serviceTime(), client.stoppedAt()]).toEqual([1_796_000_600, 1_796_000_600]);
    await client.exists(task, { id: 4 });
    await clock.sleep(5000);
    expect([client.serviceTime(), client.stoppedAt()]).toEqual([1_796_000_605, undefined]);
  });
});

describe('create and update', () => {
  it('send JSON and return the object', async () => {
    const { client, sent } = clientOn([ok({ id: 1, name: 'News' }, null, 202)]);
    expect(await client.create(folder, { name: 'News' })).toEqual({ id: 1, name: 'News' });
    expect(await client.update(folder, 1, { name: 'Nëws' })).toEqual({ id: 1, name: 'News' });
    expect(await client.update(folder, undefined, { id: 1, name: null })).toEqual({ id: 1, name: 'News' });
    expect(sent.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['{"name":"News"}', 'application/json'],
      ['{"name":"Nëws"}', 'application/json'],
      ['{"id":1,"name":null}', 'application/json'],
    ]);
    expect(lines(sent)).toEqual(['POST /v1/folder', 'PUT /v1/folder/1', 'PUT /v1/folder']);
  });

  it('throw a refusal for a PUT of a missing record', async () => {
    const { client } = clientOn([no(404)]);
    await expect(client.update(folder, 1, {})).rejects.toMatchObject({ kind: 'refused', status: 404 });
  });

  it('throw an error for an error in a 200', async () => {
    const { client } = clientOn([{ ...no(409, 'exists'), status: 200 }]);
    await expect(client.create(folder, {})).rejects.toMatchObject({ kind: 'refused', status: 409 });
  });
});

describe('remove', () => {
  it('deletes by id, or by identifying attributes', async () => {
    const { client, sent } = clientOn([ok({ id: 5 }), ok([{ id: 6 }]), ok([{ id: '1_2' }, { id: '1_3' }])]);
    expect(await client.remove(doNotContact, { id: 5 })).toEqual([5]);
    expect(await client.remove(doNotContact, { contactdata: 'a+b@example.com' })).toEqual([6]);
    expect(await client.remove(subscriberProfileData, { subscriberprofilefield_id: 1 })).toEqual([
      '1_2',
      '1_3',
    ]);
    expect(lines(sent)).toEqual([
      'DELETE /v1/doNotContact/5',
      'DELETE /v1/doNotContact?contactdata=a%2Bb%40example.com',
      'DELETE /v1/subscriberProfileData?subscriberprofilefield_id=1',
    ]);
  });

  // Contract, "Safety": never sent without an id or the attribute that names the record to delete.
  it.each<readonly [string, Values]>([
    ['nothing', {}],
    ['an empty id', { id: '' }],
    ['a null', { contactdata: null }],
    ['empty text', { contactdata: '' }],
    ['an attribute that does not name one', { cdate: 1 }],
    ['both', { id: 1, contactdata: 'x@example.com' }],
  ])('is never sent with %s', async (_name, by) => {
    const { client, sent } = clientOn([ok({ id: 5 })]);
    await expect(client.remove(doNotContact, by)).rejects.toThrow(RangeError);
    expect(sent).toHaveLength(0);
  });

  it('is never sent to a resource without DELETE', async () => {
    const { client, sent } = clientOn([ok({ id: 5 })]);
    await expect(client.remove(task, { id: 1 })).rejects.toThrow('task has no DELETE');
    expect(sent).toHaveLength(0);
  });

  it('throws a refusal for a 404, but succeeds after an attempt whose response was lost', async () => {
    await expect(clientOn([no(404)]).client.remove(form, { id: 5 })).rejects.toMatchObject({ status: 404 });
    await expect(clientOn([notSent, no(404)]).client.remove(form, { id: 5 })).rejects.toMatchObject({
      status: 404,
    });
    expect(await clientOn([lost, no(404)]).client.remove(form, { id: 5 })).toEqual([5]);
    const byName = clientOn([answer(504), no(404)]);
    expect(await byName.client.remove(doNotContact, { contactdata: 'x@example.com' })).toEqual([]);
  });
});

describe('raw', () => {
  it('returns the response unchanged', async () => {
    for (const given of [answer(404, '<h1>x</h1>'), no(409), answer(200, 'text'), answer(202, '')]) {
      const { client } = clientOn([given]);
      expect(await client.raw({ method: 'POST', path: '/v1/folder', body: '{}' })).toEqual(given);
    }
  });

  it('reports a redirect or doubt like any other call', async () => {
    const request = { method: 'POST', path: '/v1/folder', body: '{}' } as const;
    await expect(clientOn([answer(307)]).client.raw(request)).rejects.toMatchObject({ kind: 'redirect' });
    await expect(clientOn([answer(503)]).client.raw(request)).rejects.toMatchObject({ kind: 'unknown' });
    await expect(clientOn([lost]).client.raw(request)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it.each([
    '//evil.example/v1/folder',
    'https://evil.example/v1/folder',
    '/v2/folder',
    '/v1/',
    '/v1/folder/',
    '/v1/folder/1/2',
    '/v1/folder/..',
    '/v1/folder/%2e%2E',
    '/v1/folder/a%2fb',
    '/v1/folder/a%5cb',
    '/v1/folder/%0d%0aX:1',
    '/v1/folder/%zz',
    '/v1/folder?x=1',
    '/v1/folder#x',
    '/v1/folder\r\nX: 1',
    '/v1/folder\n',
    '/v1/foldér',
  ])('never sends %j', async (path) => {
    const { client, sent } = clientOn([ok({})]);
    await expect(client.raw({ method: 'GET', path })).rejects.toThrow(RangeError);
    expect(sent).toHaveLength(0);
  });

  it.each(['a b', 'a=1#x', 'a=\r\n', 'a="', 'a=ü'])('never sends the query %j', async (query) => {
    const { client, sent } = clientOn([ok({})]);
    await expect(client.raw({ method: 'GET', path: '/v1/folder', query })).rejects.toThrow(RangeError);
    expect(sent).toHaveLength(0);
  });
});

// Wire, "Vendor names": by configuration alone.
it("sends a deployment's own names, and returns the neutral ones", async () => {
  const naming = namingWithOverrides({
    headerPrefix: 'X-Acme-',
    companyScheme: 'AcmeHash',
    fields: { name: 'title', cdate: 'created' },
  });
  const { client, sent } = clientOn([ok([{ id: 1, title: 'a', created: 5 }])], { naming });
  expect(await all(client.list(folder, { filters: { name: 'a' }, sort: 'cdate' }))).toEqual([
    { id: 1, name: 'a', cdate: 5 },
  ]);
  expect(await client.create(folder, { name: 'a' })).toEqual({ id: 1, name: 'a', cdate: 5 });
  expect(sent[0]).toMatchObject({
    query: 'title=a&sort=created&count=200',
    headers: { 'x-acme-cid': '7', authorization: expect.stringMatching(/^AcmeHash signature="/) },
  });
  expect(sent[1]?.body).toBe('{"title":"a"}');
});

it('sends and signs a path that includes the base path', async () => {
  const { client, sent } = clientOn([ok({ id: 1 })], { basePath: '/api' });
  await client.get(folder, 1);
  await client.raw({ method: 'GET', path: '/v1/folder' });
  expect(lines(sent)).toEqual(['GET /api/v1/folder/1', 'GET /api/v1/folder']);
});
