/** Contract, "Assistants": lists of records, their attributes and their pages. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { type Assistant, openAssistant, type Result } from '../../../support/assistant.ts';
import { putEmail, putList, putSms, putSubscriber } from '../../../support/messages.ts';
import { serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let sandbox: TestSandbox;
let assistant: Assistant;
let requests: number;
beforeEach(async () => {
  folder = await makeTemporaryFolder('lists');
  sandbox = await createTestSandbox();
  const service = serviceOf(sandbox);
  const counted: Transport = (request, signal) => {
    requests += 1;
    return service.transport(request, signal);
  };
  assistant = await openAssistant([], { transport: counted, cwd: folder });
  requests = 0;
});
afterEach(async () => {
  await assistant.close();
  await removeFolder(folder);
});

/** Calls list_records until its last page, and returns all pages. */
async function pagesOf(
  given: Record<string, unknown>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<readonly Result[]> {
  const pages: Result[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
    const page = await assistant.call('list_records', { ...given, ...(cursor ? { cursor } : {}) });
    expect(page, JSON.stringify(page)).toMatchObject({ ok: true });
    pages.push(page);
    cursor = page.next_cursor;
    await between();
  }
  return pages;
}

describe('a list of messages', () => {
  const html = `<p>${'x'.repeat(36_000)}</p>`;

  it('has the lengths of long texts: 74 e-mails take a few kilobytes', async () => {
    for (let at = 1; at <= 74; at += 1)
      await putEmail(sandbox, { name: `Newsletter of week ${at}`, subject: `Spring, week ${at}`, html });
    const pages = await pagesOf({ noun: 'email', limit: 200 });
    expect(pages.flatMap(({ rows }) => rows)).toHaveLength(74);
    expect(pages[0].rows.at(-1)).toEqual({
      id: expect.any(Number),
      used: false,
      html_length: html.length,
      text_length: 'Hello'.length,
      untrusted: { name: 'Newsletter of week 1', subject: 'Spring, week 1' },
    });
    expect(JSON.stringify(pages).length).toBeLessThan(11_000);
  });

  it('has the attributes that fields names', async () => {
    await putEmail(sandbox, { html });
    const { rows } = await assistant.call('list_records', {
      noun: 'email',
      fields: ['id', 'fromname', 'html'],
    });
    expect(rows).toEqual([
      {
        id: 1,
        untrusted: { fromname: 'Company', html: expect.stringContaining(`of ${html.length} characters)`) },
      },
    ]);
  });

  it('leaves out the message of an SMS', async () => {
    await putSms(sandbox, { message: 'Sale today' });
    const { rows } = await assistant.call('list_records', { noun: 'sms-message' });
    expect(rows).toEqual([
      { id: expect.any(Number), used: false, message_length: 10, untrusted: { name: 'Text' } },
    ]);
  });

  it.each([
    [['id', 'nmae'], /unknown field nmae/],
    [['id,name'], /must be a list of names/],
    [[], /must be a list of names/],
    [{ id: true }, /must be a list of names/],
  ])('refuses the fields %j', async (fields, said) => {
    await putEmail(sandbox);
    const result = await assistant.call('list_records', { noun: 'email', fields });
    expect(result).toMatchObject({ ok: false, exit: 2 });
    expect(result.untrusted.message).toMatch(said);
  });
});

describe('pages of a list', () => {
  const idsOf = (pages: readonly Result[]): readonly number[] =>
    pages.flatMap(({ rows }) => rows.map(({ id }: { id: number }) => id));
  const numbers = (from: number, to: number): readonly number[] =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => (from < to ? from + at : from - at));

  it('take as many requests as the service has pages, and the first one has the total', async () => {
    for (let at = 1; at <= 10_007; at += 1)
      await sandbox.put('do_not_contact', {
        ...{ account_id: IDS.company, cdate: NOW },
        contactdata: `person${at}@example.com`,
      });
    const pages = await pagesOf({ noun: 'dnc', limit: 200 });
    expect(idsOf(pages)).toEqual(numbers(1, 10_007));
    expect(pages.map(({ total }) => total)).toEqual(pages.map((_, at) => (at === 0 ? 10_007 : undefined)));
    // 51 pages, and one request for the counter of the account.
    expect(requests).toBe(52);
  });

  it('of a full last page end with an empty page at most', async () => {
    for (let at = 0; at < 200; at += 1) await putSms(sandbox);
    expect(idsOf(await pagesOf({ noun: 'sms-message', limit: 200 }))).toEqual(numbers(200, 1));
    const exact = await pagesOf({ noun: 'sms-message', limit: 100 });
    expect(exact.map(({ rows }) => rows.length)).toEqual([100, 100]);
  });

  it.each([
    ['newest first', {}, numbers(10, 1)],
    ['oldest first', { sort: 'id' }, numbers(1, 10)],
    ['oldest first, by reverse', { reverse: true }, numbers(1, 10)],
    ['by one name', { sort: 'name' }, numbers(1, 10)],
    ['by one time', { sort: 'cdate', reverse: true }, undefined],
    ['by a filter', { sort: 'name', name: 'Message' }, numbers(1, 10)],
    ['with other fields', { sort: 'id', fields: ['used', 'id'] }, numbers(1, 10)],
  ])('repeat and skip nothing when records are created and deleted meanwhile: %s', async (_, order, ids) => {
    for (let at = 0; at < 10; at += 1) await putEmail(sandbox);
    const pages = await pagesOf({ noun: 'email', limit: 3, ...order }, () => putEmail(sandbox));
    const old = idsOf(pages).filter((id) => id <= 10);
    expect(ids ? old : old.toSorted((a, b) => a - b)).toEqual(ids ?? numbers(1, 10));
    expect(new Set(idsOf(pages)).size).toBe(idsOf(pages).length);
  });

  it('by a time that more records share than a cursor can name have every record once', async () => {
    for (let at = 0; at < 230; at += 1) await putEmail(sandbox);
    for (const sort of ['cdate', 'name']) {
      const ids = idsOf(await pagesOf({ noun: 'email', limit: 40, sort }));
      expect(ids.toSorted((a, b) => a - b)).toEqual(numbers(1, 230));
    }
  });

  it('do not show attributes that only the cursor needs', async () => {
    for (let at = 0; at < 3; at += 1) await putEmail(sandbox);
    const given = { noun: 'email', sort: 'cdate', fields: ['name'], limit: 1 };
    const pages = await pagesOf(given);
    expect(pages.map(({ rows }) => rows)).toEqual(Array(3).fill([{ untrusted: { name: 'Message' } }]));
  });

  it.each(['10-eyJzdGFydCI6MX0-', '10-eyJ4-', '10--', 'x'])('refuse the cursor %j', async (start) => {
    for (let at = 0; at < 3; at += 1) await putEmail(sandbox);
    const { next_cursor } = await assistant.call('list_records', { noun: 'email', limit: 1 });
    const cursor = start + String(next_cursor).slice(-16);
    const result = await assistant.call('list_records', { noun: 'email', limit: 1, cursor });
    expect(result).toMatchObject({ ok: false, exit: 2 });
    expect(result.untrusted.message).toMatch(/cursor/);
  });
});

// Interface, task: `cancelled` is a filter (F). A filter with the value false is a filter, too.
it('filters by an attribute that is false', async () => {
  const list_id = await putList(sandbox);
  await putSubscriber(sandbox, [list_id], { email: 'a@example.com' });
  await putEmail(sandbox, { name: 'News' });
  const body = { channel: 'email', message_id: 1, list_id, search_id: null, scheduledtime: NOW + 86_400 };
  for (const name of ['first', 'second']) await sandbox.send('admin', 'POST', '/v1/task', { ...body, name });
  await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
  const ids = async (given: object): Promise<readonly unknown[]> =>
    (await assistant.call('list_records', { noun: 'task', ...given })).rows.map(({ id }: Result) => id);
  expect(await ids({})).toEqual(expect.arrayContaining([1, 2]));
  expect([await ids({ cancelled: false }), await ids({ cancelled: true })]).toEqual([[2], [1]]);
});
