/** Contract, "Assistants": "Every text from the service is in an object `untrusted` of its row". */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Assistant, openAssistant } from '../../../support/assistant.ts';
import { depth } from '../../../support/depth.ts';
import { HOSTILE, UNSAFE_TEXT } from '../../../support/hostile-texts.ts';
import { putEmail, putList, putSms, putSubscriber } from '../../../support/messages.ts';
import { serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let assistant: Assistant;
let service: ReturnType<typeof serviceOf>;
beforeAll(async () => {
  folder = await makeTemporaryFolder('hostile');
  const sandbox = await createTestSandbox();
  const list = await putList(sandbox);
  await putSubscriber(sandbox, [list], { email: 'reader@example.com' });
  const times = { cdate: NOW, mdate: NOW };
  for (const { text } of HOSTILE) {
    const message = await putEmail(sandbox, { name: text, subject: text });
    await sandbox.put('folder', { account_id: 1, name: text, ...times });
    await putSms(sandbox, { name: text, message: text });
    await sandbox.put('task', {
      ...{
        account_id: 1,
        user_id: 1,
        channel: 'email',
        list_id: list,
        message_id: message,
        name: text,
        size: 1,
      },
      ...{ scheduledtime: NOW + 86_400, cdate: NOW },
    });
  }
  service = serviceOf(sandbox);
  assistant = await openAssistant([], { transport: service.transport, cwd: folder });
});
afterAll(async () => {
  await assistant.close();
  await rm(folder, { recursive: true });
});

/** Returns every text of a result outside of `untrusted` objects, including keys. */
function ownTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(ownTexts);
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'untrusted' ? [] : [key, ...ownTexts(each)],
  );
}

const everyText = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => [key, ...everyText(each)])
      : [];

/** The number of texts that each tool is checked with. The lists show all of them. */
const looked = depth('SVC_ASSISTANT_TEXTS', { few: 3, full: 200 });

const seen = new Set<string>();

async function look(name: string, given: Record<string, unknown>) {
  const result = await assistant.call(name, given);
  expect(
    ownTexts(result).filter((text) => /zq[0-9]{3}qz/i.test(text)),
    `${name} ${JSON.stringify(given)}`,
  ).toEqual([]);
  const texts = everyText(result);
  expect(texts.filter((text) => UNSAFE_TEXT.test(text))).toEqual([]);
  for (const [mark] of texts.join('\n').matchAll(/zq[0-9]{3}qz/gi)) seen.add(mark.toLowerCase());
  return result;
}

async function lookAtAll(name: string, given: Record<string, unknown>): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages += 1) {
    const result = await look(name, { ...given, ...(cursor ? { cursor } : {}) });
    count += result.rows.length;
    cursor = result.next_cursor;
  }
  return count;
}

it('has 200 hostile texts', () => expect(HOSTILE).toHaveLength(200));

it.each(['email', 'folder', 'sms-message', 'task'])(
  'lists %s with no hostile text in an unmarked field',
  async (noun) => {
    seen.clear();
    expect(await lookAtAll('list_records', { noun })).toBe(200);
    expect([...seen].sort()).toEqual(HOSTILE.map(({ mark }) => mark).sort());
  },
);

it('gets, explains, reports, forecasts, plans and fails with no hostile text in an unmarked field', async () => {
  seen.clear();
  await lookAtAll('forecast', {});
  await lookAtAll('calendar', { from: '2026-12-01', weeks: 1 });
  await look('rehearse', { for: '2d', audience: 'none' });
  await lookAtAll('rehearse', { for: '2d', audience: 'none', part: 'sends' });
  await look('export', { dir: 'exported' });
  // Each page plans the whole campaign again, so the pages are long.
  await lookAtAll('plan', { file: ['exported/campaign.yaml'], part: 'steps', limit: 200 });
  await look('plan', { file: ['exported/campaign.yaml'], out: 'exported/all.plan', part: 'findings' });
  await look('review_plan', { plan: 'exported/all.plan' });
  await look('draft_campaign', { file: ['exported/campaign.yaml'] });
  for (const [at, { text }] of HOSTILE.entries()) {
    if (at % Math.round(HOSTILE.length / looked) !== 0) continue;
    const id = String(at + 1);
    for (const noun of ['email', 'task', 'folder', 'sms-message']) await look('get_record', { noun, id });
    await look('get_record', { noun: 'email', id, field: 'subject' });
    await look('why_locked', { kind: 'email', id });
    await look('task_report', { id });
    await look('lint', { noun: 'email', id });
    // The model may repeat a text as an argument, and an error then contains it.
    await look('get_record', { noun: 'folder', id: text });
    await look('get_record', { noun: 'task', id: `no ${text}` });
    await look('explain', { what: [text] });
    await look('list_records', { noun: 'task', name: text });
    await look('plan', { file: [text] });
    await look('draft_campaign', { file: [text], write: [{ path: text, text }] });
    await look('draft_campaign', { file: ['h.yaml'], write: [{ path: 'h.yaml', text }], replace: true });
    await look('review_plan', { plan: text });
    await look('get_record', { noun: 'email', id, [text]: 1 });
  }
  expect(seen.size).toBe(200);
});

it('has no hostile text in the descriptions of tools, resources and prompts', async () => {
  const { client } = assistant;
  const all = [
    await client.listTools(),
    await client.listResources(),
    await client.listPrompts(),
    client.getInstructions(),
  ];
  expect(everyText(all).filter((text) => /zq[0-9]{3}qz/i.test(text))).toEqual([]);
  expect(writesIn(service.sent)).toEqual([]);
});
