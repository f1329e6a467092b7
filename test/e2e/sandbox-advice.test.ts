/** Contract, "Sandbox": the next commands in its output and errors work unchanged when they are pasted into a shell. */
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('advice');
  await installSvc(home, script);
});
afterEach(async () => {
  for (const dataDir of [first(), second(), join(home, 'state', 'sandbox')])
    await sh(`svc sandbox stop --data "${dataDir}"`);
  await removeFolder(home);
});

const first = (): string => join(home, "a folder that's mine");
const second = (): string => join(home, 'second');

/** Runs one line of a shell, as if a person pasted it. */
async function sh(line: string) {
  const { stdout, stderr, exitCode } = await execa('/bin/sh', ['-c', line], {
    env: { PATH: `${home}:${process.env['PATH']}`, HOME: home, SVC_STATE_DIR: join(home, 'state') },
    extendEnv: false,
    reject: false,
  });
  return { stdout, stderr, exitCode };
}
const start = (dataDir: string, flags = '') =>
  sh(`svc sandbox start --detach --data "${dataDir}" --port 0 --seed empty ${flags}`);
const commandIn = (text: string, begin: string): string =>
  text.slice(text.indexOf(begin)).split('\n')[0] ?? '';

it('a command that starts a stopped sandbox again uses its data, its port and its profile', async () => {
  await start(first(), '--profile box-2');
  await sh('svc folder create --name Kept');
  await sh('svc sandbox stop');
  const failed = await sh('svc --profile box-2 folder list');
  expect([failed.exitCode, failed.stdout]).toEqual([7, '']);
  const before = await sh('svc profile list -o json');
  expect((await sh(commandIn(failed.stderr, 'svc sandbox start'))).exitCode).toBe(0);
  expect((await sh('svc profile list -o json')).stdout).toBe(before.stdout);
  const folders = await sh('svc --profile box-2 folder list --fields name -o json');
  expect([folders.exitCode, JSON.parse(folders.stdout)]).toEqual([0, [{ name: 'Kept' }]]);
});

it.each(['status', 'list list', 'stop'])(
  'svc sandbox %s prints the same command, and starts nothing',
  async (verb) => {
    await start(first());
    await sh('svc sandbox stop');
    const said = await sh(`svc sandbox ${verb}`);
    expect(said.exitCode).toBe(verb === 'list list' ? 7 : 0);
    const isToStop = verb === 'stop';
    expect(said.stderr.includes('svc sandbox start --detach')).toBe(!isToStop);
    expect(JSON.parse((await sh('svc sandbox status -o json')).stdout)).toMatchObject({ running: false });
    if (isToStop) return;
    expect((await sh(commandIn(said.stderr, 'svc sandbox start'))).exitCode).toBe(0);
    expect(JSON.parse((await sh('svc sandbox status -o json')).stdout)).toMatchObject({ running: true });
  },
);

it('names the one of several sandboxes that runs, and the command that stops it', async () => {
  await start(first());
  const started = await start(second(), '--profile other');
  await sh('svc sandbox stop');
  for (const verb of ['status', 'stop', 'list list']) {
    const { stderr } = await sh(`svc sandbox ${verb}`);
    expect(stderr).toContain(`The sandbox of profile other is running. To use it, add --data ${second()}`);
  }
  const again = await start(second(), '--profile other');
  expect(again.exitCode).toBe(5);
  expect(again.stderr).toContain(`stop it with svc sandbox stop --data ${second()}, or`);
  const stop = commandIn(started.stdout, 'svc sandbox stop');
  expect(stop).toBe(`svc sandbox stop --data ${second()}`);
  expect((await sh(stop)).stderr).toBe(`Stopped the sandbox in ${second()}.`);
});

it.each([
  ['a separate folder, by the default profile', '', 'svc sandbox stop'],
  ['no profile', '--profile none', 'svc sandbox stop --data '],
])('the printed commands of a start work: %s', async (_, flags, line) => {
  const { stdout } = await start(first(), flags);
  const stop = commandIn(stdout, 'svc sandbox stop');
  expect(stop.startsWith(line)).toBe(true);
  if (flags === '') expect((await sh(commandIn(stdout, 'svc --profile'))).exitCode).toBe(0);
  expect((await sh(stop)).stderr).toBe(`Stopped the sandbox in ${first()}.`);
});

it('a start uses no profile of another sandbox if no profile knows the folder', async () => {
  await start(first());
  const before = await sh('svc profile list -o json');
  const { stderr } = await sh(`svc sandbox status --data ${second()}`);
  const line = commandIn(stderr, 'svc sandbox start');
  expect(line).toBe(`svc sandbox start --detach --data ${second()} --profile none`);
  expect((await sh(`${line} --port 0`)).exitCode).toBe(0);
  expect((await sh('svc profile list -o json')).stdout).toBe(before.stdout);
});

// Contract, "Output": exit 7, and the host and port that nothing listens on.
it('names any other refused address with its port, and suggests no sandbox', async () => {
  // No system gives this port to a program that asks for any port.
  const port = 9;
  const env = `SVC_BASE_URL=http://127.0.0.1:${port} SVC_COMPANY_ID=1 SVC_USER_ID=1 SVC_API_KEY=${'0'.repeat(32)}`;
  const { stdout, stderr, exitCode } = await sh(`${env} svc folder list --retries 0`);
  expect([stdout, exitCode]).toEqual(['', 7]);
  expect(stderr.split('\n')).toEqual([
    `svc: GET /v1/folder got no response: connection refused by 127.0.0.1:${port}`,
    'Hint: Check the base URL, the network and HTTPS_PROXY.',
    `Hint: svc called 127.0.0.1:${port} (environment SVC_BASE_URL).`,
  ]);
});
