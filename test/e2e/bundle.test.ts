/**
 * Contract, "Many companies": `apply DIR/bundle.plan` continues after a crash. A partner and six companies over a real socket, and
 * a process that is killed after each of its steps. Then examples/partner, as it stands.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const COMPANIES = 6;
/** A message and a task in each company. */
const STEPS = 2 * COMPANIES;
/** Numbers of steps after which the process is killed. */
const KILLED_AFTER = [1, STEPS / 2, STEPS - 2];

let svc: string;
let home: string;
let sandbox: SocketSandbox;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('bundle-kills');
  sandbox = await runSandbox(join(home, 'data'));
  const { baseUrl, partner } = sandbox.ready;
  const add = ['profile', 'add', 'agency', '--base-url', baseUrl, '--partner', String(partner.id)];
  await done([...add, '--api-key-stdin'], partner.apiKey);
  const rows: string[] = [];
  for (let at = 0; at < COMPANIES; at += 1) {
    const admin = ['username', 'firstname', 'lastname'].flatMap((name) => [`--admin-${name}`, 'ada']);
    const create = ['account', 'create', '--name', `Company ${at}`, '--contactemail', 'a@example.com'];
    const made = await done(
      [
        ...create,
        ...admin,
        '--admin-email',
        'a@example.com',
        '--admin-password-stdin',
        '--yes',
        '-o',
        'json',
      ],
      'Sesame-2027-sesame',
    );
    const { id } = JSON.parse(made.stdout);
    const list = await sandbox.control('list create', { name: 'News', company: id });
    rows.push(`  ${id}: {list: ${list.json.data.id}, city: City ${at}}\n`);
  }
  await writeFile(join(home, 'values.yaml'), `companies:\n${rows.join('')}`);
  await writeFile(join(home, 'spring.txt'), 'Spring');
});
afterAll(async () => {
  await sandbox.stop();
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  SVC_CONFIG_DIR: join(home, 'config'),
  SVC_STATE_DIR: join(home, 'state'),
});
async function done(argv: readonly string[], input = '') {
  const options = { env: env(), extendEnv: false, reject: false, input, cwd: home };
  const ran = await execa(process.execPath, [svc, ...argv], options);
  expect(ran.exitCode, `${argv.join(' ')}: ${ran.stderr}`).toBe(0);
  return ran;
}

/** Kills the process once it has told of so many steps. Returns false if it ended before. */
async function killedAfter(steps: number, argv: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [svc, ...argv], {
    env: env(),
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (text: Buffer) => {
    told += text.toString('utf8');
    if ((told.match(/: created /g)?.length ?? 0) >= steps) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return child.signalCode === 'SIGKILL';
}

it('creates every task once, however often apply is killed', { timeout: 600_000 }, async () => {
  let kills = 0;
  for (const steps of KILLED_AFTER) {
    const file = `spring-${steps}.yaml`;
    await writeFile(
      join(home, file),
      `version: 1\ncampaign: Kill ${steps}\nmessages:\n  m: {channel: sms, name: Kill ${steps}, from: Shop, message: spring.txt}\ntasks:\n  t: {name: "Kill ${steps} in \${{ city }}", message: m, list: "\${{ list }}", at: +${300 + steps}d}\n`,
    );
    const bundle = `b${steps}`;
    await done(['plan', file, '--companies', 'all', '--values', 'values.yaml', '--out', bundle]);
    const apply = ['apply', join(bundle, 'bundle.plan'), '--yes'];
    if (await killedAfter(steps, apply)) kills += 1;
    // The next run is killed too, after its first step.
    if (await killedAfter(1, apply)) kills += 1;
    await done(apply);
    const listed = await done(['task', 'list', '--companies', 'all', '-o', 'json']);
    const live = JSON.parse(listed.stdout)
      .filter(
        (task: { name: string; cancelled: boolean }) =>
          task.name.startsWith(`Kill ${steps} in `) && !task.cancelled,
      )
      .map(({ name }: { name: string }) => name.replace(/ \[.*/, ''));
    expect(live.sort()).toEqual(Array.from({ length: COMPANIES }, (_, at) => `Kill ${steps} in City ${at}`));
    const again = await done(apply);
    expect(again.stderr).toContain(`No changes in ${COMPANIES} companies`);
  }
  // The first run of each campaign has more steps to do than it is allowed.
  expect(kills).toBeGreaterThanOrEqual(KILLED_AFTER.length);
});

it('examples/partner runs as it stands', { timeout: 300_000 }, async () => {
  const folder = join(home, 'example');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await installSvc(join(folder, 'bin'), svc);
  await cp('examples/partner', join(folder, 'partner'), { recursive: true });
  const { PATH } = env();
  const ran = await execa('sh', [join(folder, 'partner', 'try.sh')], {
    ...{ cwd: folder, extendEnv: false, reject: false },
    env: { PATH: `${join(folder, 'bin')}:${PATH}`, HOME: folder, USER: 'ada' },
  });
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('Group 1: 2 companies that are alike');
  expect(ran.stdout).toContain('Group 2: 1 company');
  expect(ran.stdout.match(/ approved /g)).toHaveLength(3);
});
