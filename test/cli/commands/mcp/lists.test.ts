/** Contract, "Assistants": lists of records, their attributes and their pages. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../../src/protocol/wire.ts';
import { type Assistant, openAssistant, type Result } from '../../../support/assistant.ts';
import { putEmail, putSms } from '../../../support/messages.ts';
import { serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, type TestSandbox } from '../../../support/sandbox.ts';
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
