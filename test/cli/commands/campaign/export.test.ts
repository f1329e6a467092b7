/**
 * Contract, "Campaigns as files": `export` writes one `.yaml` at the top of DIR with `content/` below, never over an existing file. A
 * `plan` right after it has no steps.
 */
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { putEmail } from '../../../support/messages.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
let demo: DemoService;
beforeEach(async () => {
  cwd = await makeTemporaryFolder('export');
  demo = await openDemoService();
});
afterEach(() => rm(cwd, { recursive: true }));

const run = (...argv: string[]) => runCli(argv, { transport: demo.transport, env: demo.admin, cwd });
const filesIn = async (folder: string) => (await readdir(join(cwd, folder), { recursive: true })).sort();

it('an export of the demo company has an empty plan, and apply accepts the file unchanged', async () => {
  const exported = await run('export', 'spring', '-o', 'json');
  expect(exported).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(exported.stdout)).toEqual({
    file: 'spring/campaign.yaml',
    campaign: 'Harbour Coffee Roasters',
    messages: 9,
    tasks: 0,
    automations: 5,
    leftOut: 0,
  });
  const [yaml, ...content] = await filesIn('spring');
  expect(yaml).toBe('campaign.yaml');
  expect(content).toHaveLength(1 + 6 * 2 + 3);
  expect(await run('plan', 'spring/campaign.yaml', '--check')).toMatchObject({ exitCode: 0 });
  const before = (await run('email', 'list', '-o', 'json')).stdout;
  expect(await run('apply', 'spring/campaign.yaml', '--yes')).toMatchObject({ exitCode: 0, questions: [] });
  expect((await run('email', 'list', '-o', 'json')).stdout).toBe(before);
});

it('a change in the file is one step, its plan can be applied, and the next plan is empty', async () => {
  await run('export', 'spring');
  const path = join(cwd, 'spring', 'campaign.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('name: Christmas hampers (draft)', 'name: Christmas hampers'));
  await writeFile(join(cwd, 'spring/content/christmas-hampers-draft.txt'), 'Hampers!\n');
  expect(await run('plan', 'spring/campaign.yaml', '--check', '--out', 'a.plan')).toMatchObject({
    exitCode: 11,
  });
  const applied = await run('apply', 'a.plan', '--yes', '-o', 'json');
  expect(applied).toMatchObject({ exitCode: 0 });
  const done = JSON.parse(applied.stdout).filter((step: { done: boolean }) => step.done);
  expect(done).toMatchObject([{ action: 'change', kind: 'message', id: 6, name: 'Christmas hampers' }]);
  const found = JSON.parse((await run('email', 'get', '6', '-o', 'json')).stdout);
  expect(found).toMatchObject({ text: 'Hampers!\n' });
  expect(found.name).toMatch(/^Christmas hampers \[svc-\w{6}-\w{5}-\w{7}\]$/);
  expect(await run('plan', 'spring/campaign.yaml', '--check')).toMatchObject({ exitCode: 0 });
});

it('--campaign sets the name of the campaign', async () => {
  await run('export', 'spring', '--campaign', 'Spring: 2027');
  expect(await readFile(join(cwd, 'spring', 'campaign.yaml'), 'utf8')).toContain(
    '\ncampaign: "Spring: 2027"\n',
  );
  expect(await run('plan', 'spring/campaign.yaml', '--check')).toMatchObject({ exitCode: 0 });
  expect(await run('export', 'other', '--campaign', ' ')).toMatchObject({ exitCode: 2 });
});

describe('an existing folder', () => {
  it('keeps its other files', async () => {
    await mkdir(join(cwd, 'spring'));
    await writeFile(join(cwd, 'spring/README.md'), 'Ours');
    expect(await run('export', 'spring')).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(cwd, 'spring/README.md'), 'utf8')).toBe('Ours');
  });

  it.each([
    ['campaign.yaml', 'file'],
    ['campaign.yaml', 'link'],
    ['content', 'file'],
    ['content', 'folder'],
    ['content', 'link'],
  ])('with %s (a %s) is rejected before any request, and nothing in it changes', async (name, kind) => {
    const path = join(cwd, 'spring', name);
    await mkdir(join(cwd, 'spring'));
    if (kind === 'file') await writeFile(path, 'Ours');
    if (kind === 'folder') await mkdir(path);
    if (kind === 'link') await symlink('nowhere', path);
    const { exitCode, stderr } = await runCli(['export', 'spring'], { cwd });
    expect([exitCode, stderr]).toEqual([
      2,
      `svc: spring/${name} already exists; nothing was written\nHint: choose another folder, or remove the existing files\n`,
    ]);
    expect(await filesIn('spring')).toEqual([name]);
    expect((await lstat(join(cwd, 'nowhere')).catch(() => undefined)) === undefined).toBe(true);
  });

  it('cannot be a file or have an empty name', async () => {
    await writeFile(join(cwd, 'taken'), 'Ours');
    expect(await run('export', 'taken')).toMatchObject({
      exitCode: 2,
      stderr: 'svc: taken is not a folder\n',
    });
    expect(await run('export', 'taken/below')).toMatchObject({ exitCode: 2 });
    expect(await run('export', '')).toMatchObject({ exitCode: 2 });
    expect(await filesIn('.')).toEqual(['taken']);
  });
});

it('leaves no file behind if the service fails during the export', async () => {
  let count = 0;
  const failed = await runCli(['export', 'new/spring', '--no-retry'], {
    cwd,
    env: demo.admin,
    transport: async (request) => {
      count += 1;
      if (count > 6) return { status: 500, headers: {}, body: Buffer.from('{}') } as never;
      return demo.transport(request);
    },
  });
  expect(failed.exitCode).not.toBe(0);
  expect(await filesIn('.')).toEqual([]);
});

it('lists on stderr the records that it left out, even with --quiet, and only reads', async () => {
  const sandbox = await createTestSandbox();
  await putEmail(sandbox, { name: '\u001b[31m' });
  await putEmail(sandbox, { name: ' ' });
  const service = serviceOf(sandbox);
  const found = await runCli(['export', 'spring', '-q', '-o', 'json'], { ...service, cwd });
  expect(found).toMatchObject({ exitCode: 0, stderr: 'not exported: e-mail message 2 ( ): name is empty\n' });
  expect(JSON.parse(found.stdout)).toMatchObject({ messages: 1, leftOut: 1 });
  expect(service.sent.every(({ method }) => method === 'GET')).toBe(true);
});
