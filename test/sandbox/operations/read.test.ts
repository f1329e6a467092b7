/** GET and HEAD of any resource: filters, order, pages (wire, "Requests"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestSandbox, IDS, NOW, readAnswer, type TestSandbox } from '../../support/sandbox.ts';
import { ADMIN, type Signing, signing } from '../../support/signing.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const send = async (parts: Signing) =>
  readAnswer(await sandbox.service.handle(signing({ ...ADMIN, ...parts })), parts.method);
const folder = (name: string, cdate = NOW): Promise<number> =>
  sandbox.put('folder', { account_id: IDS.company, name, cdate, mdate: cdate });
const named = (answer: { readonly response: Readonly<Record<string, unknown>> }): string[] =>
  (answer.response['additional_information'] as { attribute: string }[]).map(({ attribute }) => attribute);

describe('filters and order', () => {
  it.each<readonly [string, string[]]>([
    ['/v1/folder?colour=red', ['colour']],
    ['/v1/folder?list_count=0', ['list_count']],
    ['/v1/folder?sort=mdate', ['sort']],
    ['/v1/folder?sort=colour', ['sort']],
    ['/v1/folder?count=0', ['count']],
    ['/v1/folder?count=-1', ['count']],
    ['/v1/folder?count=many', ['count']],
    ['/v1/folder?start=News', ['start']],
    ['/v1/folder?reverse=maybe', ['reverse']],
    ['/v1/folder?colour=red&sort=x&count=0', ['colour', 'sort', 'count']],
    ['/v1/account?name=Company', ['name']],
    ['/v1/subscriberProfileData?sort=id&subscriber_id=1', ['sort']],
  ])('400 for %s, with its name', async (target, attributes) => {
    const answer = await send({ target });
    expect([answer.status, named(answer)]).toEqual([400, attributes]);
  });

  const task = (more: Readonly<Record<string, string | number | null>>) =>
    sandbox.put('task', {
      account_id: IDS.company,
      user_id: IDS.admin,
      name: 'T',
      channel: 'email',
      message_id: 1,
      scheduledtime: NOW,
      size: 0,
      cdate: NOW,
      ...more,
    });

  it('"attr= (empty) matches null", booleans are true, false, 1 and 0, several are ANDed', async () => {
    await task({ list_id: 7, cancelled: 0 });
    await task({ list_id: null, search_id: 3, cancelled: 1 });
    await task({ list_id: 7, cancelled: 1 });
    const ids = async (query: string) =>
      (await send({ target: `/v1/task?${query}` })).list.map(({ id }) => id);
    expect(await ids('list_id=')).toEqual([2]);
    expect(await ids('list_id=7')).toEqual([1, 3]);
    expect(await ids('list_id=7&cancelled=false')).toEqual([1]);
    for (const yes of ['true', '1']) expect(await ids(`cancelled=${yes}`)).toEqual([2, 3]);
    for (const no of ['false', '0']) expect(await ids(`cancelled=${no}`)).toEqual([1]);
    expect((await send({ target: '/v1/task?list_id=8' })).status).toBe(404);
  });

  it('a page can begin at a null sort value', async () => {
    for (const endtime of [null, NOW, null, NOW + 5]) await task({ endtime });
    const ids = async (query: string) => await send({ target: `/v1/task?sort=endtime&${query}` });
    const first = await ids('count=2');
    expect([first.list.map(({ id }) => id), first.response['next']]).toEqual([[1, 3], NOW]);
    const back = await ids('count=2&reverse=true');
    expect([back.list.map(({ id }) => id), back.response['next']]).toEqual([[4, 2], '']);
    expect((await ids('count=2&reverse=true&start=')).list.map(({ id }) => id)).toEqual([3, 1]);
    const both = await ids(`count=2&reverse=true&start=${NOW}`);
    expect([both.list.map(({ id }) => id), both.response['next']]).toEqual([[2, 3], '']);
  });
});

describe('paging', () => {
  const names = async (query: string) => {
    const answer = await send({ target: `/v1/folder?${query}` });
    return {
      names: answer.list.map(({ name }) => name),
      next: answer.response['next'],
      count: answer.response['count'],
    };
  };
  beforeEach(async () => {
    for (const [index, name] of ['d', 'b', 'a', 'b', 'c'].entries()) await folder(name, NOW + index);
  });

  it('default: by id, and no next if the page has all records', async () => {
    expect(await names('')).toEqual({ names: ['d', 'b', 'a', 'b', 'c'], next: null, count: 5 });
    expect(await names('count=5')).toEqual({ names: ['d', 'b', 'a', 'b', 'c'], next: null, count: 5 });
  });

  it('next is "the value to send as start for the next page", of the sort attribute', async () => {
    expect(await names('count=2')).toEqual({ names: ['d', 'b'], next: 3, count: 2 });
    expect(await names('count=2&start=3')).toEqual({ names: ['a', 'b'], next: 5, count: 2 });
    expect(await names('count=2&start=5')).toEqual({ names: ['c'], next: null, count: 1 });
    expect(await names('sort=name&count=2')).toEqual({ names: ['a', 'b'], next: 'b', count: 2 });
    expect(await names('sort=cdate&count=4')).toMatchObject({ next: NOW + 4 });
  });

  it('start is inclusive and "need not exist"', async () => {
    expect((await names('start=2')).names).toEqual(['b', 'a', 'b', 'c']);
    expect((await names('start=-5')).names).toHaveLength(5);
    expect((await names('sort=name&start=bb')).names).toEqual(['c', 'd']);
    expect((await send({ target: '/v1/folder?start=6' })).status).toBe(404);
  });

  it('rows with equal values are repeated by the next page, in order of their ids', async () => {
    const sorted = await send({ target: '/v1/folder?sort=name' });
    expect(sorted.list.map(({ id }) => id)).toEqual([3, 2, 4, 5, 1]);
    expect((await names('sort=name&count=2&start=b')).names).toEqual(['b', 'b']);
  });

  it('reverse sorts descending, with start inclusive', async () => {
    expect((await names('reverse=true')).names).toEqual(['c', 'b', 'a', 'b', 'd']);
    expect(await names('sort=name&reverse=1&count=2')).toEqual({ names: ['d', 'c'], next: 'b', count: 2 });
    expect((await names('reverse=true&start=2')).names).toEqual(['b', 'd']);
    expect(await names('reverse=true&count=2')).toMatchObject({ next: 3 });
  });

  it('"Above 200 the service caps, it does not refuse"', async () => {
    for (let index = 5; index < 203; index++) await folder(`f${index}`);
    for (const query of ['', 'count=200', 'count=500']) {
      const { names: page, next, count } = await names(query);
      expect([page.length, next, count]).toEqual([200, 201, 200]);
    }
    expect(await names('start=201')).toMatchObject({ count: 3, next: null });
  });
});

describe('HEAD: "200 with no body where something matches, 404 where nothing does"', () => {
  it.each([
    ['/v1/folder', 200],
    ['/v1/folder/1', 200],
    ['/v1/folder?id=1', 200],
    ['/v1/folder?name=News', 200],
    ['/v1/folder?name=News&id=1', 200],
    ['/v1/folder?name=Other', 404],
    ['/v1/folder?name=News&id=2', 404],
    ['/v1/folder/2', 404],
    ['/v1/nothing', 404],
    ['/v1/folder?cdate=1', 400],
    ['/v1/folder/1?id=2', 400],
  ])('%s is %i', async (target, status) => {
    await folder('News');
    const answer = await send({ method: 'HEAD', target });
    expect([answer.status, answer.text]).toEqual([status, '']);
    expect(answer.headers).not.toHaveProperty('content-type');
  });
});

/** Wire, "Responses", error: "exactly: released clients compare it; what is missing stands in `additional_information`". */
const NOT_FOUND = (missing: object) => ({
  code: 404,
  subcode: null,
  message: 'Not Found',
  additional_information: missing,
});

describe('an empty collection', () => {
  it('"GET answers 404 with the error envelope, for a collection too"', async () => {
    const answer = await send({ target: '/v1/folder' });
    expect([answer.status, answer.response]).toEqual([404, NOT_FOUND({ resource: 'folder' })]);
  });

  it('names the filters without matches', async () => {
    const { response } = await send({ target: '/v1/folder?name=News' });
    expect(response).toEqual(NOT_FOUND({ resource: 'folder', name: 'News' }));
  });
});
