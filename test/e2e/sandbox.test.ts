import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { execa, type Options } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/service/auth/sign.ts';
import { builtSvc } from '../support/built-package.ts';
import { depth } from '../support/depth.ts';
import { readJsonError } from '../support/json-error.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

/** The number of times that the sandbox is killed with requests in flight. */
const KILLS = depth('SVC_KILLS', { few: 2, full: 20 });

let svc: string;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  svc = await builtSvc();
});
afterAll(() => removeFolder(dirname(svc)));
beforeEach(async () => {
  folder = await makeTemporaryFolder('e2e');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await run(['sandbox', 'stop'], { reject: false });
  await removeFolder(folder);
});

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  SVC_CONFIG_DIR: join(folder, 'config'),
  SVC_STATE_DIR: join(folder, 'state'),
});
const run = async (argv: readonly string[], options: Options = {}) => {
  const { stdout, stderr, exitCode } = await execa(process.execPath, [svc, ...argv], {
    env: environment(),
    extendEnv: false,
    reject: false,
    ...options,
  });
  return { stdout: String(stdout), stderr: String(stderr), exitCode };
};

interface Ready {
  readonly baseUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly controlToken: string;
  readonly company: { readonly id: number; readonly apiKey: string; readonly adminUserId: number };
  readonly partner: { readonly id: number; readonly apiKey: string };
}

/** Starts in the foreground, and resolves with the first line of stdout. */
async function foreground(
  ...flags: string[]
): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const argv = [svc, 'sandbox', 'start', '--port', '0', '-o', 'json', ...flags];
  const child = spawn(process.execPath, argv, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = await new Promise<string>((done, reject) => {
    let text = '';
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += String(chunk);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes('\n')) done(text);
    });
    child.on('exit', () => reject(new Error(`it ended: ${errors}`)));
  });
  return { child, ready: JSON.parse(said.slice(0, said.indexOf('\n'))) };
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode);
    else child.on('exit', (code) => done(code));
  });

