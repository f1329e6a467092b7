/** Contract, "Output": people see names without the marks of campaigns. The pages show a badge, and find a part of the visible name. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linkTo } from '../../support/pages.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const MARK = '[svc-9aw0rm-zp1lp-mxxt-zjpeqd6]';
const TITLE = `title="${MARK}: svc finds this record by the mark at the end of its name"`;

let sandbox: SocketSandbox;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let task: number;
let cookie: string;

async function made(path: string, record: object): Promise<number> {
  const { status, text, json } = await sandbox.api('POST', path, record);
  expect(status, text).toBe(202);
  return json.response.data.id;
}

async function asked(operation: string, values: object = {}) {
  const { status, text, json } = await sandbox.control(operation, values);
  expect(status, text).toBe(200);
  return json.data;
}

const sender = { fromname: 'Harbour Coffee', fromemail: 'news@harbourcoffee.example' };
const content = { subject: 'Spring', html: '<a href="https://shop.example/">Shop</a>', text: 'Spring' };

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  const message_id = await made('/v1/emailMessage', {
    ...{ ...sender, ...content, name: `Spring sale ${MARK}`, replyemail: 'hello@harbourcoffee.example' },
  });
  const about = { channel: 'email', message_id, list_id: 1, search_id: null };
  const { time } = await asked('clock show');
  task = await made('/v1/task', { ...about, name: `Spring sale ${MARK}`, scheduledtime: time + 600 });
  await made('/v1/task', { ...about, name: `Last day ${MARK}`, scheduledtime: time + 900 });
  const rule = { actiontype: 'notify', actiontarget: 'shop@harbourcoffee.example', summary: null };
  await made('/v1/openAutomation', { ...rule, name: `Spring readers ${MARK}`, message_id });
  await asked('clock advance', { seconds: 700 });
  const [entry] = await asked('outbox list', { task, limit: 1 });
  await asked('event open', { task, subscriber: Number(String(entry?.id).split('-')[1]) });
  await asked('clock advance', { seconds: 60 });
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

it('no page has a mark, except in the tooltip of a badge', async () => {
  const seen = new Set<string>();
  const next = ['outbox', 'outbox?view=all', 'tasks', 'automations', 'clock', 'lists', 'requests', 'account'];
  const shapes = new Map<string, number>();
  for (let path = next.shift(); path !== undefined && seen.size < 120; path = next.shift()) {
    const shape = path.replace(/[0-9]+/g, '#');
    if (seen.has(path) || (shapes.get(shape) ?? 0) >= 8) continue;
    seen.add(path);
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    const page = await show(path);
    // A request is shown as it came: its body is what a client's author looks for.
    if (shape !== 'requests/#') expect(page.replaceAll(TITLE, ''), path).not.toContain('[svc-');
    for (const [, href = ''] of page.matchAll(/href="\/ui\/1\/([^"#]+)"/g))
      if (!href.includes('part=') && !href.endsWith('.eml')) next.push(href.replaceAll('&amp;', '&'));
  }
  const notices = await show('outbox?view=all&channel=notification');
  expect(notices).toContain('Spring readers');
  expect([...seen]).toEqual(expect.arrayContaining([`tasks/${task}`, 'automations/open:2']));
});

it.each([
  ['tasks', () => 'tasks'],
  ['a task', () => `tasks/${task}`],
  ['rules', () => 'automations'],
  ['a rule', () => 'automations/open:2'],
  ['found tasks', () => 'tasks?search=spring'],
])('%s show a badge for the campaign', async (_, path) => {
  expect(await show(path())).toContain(`<span class="badge campaign" ${TITLE}>campaign 9aw0rm</span>`);
});

it.each(['Spring sale', 'spring', 'SALE', 'Spring sale ⟨9aw0rm⟩', () => String(task)])(
  'finds a task by its id or a part of the name that people see: %s',
  async (text) => {
    const wanted = typeof text === 'string' ? text : text();
    const page = await show(`tasks?search=${encodeURIComponent(wanted)}`);
    expect(page).toContain(`id="task-${task}"`);
    expect(page).toContain('1 task<');
  },
);

it('does not find a task by its mark', async () => {
  expect(await show('tasks?search=svc-9aw0rm')).toContain('No task has this id, or this text in its name.');
});
