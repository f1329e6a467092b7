/**
 * A new user types the commands of docs/team-sandbox.md, "A sandbox for your team". One machine runs the sandbox. On another machine,
 * `svc` with a profile, curl and Python's http.client use it over HTTPS. test/golden/team-readme.txt keeps both screens for readers; `npx
 * vitest run … test/e2e/team-readme.test.ts -u` writes it again. The two machines are folders here. The name of the sandbox is
 * `localhost`, and its port is a free one.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { type Cluster, NOT_INSTALLED, postgresPrograms, runSql, startCluster } from '../support/postgres.ts';
import { commandsOf } from '../support/readme.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const missing = [
  ['openssl', 'version'],
  ['curl', '--version'],
  ['python3', '-c', 'import ssl'],
].flatMap(([program = '', ...args]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? [] : [program],
);

let script: string;
let bin: string;
let home: string;
const databases: Cluster[] = [];
beforeAll(async () => {
  script = await builtSvc();
  bin = dirname(script);
  await installSvc(bin, script);
});
afterAll(() => removeFolder(bin));
beforeEach(async () => {
  home = await makeTemporaryFolder('team');
  for (const machine of MACHINES) await mkdir(join(home, machine));
  await cp('examples', join(home, 'other', 'examples'), { recursive: true });
});
afterEach(async () => {
  for (const machine of ['team', 'second'] as const)
    await execa('svc', ['sandbox', 'stop'], { ...on(machine), reject: false });
  for (const database of databases.splice(0)) database.remove();
  await removeFolder(home);
});

const MACHINES = ['team', 'second', 'other'] as const;
type Machine = (typeof MACHINES)[number];

const on = (machine: Machine) => ({
  cwd: join(home, machine),
  env: {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: join(home, machine),
    USER: 'ada',
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  },
  extendEnv: false,
});

/** Returns the output of one shell that runs the lines, each after a prompt, and ends at the first failure. */
async function typed(machine: Machine, lines: readonly string[]): Promise<string> {
  const shown = lines.map((line) => `printf '%s\\n' '$ ${line.replaceAll("'", "'\\''")}'\n${line}\necho`);
  const { stdout, exitCode } = await execa('sh', ['-e'], {
    ...on(machine),
    // Uses one stream, which keeps the order of the output.
    input: ['exec 2>&1', ...shown, ''].join('\n'),
    reject: false,
  });
  expect([exitCode, stdout]).toEqual([0, expect.anything()]);
  return `On ${machine === 'other' ? 'another machine' : "the sandbox's machine"}:\n\n${stdout}\n\n`;
}

/**
 * Returns a port outside the system's own range, so that no other program gets it before the sandbox of the section.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '0.0.0.0', () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}

/** Replaces values that differ between runs: places, times, nonces, and values made of them. */
const withoutChance = (text: string, port: number): string =>
  text
    .replaceAll(`localhost:${port}`, 'sandbox.example.com:8443')
    .replaceAll(String(port), '8443')
    .replaceAll('localhost', 'sandbox.example.com')
    .replaceAll(join(home, 'team'), '~')
    .replaceAll(join(home, 'other'), '~')
    .replace(/\(process [0-9]+\)/g, '(process PID)')
    .replace(/"(cdate|mdate|time)":[0-9]+/g, '"$1":TIME')
    // A slow machine prints this line.
    .replace(/^waiting for .*\n/gim, '')
    .replace(/X-Svc-Nonce: [0-9a-f]{40}/g, 'X-Svc-Nonce: NONCE')
    .replace(/Date: .* GMT/g, 'Date: NOW')
    .replace(/begins with [0-9a-f]{6}\b/g, 'begins with BEGINS')
    .replace(
      /\b([A-Z][a-z]{2} )?[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5,8}( [+-][0-9]{2}:[0-9]{2})?/g,
      'DATE TIME',
    )
    .replace(/\b[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\b/g, 'MM-DD HH:MM:SS')
    .replace(/STATUS +MS$/gm, 'STATUS  MS')
    .replace(/ 401 +[0-9.]+$/gm, ' 401  MS');

/** Returns the blocks of the section, for a sandbox at this port of this machine. */
async function sectionAt(port: number, database = ''): Promise<readonly (readonly string[])[]> {
  return (await commandsOf('docs/team-sandbox.md', 'A sandbox for your team')).map((lines) =>
    lines.map((line) =>
      line
        .replaceAll('postgres://svc@db.example.com/svc', database)
        .replaceAll('sandbox.example.com', 'localhost')
        .replaceAll('8443', String(port)),
    ),
  );
}

async function handOver(machine: Machine, ...files: readonly string[]): Promise<void> {
  for (const file of files) await cp(join(home, 'team', file), join(home, machine, file));
}

async function folders(machine: Machine, profile: string): Promise<readonly string[]> {
  const { stdout } = await execa('svc', ['--profile', profile, 'folder', 'list', '--jq', '.[].name'], {
    ...on(machine),
    env: { ...on(machine).env, NODE_EXTRA_CA_CERTS: 'cert.pem' },
  });
  return stdout.split('\n');
}

/** Returns the statuses that the two clients print after each response. */
const statuses = (shown: string): readonly string[] =>
  [...shown.matchAll(/^[0-9]{3}$/gm)].map(([status]) => status);

// Contract, "The sandbox, for people and teams".
it('every line of the section works unchanged, for svc with another profile, for curl and for Python', async ({
  skip,
}) => {
  if (missing.length > 0) skip(`It is left out: it needs ${missing.join(', ')}`);
  const port = await freePort();
  const [start, use, explain] = await sectionAt(port);
  let text = await typed('team', start ?? []);
  await handOver('other', 'cert.pem', 'team.key', 'ci.token');
  const used = await typed('other', use ?? []);
  text += used;
  expect(await folders('other', 'team')).toEqual(expect.arrayContaining(['News', 'Spring']));
  expect(statuses(used)).toEqual(['200', '202', '401']);
  text += await typed('team', explain ?? []);
  expect(text).toContain('most likely it was made with another key');
  for (const secret of ['team.key', 'ci.token'])
    expect(text).not.toContain((await readFile(join(home, 'team', secret), 'utf8')).trim());
  await expect(withoutChance(text, port)).toMatchFileSnapshot('../golden/team-readme.txt');
});

it('two sandboxes on one PostgreSQL act as one, each started with the line of the section', async ({
  skip,
}) => {
  if (missing.length > 0) skip(`It is left out: it needs ${missing.join(', ')}`);
  if (postgresPrograms() === undefined) skip(NOT_INSTALLED);
  const cluster = await startCluster();
  databases.push(cluster);
  runSql(cluster.url, 'create database svc');
  const at = async (): Promise<readonly (readonly string[])[]> =>
    sectionAt(await freePort(), cluster.urlOf('svc'));
  const [[certificate = '', , ...keys] = [], use, , shared = []] = await at();
  await typed('team', [certificate, ...shared, ...keys]);
  await handOver('second', 'cert.pem', 'key.pem');
  await typed('second', (await at())[3] ?? []);
  await handOver('other', 'cert.pem', 'team.key', 'ci.token');
  expect(statuses(await typed('other', use ?? []))).toEqual(['200', '202', '401']);
  expect(await folders('second', 'sandbox')).toEqual(expect.arrayContaining(['News', 'Spring']));
  // The other process writes its log after the response.
  await expect
    .poll(() => typed('second', ['svc sandbox requests --status 401']))
    .toContain('made with another key');
});
