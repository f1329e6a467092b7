/**
 * Contract, "Campaigns as files": a plan shows "lint findings", and apply refuses to write or send a message with
 * errors unless `--allow-lint-errors` is given. Existing records are left alone.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeKey } from '../../../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('lint-errors');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string) =>
  runCli(line.split(' '), {
    cwd: folder,
    transport: demo.transport,
    env: { ...demo.admin, PATH: process.env['PATH'] },
  });
const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
};
const made = async (): Promise<number> =>
  JSON.parse((await svc('email list -o json')).stdout).filter(({ name }: { name: string }) =>
    name.includes('[svc-'),
  ).length;
const breakIt = (): Promise<void> =>
  edit('content/spring.html', (text) => text.replace('</body>', '<a href="/sale">Sale</a></body>'));

describe.each([
  ['a file', 'spring.yaml'],
  ['a plan', 'spring.plan'],
])('svc apply of %s with a lint error', (_, target) => {
  beforeEach(async () => {
    await breakIt();
    expect((await svc('plan spring.yaml --out spring.plan')).exitCode).toBe(0);
  });

  it.each(['', ' --dry-run'])(
    'is refused with the place of the error%s, before any question',
    async (more) => {
      const run = await svc(`apply ${target} --yes${more}`);
      expect([run.exitCode, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toMatch(
        /content\/spring\.html:[0-9]+:[0-9]+: message spring: .*\[relative-address\]/,
      );
      expect(run.stderr).toContain('nothing was sent');
      expect(run.stderr).toContain('--allow-lint-errors');
      expect(await made()).toBe(0);
    },
  );

  it('continues with --allow-lint-errors, and has no steps afterwards', async () => {
    const run = await svc(`apply ${target} --yes --allow-lint-errors`);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain('[relative-address]');
    expect(await made()).toBe(2);
    const again = await svc(`apply ${target} --yes`);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stderr).toContain('No changes. ');
  });
});

describe('an existing message with a lint error', () => {
  beforeEach(async () => {
    await breakIt();
    await svc('apply spring.yaml --yes --allow-lint-errors');
  });

  it('does not prevent moving its task', async () => {
    await edit('spring.yaml', (text) =>
      text
        .replace('expect-size: 300..500', 'expect-size: 300..600')
        .replace('name: Spring sale to the newsletter', 'name: Spring sale, to all'),
    );
    const run = await svc('apply spring.yaml --yes');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain('changed task newsletter');
  });

  it('gets no further task', async () => {
    await edit('spring.yaml', (text) =>
      text.replace(
        'tasks:\n',
        'tasks:\n  more:\n    name: More\n    message: spring\n    list: 2\n    at: +9d\n',
      ),
    );
    const run = await svc('apply spring.yaml --yes');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('[relative-address]');
  });
});

it('a plan shows lint errors before people approve it', async () => {
  await breakIt();
  await svc('plan spring.yaml --out spring.plan');
  const { stdout } = await svc('plan show spring.plan');
  expect(stdout).toMatch(/^Lint errors\n.*spring\.html:[0-9]+:[0-9]+: error: .*\[relative-address\]/ms);
  await makeKey(folder, 'ada');
  const refused = await svc('approve spring.plan --identity ada --yes');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('[relative-address]')]);
  expect(refused.stderr).toContain('add --allow-lint-errors');
  const asked = await runCli('approve spring.plan --identity ada --allow-lint-errors'.split(' '), {
    cwd: folder,
    transport: demo.transport,
    env: { ...demo.admin, PATH: process.env['PATH'] },
    tty: true,
    answers: [true],
  });
  expect(asked.questions).toEqual([
    expect.stringMatching(/^Really sign this plan \(2 tasks: .*; 1 lint error\)\?$/),
  ]);
  expect([asked.exitCode, asked.stderr]).toEqual([0, expect.stringContaining('[relative-address]')]);
});

it('a fault outside the content has a place in the campaign file', async () => {
  await edit('spring.yaml', (text) => text.replace('subject: Spring coffee offers', 'subject: " "'));
  const run = await svc('apply spring.yaml --yes');
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toMatch(/spring\.yaml: message spring: The subject is empty \[empty-part\]/);
});
