/** Contract, "The sandbox, for people and teams": pages say which number in a series a task is, and which step of a sequence a rule is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  computeCampaignNameHash,
  computeContentHash,
  computeItemKeyHash,
} from '../../../src/features/campaign/marks.ts';
import { appendCampaignMark } from '../../../src/service/resources/campaign-mark.ts';
import { linkTo } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const DAY = 86_400;
const campaignHash = computeCampaignNameHash('News');
const marked = (name: string, kind: 'task' | 'automation', key: string): string =>
  appendCampaignMark(name, {
    ...{ campaignHash, keyHash: computeItemKeyHash(kind, key) },
    contentHashOrReason: computeContentHash(key),
  });

let sandbox: SocketSandbox;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let tasks: readonly number[];
let steps: readonly number[];
let cookie: string;

async function made(path: string, record: object): Promise<number> {
  const { status, text, json } = await sandbox.api('POST', path, record);
  expect(status, text).toBe(202);
  return json.response.data.id;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  const { json } = await sandbox.control('clock show', {});
  const time = json.data.time + 3600;
  const task = (name: string, days: number, list_id = 1) =>
    made('/v1/task', {
      ...{ channel: 'email', message_id: 1, name, list_id, search_id: null },
      scheduledtime: time + days * DAY,
    });
  const step = (key: string, days: number) =>
    made('/v1/subscriptionAutomation', {
      ...{
        list_id: 2,
        actiontype: 'email_autoresponder',
        actiontarget: '1',
        summary: null,
        actiononweekend: true,
      },
      ...{
        actiontimediff: days * 1440,
        name: marked(`Welcome, step ${key}`, 'automation', `welcome/${key}`),
      },
    });
  tasks = [
    await task(marked('Weekly news', 'task', 'news@1'), 0),
    await task(marked('Weekly news', 'task', 'news@2'), 7),
    await task(marked('Weekly news', 'task', 'news@3'), 14),
    await task(marked('Sale', 'task', 'sale'), 3),
    await task('Weekly news', 4),
  ];
  steps = [await step('hello', 0), await step('tips', 3)];
  await sandbox.api('PUT', `/v1/task/${tasks[1]}`, { cancelled: true });
  const { headers } = await sandbox.get(
    (await linkTo(sandbox, 'outbox')).slice(sandbox.ready.baseUrl.length),
  );
  cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}, 60_000);

afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const show = async (path: string): Promise<string> => {
  const { status, text } = await sandbox.get(`/ui/1/${path}`, { headers: { cookie } });
  expect(status, path).toBe(200);
  return text;
};

it('the page of a task says its number, what comes next, and that a time cancelled by hand stays so', async () => {
  const page = await show(`tasks/${tasks[1]}`);
  expect(page).toContain(
    `This task is number 2 of 3 in the series “Weekly news” of campaign ${campaignHash}, as far as its tasks exist. The next one to come is task ${tasks[0]}: `,
  );
  expect(page).toContain('It was cancelled by hand');
  expect(await show(`tasks/${tasks[2]}`)).not.toContain('by hand');
});

it('the calendar has the number of each time', async () => {
  const page = await show('tasks');
  for (const [at, place] of ['1 of 3', '2 of 3', '3 of 3'].entries())
    expect(page).toMatch(new RegExp(`id="task-${tasks[at]}"[^]*?series, ${place}[^]*?</a>`));
  expect(page.match(/series, /g)).toHaveLength(3);
});

it('another task has no series', async () => {
  for (const id of tasks.slice(3)) expect(await show(`tasks/${id}`)).not.toContain('<dt>Series');
});

it('the page of a rule says its step, its sequence and the step before it', async () => {
  expect(await show(`automations/subscription:${steps[1]}`)).toContain(
    `Step tips is number 2 of 2 in the sequence “Welcome” of list 2. It follows step hello (subscription:${steps[0]}).`,
  );
  expect(await show('automations/click:1')).not.toContain('<dt>Sequence');
});
