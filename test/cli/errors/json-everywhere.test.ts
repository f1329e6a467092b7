/**
 * Contract, "Output": "With `-o json`, an error is one JSON object on stderr". This holds for every way in which a command can fail, and
 * also for the format of SVC_OUTPUT and of the profile.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withEverything } from '../../support/everything.ts';
import { registry } from '../../support/registry.ts';
import { NOBODY, type Outside, type Run, runCli, serviceOf } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let outside: Outside;
beforeAll(async () => {
  folder = await makeTemporaryFolder('json-errors');
  const service = serviceOf(await withEverything());
  const env = { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') };
  outside = { cwd: folder, transport: service.transport, env };
  const add = [
    'profile',
    'add',
    'prod',
    '--base-url',
    'https://api.example.com',
    '--company',
    '1',
    '--user',
    '1',
  ];
  await runCli([...add, '--no-check', '--api-key-stdin'], { ...outside, stdin: KEYS.company });
  await runCli(['profile', 'set', 'prod', 'budget.tasks-per-day', '0'], outside);
});
afterAll(() => rm(folder, { recursive: true }));

const run = (words: readonly string[], more: Outside = {}): Promise<Run> =>
  runCli(words, { ...outside, ...more, env: { ...outside.env, ...more.env } });

function expectJson({ stderr, exitCode }: Run, what: string): void {
  const last = stderr.slice(stderr.indexOf('{'));
  expect(stderr, what).toContain('{');
  expect(JSON.parse(last), what).toMatchObject({
    error: { kind: expect.any(String), exit: exitCode, message: expect.any(String) },
  });
}

const FAILING: readonly (readonly [line: string, exit: number])[] = [
  ['nosuch', 2],
  ['task nosuch', 2],
  ['task list --nosuch', 2],
  ['task get', 2],
  ['task list --limit x', 2],
  ['task create --channel email', 2],
  ['task create --channel email --message 1 --name N --list 1 --at +1d', 2],
  ['task get 99', 4],
  ['task get Nobody', 4],
  ['task list --profile nosuch', 2],
  ['api GET /v2/x', 2],
  ['plan nosuch.yaml', 2],
  ['apply nosuch.plan --yes', 2],
  ['audit --plans nosuch --signers nosuch', 2],
  ['folder delete 1', 2],
  ['help nosuch', 2],
  ['undo 99 --yes', 4],
  ['task list --profile prod --base-url http://other.example.com', 2],
];

describe.each([
  ['-o json', ['-o', 'json'], {}],
  ['--json', ['--json'], {}],
  ['SVC_OUTPUT=json', [], { SVC_OUTPUT: 'json' }],
])('with %s', (_name, flags, env) => {
  it.each(FAILING)('svc %s prints a JSON error', async (line) => {
    const failed = await run([...line.split(' '), ...flags], { env });
    expect(failed.exitCode).not.toBe(0);
    expectJson(failed, line);
  });
});

it('every verb fails with a JSON error without its arguments or without credentials', async () => {
  for (const [path, verb] of await registry()) {
    const failed = await runCli([...path.split(' '), '--nosuch-flag', '-o', 'json'], {
      env: NOBODY,
      cwd: folder,
    });
    expect(failed.exitCode, path).toBe(2);
    expectJson(failed, path);
    if (!['reads', 'finds', 'creates', 'changes'].includes(verb.work) || path === 'init') continue;
    const denied = await runCli([...path.split(' '), '-o', 'json', '--no-input'], {
      env: NOBODY,
      cwd: folder,
    });
    // The checks of svc doctor are a result, even if they fail.
    if (denied.stdout !== '') JSON.parse(denied.stdout);
    else if (denied.exitCode !== 0) expectJson(denied, `${path} without credentials`);
  }
});

it('uses the format of the profile', async () => {
  const line = 'task get 99 --profile prod'.split(' ');
  expect((await run(line)).stderr).not.toContain('{');
  await run(['profile', 'set', 'prod', 'output', 'json']);
  expectJson(await run(line), 'profile');
  expect((await run([...line, '-o', 'table'])).stderr).not.toContain('{');
  await run(['profile', 'set', 'prod', 'output', '']);
});