describe('contract, "Sandbox": start, stop, status, reset', () => {
  it('prints its address in one line of JSON, then already accepts requests, and writes two profiles', async () => {
    const { child, ready } = await foreground();
    expect(ready).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+$/),
      pid: child.pid,
      dataDir: join(folder, 'state', 'sandbox'),
      controlToken: expect.stringMatching(/^[0-9a-f]{64}$/),
      company: { id: 1, apiKey: expect.stringMatching(/^[0-9a-f]{32}$/), adminUserId: 1 },
      partner: { id: 1, apiKey: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    const folders = await run(['folder', 'list', '-o', 'json']);
    expect([folders.exitCode, JSON.parse(folders.stdout).length]).toEqual([0, 2]);
    const features = await run([
      'features',
      'get',
      '--profile',
      'sandbox-partner',
      '--company',
      '2',
      '-o',
      'json',
    ]);
    expect([features.exitCode, features.stderr]).toEqual([0, '']);
    const status = await run(['sandbox', 'status', '-o', 'json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: child.pid, clock: 'real' });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s stops it cleanly', async (signal) => {
    const { child, ready } = await foreground('--seed', 'empty');
    child.kill(signal);
    expect(await ended(child)).toBe(0);
    expect(existsSync(join(ready.dataDir, 'sandbox.json'))).toBe(false);
    expect(existsSync(join(ready.dataDir, 'sandbox.db-wal'))).toBe(false);
  });

  it('--detach returns when it runs, stop ends it, its data stays, and reset removes it', async () => {
    const started = await run(['sandbox', 'start', '--detach', '--port', '0', '-o', 'json']);
    // A slow machine may take long enough for a note.
    const notes = started.stderr.replace(/^waiting for the sandbox to be ready, [^\n]*\n?/, '');
    expect([started.exitCode, notes]).toEqual([0, '']);
    const ready: Ready = JSON.parse(started.stdout);
    const made = await run(['folder', 'create', '--name', 'Kept', '-o', 'json']);
    expect(made.exitCode).toBe(0);
    const refused = await run(['sandbox', 'reset', '--yes']);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining('svc sandbox stop')]);
    const stopped = await run(['sandbox', 'stop']);
    expect([stopped.exitCode, stopped.stdout]).toEqual([0, '']);
    expect(JSON.parse((await run(['sandbox', 'status', '-o', 'json'])).stdout)).toEqual({
      running: false,
      dataDir: ready.dataDir,
    });
    expect((await run(['sandbox', 'list', 'list'])).exitCode).toBe(7);
    await foreground();
    expect((await run(['folder', 'exists', '--name', 'Kept'])).exitCode).toBe(0);
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
    expect((await run(['sandbox', 'reset'])).exitCode).toBe(2);
    expect((await run(['sandbox', 'reset', '--yes'])).exitCode).toBe(0);
    expect(existsSync(join(ready.dataDir, 'sandbox.db'))).toBe(false);
  });

  it('a second sandbox on the same folder is refused while the first one runs, detached or not', async () => {
    const { child } = await foreground();
    for (const flags of [[], ['--detach']]) {
      const second = await run(['sandbox', 'start', '--port', '0', '-o', 'json', ...flags]);
      expect([second.exitCode, second.stdout]).toEqual([5, '']);
      expect(readJsonError(second.stderr)).toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining(`process ${child.pid}`),
      });
    }
    expect((await run(['folder', 'list'])).exitCode).toBe(0);
  });

  it('--seed with existing data is ignored, with a note', async () => {
    const data = join(folder, 'state', 'sandbox');
    const start = (...flags: string[]) => run(['sandbox', 'start', '--detach', '--port', '0', ...flags]);
    const first = await start('--seed', 'demo', '-o', 'json');
    expect(first.exitCode).toBe(0);
    expect(first.stderr).not.toContain('--seed');
    await run(['sandbox', 'stop']);
    const second = await start('--seed', 'empty', '-o', 'json');
    expect([second.exitCode, Object.keys(JSON.parse(second.stdout))]).toEqual([
      0,
      Object.keys(JSON.parse(first.stdout)),
    ]);
    expect(second.stderr).toContain(
      `--seed empty is ignored: ${data} keeps its existing data. To start with new data, run ` +
        `svc sandbox reset --data ${data} first.`,
    );
    expect(JSON.parse((await run(['folder', 'list', '-o', 'json'])).stdout)).toHaveLength(2);
    await run(['sandbox', 'stop']);
    const third = await start();
    expect(third.exitCode).toBe(0);
    expect(third.stderr).not.toContain('--seed');
  });

  // Its clock never goes back, because records would then have times in the future.
  it('--clock real is refused if the manual clock is ahead, detached or not', async () => {
    const start = ['sandbox', 'start', '--port', '0'];
    await run([...start, '--detach', '--clock', 'manual']);
    await run(['sandbox', 'clock', 'advance', '3d']);
    await run(['sandbox', 'stop']);
    for (const flags of [[], ['--detach']]) {
      const refused = await run([...start, '--clock', 'real', ...flags]);
      expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toMatch(
        /svc: --clock real would move the sandbox's time back: the manual clock shows \S+Z, ahead of real time \(\S+Z\)\nHint: start the sandbox with --clock manual, or delete its data with svc sandbox reset$/,
      );
    }
    expect((await run([...start, '--detach', '--clock', 'manual'])).exitCode).toBe(0);
    expect(JSON.parse((await run(['sandbox', 'status', '-o', 'json'])).stdout).clock).toBe('manual');
  });

  it('is not blocked by a lock that was left by kill -9', async () => {
    const { child, ready } = await foreground();
    child.kill('SIGKILL');
    await ended(child);
    expect(existsSync(join(ready.dataDir, 'sandbox.json'))).toBe(true);
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
    expect(JSON.parse((await run(['sandbox', 'status', '-o', 'json'])).stdout).running).toBe(false);
    await foreground();
    expect((await run(['folder', 'list'])).exitCode).toBe(0);
  });

  it('does not signal a process that reuses the id of a dead sandbox', async () => {
    const { child, ready } = await foreground();
    child.kill('SIGKILL');
    await ended(child);
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(stranger);
    const path = join(ready.dataDir, 'sandbox.json');
    await writeFile(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), pid: stranger.pid }));
    const stopped = await run(['sandbox', 'stop']);
    // The system holds the lock of the folder. A dead process no longer has it, whatever the file says.
    expect([stopped.exitCode, stopped.stderr]).toEqual([0, expect.stringContaining('No sandbox is running')]);
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
  });

  it('reports a damaged database, and what to do', async () => {
    const data = join(folder, 'state', 'sandbox');
    await mkdir(data, { recursive: true, mode: 0o700 });
    await writeFile(join(data, 'sandbox.db'), randomBytes(10_000), { mode: 0o600 });
    for (const flags of [[], ['--detach']]) {
      const start = await run(['sandbox', 'start', '--port', '0', ...flags]);
      expect([start.exitCode, start.stdout]).toEqual([1, '']);
      expect(start.stderr).toContain('svc sandbox reset');
      expect(start.stderr).not.toMatch(/\n +at /);
    }
    expect((await run(['sandbox', 'reset', '--yes'])).exitCode).toBe(0);
    expect((await run(['sandbox', 'start', '--detach', '--port', '0'])).exitCode).toBe(0);
  });

  it('reports a taken port, with the flag for another', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const start = await run(['sandbox', 'start', '--port', String(port)]);
    expect([start.exitCode, start.stderr]).toEqual([
      2,
      expect.stringContaining(`--port ${port}: the port is taken`),
    ]);
    await new Promise((done) => other.close(done));
  });

  it("does not change a profile that is not a sandbox's", async () => {
    const add = [
      'profile',
      'add',
      'sandbox',
      '--base-url',
      'https://api.example.com',
      '--company',
      '1',
      '--user',
      '1',
    ];
    await run([...add, '--no-check', '--api-key-stdin'], { input: 'c0ffee00c0ffee00c0ffee00c0ffee00' });
    const start = await run(['sandbox', 'start', '--detach', '--port', '0']);
    expect([start.exitCode, start.stderr]).toEqual([2, expect.stringContaining('--profile')]);
    expect((await run(['sandbox', 'start', '--detach', '--port', '0', '--profile', 'none'])).exitCode).toBe(
      0,
    );
    const shown = await run(['profile', 'show', 'sandbox', '-o', 'json']);
    expect(JSON.parse(shown.stdout).base_url).toBe('https://api.example.com');
    expect((await run(['sandbox', 'stop', '--data', join(folder, 'state', 'sandbox')])).exitCode).toBe(0);
  });

  it('uses the names of a deployment, and so does its profile', async () => {
    const file = join(folder, 'naming.json');
    const naming = {
      headerPrefix: 'X-Acme-',
      companyScheme: 'AcmeHash',
      fields: { enablecrm: 'enableacmecrm' },
    };
    await writeFile(file, JSON.stringify(naming));
    const { ready } = await foreground('--naming', file);
    expect((await run(['folder', 'list'])).exitCode).toBe(0);
    const { headers } = await fetch(`${ready.baseUrl}/v1/folder`);
    expect(headers.get('x-acme-time')).not.toBeNull();
  });

  it('serves the companions if requested and says so, but not after the next start', async () => {
    const started = await run(['sandbox', 'start', '--detach', '--port', '0', '--companions']);
    expect([started.exitCode, started.stderr]).toEqual([
      0,
      expect.stringContaining('/v1/token and /v1/emailOptIn. These resources are not part of the HTTP API'),
    ]);
    const lists = await run(['api', '/v1/list?sort=name', '-o', 'json']);
    const held = await run(['sandbox', 'list', 'list', '-o', 'json']);
    const ids = (text: string): unknown => (JSON.parse(text) as { id: number }[]).map(({ id }) => id).sort();
    expect(ids(JSON.stringify(JSON.parse(lists.stdout).response.data))).toEqual(ids(held.stdout));
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
    const again = await run(['sandbox', 'start', '--detach', '--port', '0']);
    expect(again.stderr).not.toContain('not part of the interface');
    const none = await run(['api', '/v1/list', '-o', 'json']);
    expect(none.stdout + none.stderr).toContain('A sandbox started with --companions serves it');
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
  });

  it('rejects companions whose attributes would share a name', async () => {
    const file = join(folder, 'naming.json');
    await writeFile(file, '{"fields":{"name":"note"}}');
    const start = ['sandbox', 'start', '--detach', '--port', '0', '--naming', file];
    const refused = await run([...start, '--companions', '-o', 'json']);
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(readJsonError(refused.stderr).message).toContain('list has an attribute with the name note');
    expect((await run(start)).exitCode).toBe(0);
  });

  it('uses the names at later starts too, with the profile that it writes, and says so', async () => {
    const file = join(folder, 'naming.json');
    await writeFile(file, JSON.stringify({ 'header-prefix': 'X-Acme-', 'partner-scheme': 'AcmePartner' }));
    const first = await run(['sandbox', 'start', '--detach', '--port', '0', '--naming', file]);
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain('names    custom header and attribute names (headers X-Acme-…)');
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
    const second = await run(['sandbox', 'start', '--detach', '--port', '0', '-o', 'json']);
    const { baseUrl }: Ready = JSON.parse(second.stdout);
    expect((await fetch(`${baseUrl}/v1/folder`)).headers.get('x-acme-time')).not.toBeNull();
    expect((await run(['folder', 'list'])).exitCode).toBe(0);
    for (const name of ['sandbox', 'sandbox-partner']) {
      const shown = await run(['profile', 'show', name, '-o', 'json']);
      expect(JSON.parse(shown.stdout).naming).toEqual({
        headerPrefix: 'X-Acme-',
        partnerScheme: 'AcmePartner',
      });
    }
    expect((await run(['sandbox', 'stop'])).exitCode).toBe(0);
    await writeFile(file, '{}');
    const neutral = await run(['sandbox', 'start', '--detach', '--port', '0', '--naming', file]);
    expect(neutral.stdout).not.toContain('names ');
    const shown = await run(['profile', 'show', 'sandbox', '-o', 'json']);
    expect(JSON.parse(shown.stdout).naming).toBeNull();
  });

  it('makes files with keys for this user alone', async () => {
    const { stdout } = await run(['sandbox', 'start', '--detach', '--port', '0', '-o', 'json']);
    const { dataDir }: Ready = JSON.parse(stdout);
    for (const file of ['sandbox.db', 'sandbox.json', 'sandbox.out', 'sandbox.lock'])
      expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });
});

