import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { readJsonError } from '../support/json-error.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

// Attack M5, L12 and L13: `sandbox start`, `stop` and `status` on a folder that another user prepared, several starts at
// once, and a database that is empty or of a newer version.

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let svc: string;
let folder: string;
let data: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  svc = await builtSvc();
});
afterAll(() => removeFolder(dirname(svc)));
beforeEach(async () => {
  folder = await makeTemporaryFolder('owner');
  data = join(folder, 'data');
  await mkdir(data);
  await chmod(data, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await run('stop');
  await removeFolder(folder);
});

const run = async (verb: string, ...flags: string[]) => {
  const argv = [svc, 'sandbox', ...verb.split(' '), '--data', data, ...flags];
  const { stdout, stderr, exitCode } = await execa(process.execPath, argv, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_STATE_DIR: join(folder, 'state'),
      SVC_API_KEY: 'c0ffee00c0ffee00c0ffee00c0ffee00',
      SVC_PARTNER_API_KEY: 'feedface00feedface00feedface00feedface00',
    },
    extendEnv: false,
    reject: false,
  });
  return { stdout, stderr, exitCode };
};
const detached = (...flags: string[]) =>
  run('start', '--detach', '--port', '0', '--seed', 'empty', '-o', 'json', ...flags);

describe.runIf(isRoot)('a data folder of another user', () => {
  it('is refused before anything is written, so a link in it has no effect', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'kept');
    await symlink(victim, join(data, 'sandbox.out'));
    await chown(data, NOBODY, NOBODY);
    for (const flags of [['--detach'], []]) {
      const { stdout, stderr, exitCode } = await run('start', '--port', '0', ...flags);
      expect([stdout, exitCode]).toEqual(['', 1]);
      expect(stderr).toContain(`${data} belongs to another user`);
      expect(stderr).toContain('Hint: choose another folder with --data DIR');
    }
    expect(readFileSync(victim, 'utf8')).toBe('kept');
    expect(readdirSync(data)).toEqual(['sandbox.out']);
  });

  it('is not trusted: stop and status end with an error', async () => {
    const whereabouts = { pid: process.pid, port: 1, controlToken: 'x', baseUrl: 'http://127.0.0.1:1' };
    await writeFile(join(data, 'sandbox.json'), JSON.stringify(whereabouts), { mode: 0o600 });
    await chown(join(data, 'sandbox.json'), NOBODY, NOBODY);
    const refuses = async (verb: string): Promise<void> => {
      const { stderr, exitCode } = await run(verb);
      expect([verb, exitCode, stderr]).toEqual([verb, 1, expect.stringContaining('belongs to another user')]);
    };
    await refuses('status');
    await refuses('clock show');
    await chown(data, NOBODY, NOBODY);
    await refuses('status');
    await refuses('clock show');
    await refuses('stop');
    expect((await run('reset', '--yes')).exitCode).toBe(0);
    await writeFile(join(data, 'sandbox.db'), 'theirs');
    expect((await run('reset', '--yes')).exitCode).toBe(1);
    expect(readFileSync(join(data, 'sandbox.db'), 'utf8')).toBe('theirs');
  });
});

describe('a data folder of this user', () => {
  it.each(['sandbox.db', 'sandbox.db-wal', 'sandbox.lock', 'sandbox.json', 'sandbox.out'])(
    'with a link as %s is refused, and the target is left unchanged',
    async (name) => {
      const victim = join(folder, 'victim');
      await writeFile(victim, 'kept', { mode: 0o600 });
      await symlink(victim, join(data, name));
      const { stderr, exitCode } = await detached();
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is a symbolic link')]);
      expect(readFileSync(victim, 'utf8')).toBe('kept');
    },
  );

  it("stop signals no process, even if a server names another process's id", async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(stranger);
    const fake = createServer((_, response) => {
      response.end(JSON.stringify({ data: { pid: stranger.pid, stopping: true }, zone: 'UTC' }));
    });
    await new Promise<void>((done) => fake.listen(0, '127.0.0.1', done));
    const { port } = fake.address() as { readonly port: number };
    const whereabouts = { pid: stranger.pid, port, controlToken: 'x', baseUrl: `http://127.0.0.1:${port}` };
    await writeFile(join(data, 'sandbox.json'), JSON.stringify(whereabouts), { mode: 0o600 });
    const { stderr, exitCode } = await run('stop');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('No sandbox is running')]);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    await new Promise((done) => fake.close(done));
  });

  it('stop --dry-run stops nothing', async () => {
    await detached();
    expect((await run('stop', '--dry-run')).stderr).toContain('Would stop');
    expect(JSON.parse((await run('status', '-o', 'json')).stdout).running).toBe(true);
  });

  it('runs one of four sandboxes started at once, and the others fail and leave its files unchanged', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => detached()));
    const won = runs.filter(({ exitCode }) => exitCode === 0);
    expect(won).toHaveLength(1);
    const ready = won[0]?.stdout ?? '';
    const log = readFileSync(join(data, 'sandbox.out'), 'utf8');
    expect(log).not.toContain('"error"');
    // Acceptance, S1: people attach a log to a bug report.
    expect(log).not.toContain(JSON.parse(ready).controlToken);
    for (const { stdout, stderr, exitCode } of runs.filter((each) => each !== won[0])) {
      expect([exitCode, stdout]).toEqual([5, '']);
      expect(stderr).toContain('another sandbox is running in');
    }
    expect(readdirSync(data).filter((name) => name.endsWith('.out'))).toEqual(['sandbox.out']);
  });

  // Attack M7: this process outlives the command by days.
  it.runIf(process.platform === 'linux')('gives a detached sandbox no production key', async () => {
    const { pid } = JSON.parse((await detached()).stdout);
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    expect(environment).toContain('SVC_STATE_DIR=');
    expect(environment).not.toMatch(/KEY|c0ffee|feedface/i);
  });
});

describe('a database', () => {
  it('without content is reported, and never silently filled again', async () => {
    await writeFile(join(data, 'sandbox.db'), '', { mode: 0o600 });
    const { stderr, exitCode } = await detached();
    expect([exitCode, readJsonError(stderr)]).toEqual([
      1,
      {
        kind: 'storage',
        exit: 1,
        message: expect.stringContaining('is empty'),
        hint: expect.any(String),
        details: [],
      },
    ]);
    expect(readFileSync(join(data, 'sandbox.db'), 'utf8')).toBe('');
    expect((await run('reset', '--yes')).exitCode).toBe(0);
    expect((await detached()).exitCode).toBe(0);
  });

  it('of a newer version, or of another program, is kept, and no hint suggests removing it', async () => {
    const { default: Database } = await import('libsql');
    for (const pragma of ['pragma user_version = 9999', 'create table mine (x)']) {
      await rm(join(data, 'sandbox.db'), { force: true });
      const database = new Database(join(data, 'sandbox.db'));
      database.exec(pragma);
      database.close();
      await chmod(join(data, 'sandbox.db'), 0o600);
      const { stderr, exitCode } = await detached();
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--data DIR')]);
      expect(stderr).not.toContain('reset');
      expect(existsSync(join(data, 'sandbox.db'))).toBe(true);
    }
  });
});
