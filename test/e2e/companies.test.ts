/** Contract, "Partners and many companies": a partner and fifty companies, over a real socket, and a run that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signRequest } from '../../src/service/auth/sign.ts';
import { builtSvc } from '../support/built-package.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { removeFolder } from '../support/temporary-folder.ts';

const COMPANIES = 50;

let svc: string;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let home: string;
let sandbox: SocketSandbox;
let ids: readonly number[];

beforeAll(async () => {
  svc = await builtSvc();
  folder = await temporaryFolder();
  home = dirname(folder.path);
  sandbox = await runSandbox(folder.path);
  ids = await Promise.all(Array.from({ length: COMPANIES }, (_, at) => newCompany(`Company ${at}`)));
  const { baseUrl, partner } = sandbox.ready;
  const add = ['profile', 'add', 'agency', '--base-url', baseUrl, '--partner', String(partner.id)];
  await done([...add, '--api-key-stdin'], partner.apiKey);
  const lines = ids.map((id, at) => `${id},Company ${at},${at % 2 === 0 ? 'even' : 'odd'}`);
  await done(['company', 'import', '-'], `id,name,tags\n${lines.join('\n')}\n`);
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
  await removeFolder(dirname(svc));
});

/** Creates a company through the service, as a partner. */
async function newCompany(name: string): Promise<number> {
  const { baseUrl, partner } = sandbox.ready;
  const credentials = { kind: 'partner', partnerId: partner.id, apiKey: partner.apiKey } as const;
  const headers = signRequest({ method: 'POST', path: '/v1/account' }, credentials, {
    nonce: randomBytes(20).toString('hex'),
    date: new Date().toUTCString(),
  });
  const answer = await fetch(`${baseUrl}/v1/account`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name, contactemail: 'office@example.com' }),
  });
  const { response } = (await answer.json()) as { response: { data: { id: number } } };
  return response.data.id;
}

const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  SVC_CONFIG_DIR: join(home, 'config'),
  SVC_STATE_DIR: join(home, 'state'),
});
async function run(argv: readonly string[], input = '') {
  const options = { env: env(), extendEnv: false, reject: false, input, cwd: home };
  const { stdout, stderr, exitCode } = await execa(process.execPath, [svc, ...argv], options);
  return { stdout, stderr, exitCode };
}
async function done(argv: readonly string[], input = '') {
  const ran = await run(argv, input);
  expect(ran.exitCode, `${argv.join(' ')}: ${ran.stderr}`).toBe(0);
  return ran;
}

it('reads all companies in the order of the roster, and continues after one that fails', async () => {
  const list = await done(['account', 'get', '--companies', 'all', '-o', 'json', '--fields', 'id']);
  expect(JSON.parse(list.stdout)).toEqual(
    ids.map((id, at) => ({ company_id: id, company: `Company ${at}`, id })),
  );
  expect(list.stderr).toBe('');
  const some = await run(['account', 'get', '--companies', 'tag:even,99999', '-o', 'ndjson', '--quiet']);
  expect(some.exitCode).toBe(8);
  expect(some.stdout.split('\n')).toHaveLength(COMPANIES / 2);
  expect(some.stderr).toContain('svc: company 99999: ');
});

it('resumes a killed run with the same command, and writes to no company twice', async () => {
  const argv = ['folder', 'create', '--name', 'Spring', '--companies', 'all', '--write', '--yes'];
  const resumable = [...argv, '--checkpoint', 'spring.cp', '-o', 'json'];
  const child: ChildProcess = spawn(process.execPath, [svc, ...resumable], {
    env: env(),
    cwd: home,
    stdio: 'ignore',
  });
  const path = join(home, 'spring.cp');
  const linesThere = () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length : 0);
  // The sandbox is in this process, so only a few requests are answered between two checks.
  while (linesThere() < 20 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(child.signalCode, 'it was done before it could be killed').toBe('SIGKILL');

  const again = await run(resumable);
  const uncertain = again.stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).error);
  // A write in flight may have arrived, so svc reports it and does not repeat it.
  expect(again.exitCode).toBe(uncertain.length === 0 ? 0 : 8);
  expect(uncertain.length).toBeLessThanOrEqual(8);
  for (const { kind } of uncertain) expect(kind).toBe('unknown');
  const listed = await done(['folder', 'list', '--name', 'Spring', '--companies', 'all', '-o', 'json']);
  const have = JSON.parse(listed.stdout).map(({ company_id }: { company_id: number }) => company_id);
  expect(new Set(have).size).toBe(have.length);
  const told = new Set(uncertain.map(({ company_id }) => company_id));
  expect(ids.filter((id) => !have.includes(id) && !told.has(id))).toEqual([]);

  const last = await run(resumable);
  expect([last.stdout, last.exitCode]).toEqual(['[]', again.exitCode]);
  const after = await done(['folder', 'list', '--name', 'Spring', '--companies', 'all', '-o', 'json']);
  expect(JSON.parse(after.stdout)).toHaveLength(have.length);
});