describe('acceptance, X1: kill -9 loses no acknowledged write', () => {
  it(`keeps every acknowledged POST over ${KILLS} kills`, async () => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { child, ready } = await foreground('--seed', 'empty');
      const missing = await missingOf(ready, acknowledged);
      expect(missing).toEqual([]);
      const pass = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
      const writers = [0, 1, 2, 3].map((writer) => writeUntilCut(ready, `${kill}-${writer}`, acknowledged));
      // On a busy machine the first response takes some time. Without a response, a kill proves nothing.
      const before = acknowledged.length;
      while (acknowledged.length <= before + 1) await pass(1);
      await pass((kill * 37) % 120);
      child.kill('SIGKILL');
      await Promise.all([ended(child), ...writers]);
    }
    const { ready } = await foreground();
    expect(await missingOf(ready, acknowledged)).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(KILLS);
  });
});

async function send(ready: Ready, method: string, target: string, body?: unknown): Promise<Response> {
  const { id: companyId, adminUserId: userId, apiKey } = ready.company;
  const credentials = { kind: 'company', companyId, userId, apiKey } as const;
  const headers = signRequest({ method, path: target.split('?')[0] ?? '' }, credentials, {
    nonce: randomBytes(20).toString('hex'),
    date: new Date().toUTCString(),
  });
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${ready.baseUrl}${target}`, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function writeUntilCut(ready: Ready, mark: string, acknowledged: string[]): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `${mark}-${count}`;
    try {
      const answer = await send(ready, 'POST', '/v1/folder', { name });
      if (answer.status === 202) acknowledged.push(name);
      await answer.arrayBuffer();
    } catch {
      return;
    }
  }
}

/** Returns the names that the service does not have. */
async function missingOf(ready: Ready, names: readonly string[]): Promise<readonly string[]> {
  const there = new Set<string>();
  for (let start: number | null = 0; start !== null; ) {
    const answer = await send(ready, 'GET', `/v1/folder?start=${start}`);
    if (answer.status === 404) break;
    const { response } = (await answer.json()) as {
      response: { next: number | null; data: readonly { name: string }[] };
    };
    for (const { name } of response.data) there.add(name);
    start = response.next;
  }
  return names.filter((name) => !there.has(name));
}
