/** Contract, "`renamed-from`": what `svc plan` and `svc apply` say about items and campaigns with a new name. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPlan } from '../../../../src/features/campaign/plan-file/plan-file.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('renames');
  demo = await openDemoService();
  await mkdir(join(folder, 'content'));
  await write('content/news.html', '<html><body><p>Hello</p></body></html>\n');
  await write('content/news.txt', 'Hello\n');
  await write('old.yaml', file('Spring', 'sale: {name: Sale, message: news, list: 1, at: +2d}'));
  expect((await svc('apply old.yaml --yes')).exitCode).toBe(0);
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const svc = (words: string) =>
  runCli(words.split(' '), {
    cwd: folder,
    transport: demo.transport,
    env: { ...demo.admin, PATH: process.env['PATH'] },
  });
const file = (campaign: string, task: string, more = ''): string =>
  `version: 1\ncampaign: ${campaign}\n${more}messages:\n  news: {channel: email, name: News, from-name: Company, reply-to: office@example.com, subject: Hello, html: content/news.html, text: content/news.txt}\ntasks:\n  ${task}\n`;
const tasks = async () =>
  JSON.parse((await svc('task list -o json')).stdout).filter(({ name }: { name: string }) =>
    name.startsWith('Sale ['),
  );

const NEW = file(
  'Autumn',
  'autumn: {name: Sale, message: news, list: 1, at: +2d, renamed-from: sale}',
  'renamed-from: Spring\n',
);

it('the plan says rename with the earlier key and name in every form, and so does apply', async () => {
  await write('new.yaml', NEW);
  const [before] = await tasks();
  const { stdout } = await svc('plan new.yaml');
  expect(stdout).toMatch(
    /^» rename {2}task {5}autumn {2}Sale\n {4}renamed from key sale\n {4}renamed from campaign "Spring"$/m,
  );
  expect(stdout).toMatch(/1 to rename, 1 up to date/);
  expect((await svc('plan new.yaml --format markdown')).stdout).toMatch(
    /\| rename \| task \| autumn \| Sale \| renamed from key sale<br>renamed from campaign "Spring"/,
  );
  expect((await svc('plan new.yaml --check')).exitCode).toBe(11);
  expect((await svc('plan new.yaml --out new.plan')).exitCode).toBe(0);
  const { steps, inputs } = readPlan(await readFile(join(folder, 'new.plan'), 'utf8'));
  expect(steps.map(({ action, renamedFrom }) => [action, renamedFrom])).toEqual([
    ['keep', { campaign: 'Spring' }],
    ['rename', { key: 'sale', campaign: 'Spring' }],
  ]);
  expect(inputs.wanted.renamedFrom).toEqual(['Spring']);
  const page = (await svc('plan show new.plan')).stdout;
  expect(page).toMatch(/^ +renamed from +"Spring"$/m);
  expect(page).toMatch(
    /To rename\n+ *task autumn\n +name: "Sale"\n +renamed from key sale\n +renamed from campaign "Spring"\n +sends message news to list 1\n/,
  );
  expect((await svc('apply new.yaml --yes --dry-run')).exitCode).toBe(0);
  expect(await tasks()).toEqual([before]);
  const applied = await svc('apply new.plan --yes -o json');
  expect(applied.exitCode, applied.stderr).toBe(0);
  expect(JSON.parse(applied.stdout)[1]).toMatchObject({
    ...{ action: 'rename', key: 'autumn', id: before.id, done: true },
    renamedFrom: { key: 'sale', campaign: 'Spring' },
  });
  const [after, ...others] = await tasks();
  expect(others).toEqual([]);
  expect(after).toEqual({ ...before, name: after.name, mdate: after.mdate });
  expect(after.name).not.toBe(before.name);
  expect((await svc('plan new.yaml --check')).exitCode).toBe(0);
  expect((await svc('apply new.plan --yes')).exitCode).toBe(0);
});

it('a plan that renames is refused if its record has changed since', async () => {
  await write('new.yaml', NEW);
  await svc('plan new.yaml --out new.plan');
  const [{ id }] = await tasks();
  await svc(`task update ${id} --at +3d --yes`);
  const { exitCode, stderr } = await svc('apply new.plan --yes');
  expect(exitCode).toBe(5);
  expect(stderr).toContain(`task autumn: ${id} has changed since the plan was made`);
});

it('a key and a campaign that another file still has are faults with their places', async () => {
  await write(
    'same.yaml',
    file('Spring', 'other: {name: Other, message: news, list: 2, at: +2d, renamed-from: sale}')
      .replace('news:', 'mail:')
      .replace('message: news', 'message: mail'),
  );
  const same = await svc('plan old.yaml same.yaml');
  expect(same.exitCode).toBe(2);
  expect(same.stderr).toMatch(/same\.yaml:6:\d+: renamed-from: task sale is still used in old\.yaml/);
  await write('new.yaml', NEW);
  const both = await svc('plan old.yaml new.yaml');
  expect(both.exitCode).toBe(2);
  expect(both.stderr).toMatch(/new\.yaml:3:15: renamed-from: campaign "Spring" is still used in old\.yaml/);
});

it('without the line, the step is blocked and says what to write', async () => {
  await write('new.yaml', file('Spring', 'autumn: {name: Sale, message: news, list: 1, at: +2d}'));
  const { exitCode, stderr } = await svc('apply new.yaml --yes');
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(
    /write renamed-from with the earlier key at autumn in the file.*--prune cancels task \d+ to \d+ subscriptions of list 1 at .*--both sends both to the same people/s,
  );
  expect(await tasks()).toHaveLength(1);
});
