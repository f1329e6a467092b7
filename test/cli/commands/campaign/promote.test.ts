/** Contract, "Promote": a plan for another profile, with its values and, for each id that differs, the pair. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EMAIL } from '../../../support/messages.ts';
import { NOBODY, type Run, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, KEYS, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

const campaign = (list: string, message: number) => `version: 1
campaign: Spring sale
tasks:
  newsletter:
    name: Spring
    channel: email
    message: ${message}
    list: ${list}
    at: 2026-12-20 09:00
`;

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
/** Ids in company 1 (staging) and company 2 (production). */
let lists: readonly number[];
let messages: readonly number[];
beforeEach(async () => {
  folder = await makeTemporaryFolder('promote');
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  const put = async (account_id: number, name: string) => sandbox.put('list', { account_id, name, cdate: 1 });
  const message = (account_id: number, name: string) =>
    sandbox.put('email_message', {
      ...EMAIL,
      user_id: account_id === 1 ? 1 : 4,
      account_id,
      name,
      cdate: 1,
      mdate: 1,
    });
  lists = [await put(1, 'News'), await put(2, 'Other'), await put(2, 'News')];
  messages = [await message(1, 'Old'), await message(2, 'Older'), await message(2, 'Old')];
  for (const [name, company, key, user] of [
    ['staging', '1', KEYS.company, '1'],
    ['production', '2', KEYS.other, '4'],
  ] as const) {
    const add = ['profile', 'add', name, '--base-url', 'https://api.example.com', '--company', company];
    await done([...add, '--user', user, '--no-check', '--api-key-stdin'], key);
  }
  await done(['profile', 'set', 'staging', 'list.news', String(lists[0])]);
  await done(['profile', 'set', 'production', 'list.other', String(lists[1])]);
  await done(['profile', 'set', 'production', 'list.news', String(lists[2])]);
  await write('spring.yaml', campaign(String(lists[0]), messages[0] ?? 0));
});
afterEach(() => removeFolder(folder));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const svc = (argv: readonly string[], stdin?: string): Promise<Run> =>
  runCli(argv, {
    ...{ cwd: folder, transport: service.transport },
    ...(stdin === undefined ? {} : { stdin }),
    env: { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
  });
async function done(argv: readonly string[], stdin?: string): Promise<Run> {
  const run = await svc(argv, stdin);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
}
const promote = (more = '') => svc(`promote spring.yaml --from staging --to production${more}`.split(' '));

it('plans for the other profile with the ids of the same names, and shows each pair', async () => {
  const run = await promote(' --out p');
  expect([run.exitCode, run.stderr]).toEqual([
    0,
    expect.stringContaining(`task newsletter list_id: ${lists[2]} instead of ${lists[0]}`),
  ]);
  expect(run.stderr).toContain(`task newsletter message_id: ${messages[2]} instead of ${messages[0]}`);
  expect(writesIn(service.sent)).toEqual([]);
  const plan = JSON.parse(await readFile(join(folder, 'p'), 'utf8'));
  expect(plan.company.id).toBe('2');
  expect(plan.inputs.wanted.items[0]).toMatchObject({
    list: String(lists[2]),
    message: { id: String(messages[2]) },
  });
  const page = await done(['plan', 'show', 'p', '--profile', 'production', '--format', 'markdown']);
  expect(page.stdout).toContain(`${lists[2]} instead of ${lists[0]}`);
  await done(['apply', 'p', '--profile', 'production', '--yes']);
  const tasks = JSON.parse((await done(['task', 'list', '--profile', 'production', '-o', 'json'])).stdout);
  expect(tasks).toEqual([expect.objectContaining({ list_id: lists[2], message_id: messages[2] })]);
});

// "An id in the file is one of `staging`": so is `company`.
it('replaces the company of the file, and refuses a third one', async () => {
  const own = campaign(String(lists[0]), messages[0] ?? 0);
  await write('spring.yaml', own.replace('campaign:', 'company: 1\ncampaign:'));
  const run = await promote(' --out p');
  expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('company: 2 instead of 1')]);
  const { company, inputs } = JSON.parse(await readFile(join(folder, 'p'), 'utf8'));
  expect([company.id, inputs.wanted.company, inputs.ids.company]).toEqual(['2', 2, { from: '1', to: '2' }]);
  expect((await svc(['apply', 'p', '--profile', 'staging', '--yes'])).exitCode).toBe(2);
  await done(['apply', 'p', '--profile', 'production', '--yes']);
  // The file was changed for another company after the plan was made.
  await write('spring.yaml', own.replace('campaign:', 'company: 3\ncampaign:'));
  expect((await svc(['apply', 'p', '--profile', 'production', '--yes'])).exitCode).toBe(2);
  const other = await promote();
  expect([other.exitCode, other.stderr]).toEqual([
    2,
    expect.stringContaining('spring.yaml is for company 3, which is that of neither --from nor --to'),
  ]);
  await write('spring.yaml', own.replace('campaign:', 'company: 2\ncampaign:'));
  expect((await promote()).stderr).not.toContain('company:');
});

