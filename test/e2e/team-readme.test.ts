/**
 * A new user types what README.md says under "A sandbox for your team": on one machine, which runs it, and on another, where
 * `svc` with a profile, curl and Python's http.client use it over HTTPS. What both see is kept in test/golden/team-readme.txt,
 * to be read; `npx vitest run … test/e2e/team-readme.test.ts -u` writes it anew. The two machines are folders here: the name
 * of the sandbox is `localhost`, and its port one that is free.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundleForNode, installSvc } from '../support/bundle.ts';
import { commandsOf } from '../support/readme.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

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
beforeAll(async () => {
  script = await bundleForNode('test/support/svc-process.ts');
  bin = dirname(script);
  await installSvc(bin, script);
});
afterAll(() => rm(bin, { recursive: true, force: true }));
beforeEach(async () => {
  home = await makeTemporaryFolder('team');
  for (const machine of ['team', 'other']) await mkdir(join(home, machine));
  await cp('examples', join(home, 'other', 'examples'), { recursive: true });
});
afterEach(async () => {
  await execa('svc', ['sandbox', 'stop'], { ...on('team'), reject: false });
  await rm(home, { recursive: true, force: true });
});

type Machine = 'team' | 'other';

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

/** What one shell shows that runs the lines, each after a prompt; it ends at the first that fails. */
async function typed(machine: Machine, lines: readonly string[]): Promise<string> {
  const shown = lines.map((line) => `printf '%s\\n' '$ ${line.replaceAll("'", "'\\''")}'\n${line}\necho`);
  const { all, exitCode } = await execa('sh', ['-e'], {
    ...on(machine),
    input: `${shown.join('\n')}\n`,
    all: true,
    reject: false,
  });
  expect([exitCode, all]).toEqual([0, expect.anything()]);
  return `On ${machine === 'team' ? "the sandbox's machine" : 'another machine'}:\n\n${all}\n\n`;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '0.0.0.0', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}

/** What differs from run to run: places, times, nonces, and what was made of them. */
const withoutChance = (text: string, port: number): string =>
  text
    .replaceAll(`localhost:${port}`, 'sandbox.example.com:8443')
    .replaceAll(String(port), '8443')
    .replaceAll('localhost', 'sandbox.example.com')
    .replaceAll(join(home, 'team'), '~')
    .replaceAll(join(home, 'other'), '~')
    .replace(/\(process [0-9]+\)/g, '(process PID)')
    .replace(/"(cdate|mdate|time)":[0-9]+/g, '"$1":TIME')
    .replace(/X-Svc-Nonce: [0-9a-f]{40}/g, 'X-Svc-Nonce: NONCE')
    .replace(/Date: .* GMT/g, 'Date: NOW')
    .replace(/begins with [0-9a-f]{6}; the request's signature with [0-9a-f]{6}/g, (all) =>
      all.replace(/[0-9a-f]{6}(?=;|$)/g, 'BEGINS'),
    )
    .replace(
      /\b([A-Z][a-z]{2} )?[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5,8}( [+-][0-9]{2}:[0-9]{2})?/g,
      'DATE TIME',
    )
    .replace(/\b[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\b/g, 'MM-DD HH:MM:SS')
    .replace(/STATUS +MS$/gm, 'STATUS  MS')
    .replace(/ 401 +[0-9.]+$/gm, ' 401  MS');

// Contract, "The sandbox, for people and teams".
it('every line of the section works as it stands, for svc on another profile, for curl and for Python', async ({
  skip,
}) => {
  if (missing.length > 0) skip(`It is left out: it needs ${missing.join(', ')}`);
  const port = await freePort();
  const here = (lines: readonly string[] = []): readonly string[] =>
    lines.map((line) => line.replaceAll('sandbox.example.com', 'localhost').replaceAll('8443', String(port)));
  const [start, use, explain] = (await commandsOf('A sandbox for your team')).map(here);
  let text = await typed('team', start ?? []);
  for (const file of ['cert.pem', 'team.key', 'ci.token'])
    await cp(join(home, 'team', file), join(home, 'other', file));
  const used = await typed('other', use ?? []);
  text += used;
  const folders = await execa('svc', ['--profile', 'team', 'folder', 'list', '--jq', '.[].name'], {
    ...on('other'),
    env: { ...on('other').env, NODE_EXTRA_CA_CERTS: 'cert.pem' },
  });
  expect(folders.stdout.split('\n')).toEqual(expect.arrayContaining(['News', 'Spring']));
  expect([...used.matchAll(/^[0-9]{3}$/gm)].map(([status]) => status)).toEqual(['200', '202', '401']);
  text += await typed('team', explain ?? []);
  expect(text).toContain('most likely it was made with another key');
  for (const secret of ['team.key', 'ci.token'])
    expect(text).not.toContain((await readFile(join(home, 'team', secret), 'utf8')).trim());
  await expect(withoutChance(text, port)).toMatchFileSnapshot('../golden/team-readme.txt');
}, 120_000);
