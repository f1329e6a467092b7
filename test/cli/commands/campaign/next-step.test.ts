/** Contract, "Campaigns as files": the errors about a plan say what failed, why, and what to do next. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeSetting } from '../../../../src/sandbox/store/settings.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
beforeEach(async () => {
  folder = await makeTemporaryFolder('next-step');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (line: string, env: Readonly<Record<string, string | undefined>> = {}) =>
  runCli(line.split(' '), { cwd: folder, transport: demo.transport, env: { ...demo.admin, ...env } });

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  const path = join(folder, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

async function plan(): Promise<void> {
  const { exitCode, stderr } = await svc('plan spring.yaml --out spring.plan --valid 20d');
  expect(exitCode, stderr).toBe(0);
}

const toCrlf = (text: string): string => text.replaceAll('\n', '\r\n');
const withConflict = (text: string): string => {
  const lines = text.split('\n');
  return [
    ...[...lines.slice(0, 3), '<<<<<<< HEAD', lines[3], '=======', lines[3], '>>>>>>> other'],
    ...lines.slice(4),
  ].join('\n');
};
const wholeInConflict = (text: string): string => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> other\n`;

it('says why a new plan would block a step: its send time has passed', async () => {
  await plan();
  await writeSetting(demo.db, 'clock.time', String(NOW + 8 * 86_400));
  const { exitCode, stderr } = await svc('apply spring.plan --yes');
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/task newsletter: .*blocked: the send time has passed/);
});

it('says how to make a plan that is missing', async () => {
  const { exitCode, stderr } = await svc('apply campaigns/spring.plan --yes');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('campaigns/spring.plan not found');
  expect(stderr).toContain('svc plan FILE --out PLAN');
});

it.each([
  ['a conflict in a plan', withConflict],
  ['a plan that is in conflict as a whole', wholeInConflict],
])('names %s', async (_, change) => {
  await plan();
  await rewrite('spring.plan', change);
  for (const line of ['apply spring.plan --yes', 'plan show spring.plan']) {
    const { exitCode, stderr } = await svc(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('svc: spring.plan has an unresolved merge conflict\n');
    expect(stderr).toContain('must be approved again');
  }
});

it('names a conflict in a campaign file once, with its line', async () => {
  await rewrite('spring.yaml', withConflict);
  const { exitCode, stderr } = await svc('plan spring.yaml');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('spring.yaml:4:1: an unresolved merge conflict begins here');
  expect(stderr).not.toContain('invalid YAML');
});

it.each(['spring.plan', 'spring.yaml', 'content/spring.html'])(
  'names changed line ends of %s, and how git keeps them',
  async (file) => {
    await plan();
    await rewrite(file, toCrlf);
    const { exitCode, stderr } = await svc('apply spring.plan --yes');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(new RegExp(`line ends.*${file}|${file}.*line ends`));
    expect(stderr).toContain('.gitattributes');
  },
);

it('accepts the line ends that the plan was made with, and names LF in place of CRLF', async () => {
  await rewrite('content/spring.html', toCrlf);
  await plan();
  await rewrite('content/spring.html', (text) => text.replaceAll('\r\n', '\n'));
  const { exitCode, stderr } = await svc('apply spring.plan --yes');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('line ends')]);
});

it('still calls a file with other text changed', async () => {
  await plan();
  await rewrite('content/spring.html', (text) => toCrlf(`${text}<p>More</p>\n`));
  const { stderr } = await svc('apply spring.plan --yes');
  expect(stderr).toContain('content/spring.html has changed since the plan was made');
});

it.each([
  ['in a pipeline', 'true', 'set SVC_API_KEY from a secret'],
  ['elsewhere', undefined, 'create a profile with svc init'],
])('says how to give the missing key %s', async (_, ci, hint) => {
  const { exitCode, stderr } = await svc('plan spring.yaml', { SVC_API_KEY: undefined, CI: ci });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('missing the key (SVC_API_KEY)');
  expect(stderr).toContain(hint);
});