it('refuses a plan with another pair', async () => {
  await promote(' --out p');
  const text = await readFile(join(folder, 'p'), 'utf8');
  await write('p', text.replace(`"from": "${lists[0]}"`, '"from": "77"'));
  const run = await svc(['apply', 'p', '--profile', 'production', '--yes']);
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('digest')]);
});

it('keeps ids from the values of the other profile', async () => {
  await write(
    'spring.yaml',
    campaign(`\${{ list }}`, messages[0] ?? 0).concat(`values: {list: ${lists[0]}}\n`),
  );
  await write('v.yaml', `profiles:\n  production: {list: ${lists[1]}}\n`);
  const run = await promote(' --values v.yaml --format json');
  expect(JSON.parse(run.stdout).inputs).toMatchObject({
    set: { list: String(lists[1]) },
    wanted: { items: [{ list: String(lists[1]) }] },
  });
  // Without a value of production, the id is one of staging.
  expect((await promote()).stderr).toContain(`list_id: ${lists[2]} instead of ${lists[0]}`);
});

it('never guesses: names all ids without exactly one counterpart, with their places', async () => {
  await done(['profile', 'set', 'production', 'list.news', '', '--yes']).catch(() => undefined);
  await sandbox.put('email_message', {
    ...EMAIL,
    user_id: 4,
    account_id: 2,
    name: 'Old',
    cdate: 1,
    mdate: 1,
  });
  await write(
    'spring.yaml',
    `${campaign('7777', messages[0] ?? 0)}automations:
  r: {kind: click, name: R, link: 3, actiontype: addtolist, actiontarget: ${lists[0]}}
`,
  );
  const run = await promote(' --out p');
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('spring.yaml:7:14: task newsletter: message');
  expect(run.stderr).toContain('has more than one message called "Old"');
  expect(run.stderr).toContain(
    'spring.yaml:8:11: task newsletter: list 7777 has no name in profile staging; name it with svc profile set staging list.NAME 7777, or write',
  );
  expect(run.stderr).toContain('spring.yaml:11:35: automation r: link 3 has no name');
  expect(writesIn(service.sent)).toEqual([]);
});

it('says how to name a list that the other profile does not have', async () => {
  await done(['profile', 'set', 'staging', 'list.Loyalty club', '7777']);
  await write('spring.yaml', campaign('7777', messages[0] ?? 0));
  expect((await promote()).stderr).toContain(
    `profile production has no list called "Loyalty club"; name it with svc profile set production 'list.Loyalty club' ID, or`,
  );
  expect((await svc(['promote', '--help'])).stdout).not.toContain('--companies');
});

it.each([
  [
    'the same profile twice',
    'promote spring.yaml --from staging --to staging',
    'the same company of the same service',
  ],
  ['an unknown profile', 'promote spring.yaml --from staging --to prod', 'prod'],
  [
    '--profile',
    'promote spring.yaml --from staging --to production --profile staging',
    'leave out --profile',
  ],
  ['no --to', 'promote spring.yaml --from staging', '--to'],
])('refuses %s', async (_, line, says) => {
  const run = await svc(line.split(' '));
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(service.sent).toEqual([]);
});
