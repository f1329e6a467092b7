/**
 * Acceptance, I9, and contract, "Many companies": `apply DIR/bundle.plan` continues after a crash. A partner and its companies over a real
 * socket, and processes that are killed. Then examples/partner, as it stands.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signRequest } from '../../src/service/auth/sign.ts';
import { createChance } from '../client/simulation-world.ts';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { runSandbox, type SocketSandbox } from '../support/running-sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const COMPANIES = depth('SVC_BUNDLE_COMPANIES', { few: 3, full: 300 });
const KILLS = depth('SVC_BUNDLE_KILLS', { few: 2, full: 100 });

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
  const [rows, roster]: [string[], string[]] = [[], []];
  for (let at = 0; at < COMPANIES; at += 1) {
    const id = await post('account', { name: `Company ${at}`, contactemail: 'a@example.com' });
    const name = { username: 'ada', firstname: 'Ada', lastname: 'Ada', email: 'a@example.com' };
    await post('user', { ...name, password: null, isadmin: true }, id);
    const list = await sandbox.control('list create', { name: 'News', company: id });
    rows.push(`  ${id}: {list: ${list.json.data.id}, city: City ${at}}\n`);
    roster.push(`${id},Company ${at}\n`);
  }
  await done(['company', 'import', '-'], `id,name\n${roster.join('')}`);
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

/** Makes a record as the partner. Returns its id. */
async function post(resource: string, body: object, companyId?: number): Promise<number> {
  const { baseUrl, partner } = sandbox.ready;
  const path = `/v1/${resource}`;
  const credentials = { kind: 'partner', partnerId: partner.id, apiKey: partner.apiKey, companyId } as const;
  const signed = signRequest({ method: 'POST', path }, credentials, {
    nonce: randomBytes(20).toString('hex'),
    date: new Date().toUTCString(),
  });
  const headers = { ...signed, 'content-type': 'application/json' };
  const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.status, text).toBeLessThan(300);
  return JSON.parse(text).response.data.id;
}

/** Kills the process once it has told of so many steps, or after some milliseconds. Returns false if it ended before. */
async function killed(
  argv: readonly string[],
  when: { readonly steps: number } | { readonly milliseconds: number },
): Promise<boolean> {
  const child = spawn(process.execPath, [svc, ...argv], {
    env: env(),
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (text: Buffer) => {
    told += text.toString('utf8');
    if ('steps' in when && (told.match(/: created /g)?.length ?? 0) >= when.steps) child.kill('SIGKILL');
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if ('milliseconds' in when) {
    await Promise.race([ended, sleep(when.milliseconds)]);
    child.kill('SIGKILL');
  }
  await ended;
  return child.signalCode === 'SIGKILL';
}

it(`creates every task once in ${COMPANIES} companies, however often apply is killed (SVC_SEED=${SEED})`, {
  timeout: 1e9,
}, async () => {
  const chance = createChance(SEED);
  let kills = 0;
  for (let round = 1; kills < KILLS; round += 1) {
    const file = `spring-${round}.yaml`;
    await writeFile(
      join(home, file),
      `version: 1\ncampaign: Kill ${round}\nmessages:\n  m: {channel: sms, name: Kill ${round}, from: Shop, message: spring.txt}\ntasks:\n  t: {name: "Kill ${round} in \${{ city }}", message: m, list: "\${{ list }}", at: +${300 + round}d}\n`,
    );
    const bundle = `b${round}`;
    await done(['plan', file, '--companies', 'all', '--values', 'values.yaml', '--out', bundle]);
    const apply = ['apply', join(bundle, 'bundle.plan'), '--yes'];
    for (let isGoing = true; isGoing && kills < KILLS; ) {
      // Every fourth run is killed while it reads. The others are killed between two writes, with up to eight companies in progress.
      const when = chance.is(0.25)
        ? { milliseconds: chance.between(200, 2000) }
        : { steps: Math.ceil(chance.between(0, 3)) };
      isGoing = await killed(apply, when);
      if (isGoing) kills += 1;
    }
    await done(apply);
    const listed = await done(['task', 'list', '--companies', 'all', '-o', 'json']);
    const live = JSON.parse(listed.stdout)
      .filter(
        (task: { name: string; cancelled: boolean }) =>
          task.name.startsWith(`Kill ${round} in `) && !task.cancelled,
      )
      .map(({ name }: { name: string }) => name.replace(/ \[.*/, ''));
    const wanted = Array.from({ length: COMPANIES }, (_, at) => `Kill ${round} in City ${at}`);
    expect(live.sort()).toEqual(wanted.sort());
    const again = await done(apply);
    expect(again.stderr).toContain(`No changes in ${COMPANIES} companies`);
    console.log(`${kills} kills in ${round} bundles`);
  }
  tried('I9', kills);
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
