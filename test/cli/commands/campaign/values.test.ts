/** Contract, "Values": `--values FILE` and `--set` replace values of the file, and a values file has sections for companies. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

const CAMPAIGN = `version: 1
campaign: Spring sale
values:
  list: 1
  when: "+2d"
tasks:
  newsletter:
    name: \${{ title }}
    message: 1
    channel: email
    list: \${{ list }}
    at: \${{ when }}
`;

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('campaign-values');
  demo = await openDemoService();
  await write('spring.yaml', CAMPAIGN);
});
afterEach(() => removeFolder(folder));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const svc = (line: string) =>
  runCli(line.split(' '), { cwd: folder, transport: demo.transport, env: { ...demo.admin } });
const planned = async () => JSON.parse(await readFile(join(folder, 'p'), 'utf8')).inputs;

it('takes --set before the section of the company, before the values file, before the campaign file', async () => {
  await write('v.yaml', 'title: All\nlist: 3\ncompanies:\n  1: {title: Own}\n  7: {title: Other}\n');
  expect((await svc('plan spring.yaml --values v.yaml --set list=2 --out p')).exitCode).toBe(0);
  const { set, wanted } = await planned();
  expect(wanted.items[0]).toMatchObject({ name: 'Own', list: '2', at: '+2d' });
  // The plan names the values that its file uses, so nobody needs the values file to approve or apply it.
  expect(set).toEqual({ title: 'Own', list: '2' });
  expect((await svc('apply p --yes')).exitCode).toBe(0);
  expect(
    JSON.parse((await svc('task list -o json')).stdout).map(({ name }: { name: string }) => name),
  ).toContainEqual(expect.stringMatching(/^Own \[svc-/));
});

it('refuses the plan once the values of the campaign file have changed', async () => {
  expect((await svc('plan spring.yaml --set title=A --out p')).exitCode).toBe(0);
  await write('spring.yaml', CAMPAIGN.replace('list: 1', 'list: 2'));
  const run = await svc('apply p --yes');
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    expect.stringContaining('has changed since the plan was made'),
  ]);
});

it.each(['plan spring.yaml', 'rehearse spring.yaml', 'apply spring.yaml --yes', 'lint spring.yaml'])(
  'names all faults with their places, and sends nothing: %s',
  async (command) => {
    await write('v.yaml', 'titel: All\nlist: news\n');
    const run = await svc(`${command} --values v.yaml`);
    const said = run.stdout + run.stderr;
    expect(run.exitCode).toBe(command.startsWith('lint') ? 11 : 2);
    expect(said).toContain('spring.yaml:8:11');
    expect(said).toContain('the variable title has no value; did you mean titel?');
    expect(said).toContain('spring.yaml:11:11');
    expect(said).toMatch(/list must be the id of a list,\s+not "news"/);
    expect(said).toContain('v.yaml:1:1');
    expect(said).toMatch(/does not use \$\{\{\s+titel \}\}; did you mean title\?/);
  },
);

it('lint reads the file for each company of the values, without a request', async () => {
  await write('v.yaml', 'companies:\n  12: {title: A}\n  13: {list: 5}\n  14: {title: B}\n');
  const run = await svc('lint spring.yaml --values v.yaml -o json');
  expect(run.exitCode).toBe(11);
  expect(JSON.parse(run.stdout).map((each: { message: string }) => each.message)).toEqual([
    'company 13: the variable title has no value; add it to v.yaml.',
  ]);
});

it.each([
  [
    '--set titel=A --set title=B',
    `--set titel: the campaign file does not use \${{ titel }}; did you mean title?`,
  ],
  ['--values no.yaml', 'no.yaml:1:1: the file does not exist'],
])('refuses %s', async (flags, says) => {
  const run = await svc(`plan spring.yaml ${flags}`);
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(says)]);
});
