/** Tests that need real processes: umask, parallel writers, kill -9 (acceptance, S2, S3 and S4). */
import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { thisProcessAsLockHolder } from '../../src/kit/files/lock-holder.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth, tried } from '../support/depth.ts';
import { COMPANY, COMPANY_KEY } from '../support/profiles.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let bundle: string;
let home: string;
let configDir: string;
let path: string;

beforeAll(async () => {
  bundle = await bundleForNode('src/client/profiles/store.ts');
});
afterAll(() => removeFolder(dirname(bundle)));
beforeEach(async () => {
  home = await makeTemporaryFolder('processes');
  configDir = join(home, 'svc');
  path = join(configDir, 'config.json');
});
afterEach(() => removeFolder(home));

const script = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `import { openProfileStore } from ${JSON.stringify(bundle)};
   const store = openProfileStore({ configDir: ${JSON.stringify(configDir)}, platform: process.platform });
   const profile = (name) => ({ ...${JSON.stringify(COMPANY)}, name });
   ${body}`,
];

const OLD = JSON.stringify({ version: 1, profiles: {} });

// S2: "3 umasks x 5 preconditions: 15/15 at 0600/0700 or refused".
describe.each([0o000, 0o022, 0o077])('with umask %o', (umask) => {
  const save = () =>
    execa(
      process.execPath,
      script(`process.umask(${umask}); await store.save(profile('prod')); await store.list();`),
      {
        reject: false,
      },
    );
  const make = async (mode = 0o600) => {
    await mkdir(configDir, { mode: 0o700 });
    await writeFile(path, OLD);
    await chmod(path, mode);
  };

  it('makes new files private', async () => {
    expect((await save()).exitCode).toBe(0);
    expect([(await stat(path)).mode & 0o7777, (await stat(configDir)).mode & 0o7777]).toEqual([0o600, 0o700]);
    tried('S2', 1);
  });

  it('refuses a file that others can read, and says how to correct that', async () => {
    await make(0o644);
    const { exitCode, stderr } = await save();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${path} is open to other users (mode 0644)`);
    expect(stderr).toContain(`chmod 600 ${path}`);
    expect(await readFile(path, 'utf8')).toBe(OLD);
    tried('S2', 1);
  });

  it('refuses a symbolic link, and leaves its target unchanged', async () => {
    await mkdir(configDir, { mode: 0o700 });
    const target = join(home, 'target.json');
    await writeFile(target, OLD, { mode: 0o600 });
    await symlink(target, path);
    const { exitCode, stderr } = await save();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${path} is a symbolic link`);
    expect(await readFile(target, 'utf8')).toBe(OLD);
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    tried('S2', 1);
  });

  it('refuses a directory that others may write to', async () => {
    await make();
    await chmod(configDir, 0o777);
    const { exitCode, stderr } = await save();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`other users can write to ${configDir} (mode 0777)`);
    expect(stderr).toContain(`chmod 700 ${configDir}`);
    expect(await readdir(configDir)).toEqual(['config.json']);
    expect(await readFile(path, 'utf8')).toBe(OLD);
    tried('S2', 1);
  });

  it.skipIf(process.getuid?.() !== 0)('refuses a file or directory of another user', async () => {
    await make();
    await chown(path, 12345, 12345);
    expect((await save()).stderr).toContain(`${path} belongs to another user`);
    await chown(configDir, 12345, 12345);
    expect((await save()).stderr).toContain(`${configDir} belongs to another user`);
    expect(await readFile(path, 'utf8')).toBe(OLD);
    tried('S2', 1);
  });
});

it('also keeps a temporary file of conf in snap mode private and whole', async () => {
  await execa(process.execPath, script(`process.umask(0); await store.save(profile('prod'));`), {
    env: { SNAP: '/snap' },
  });
  expect((await stat(path)).mode & 0o7777).toBe(0o600);
  expect(await readdir(configDir)).toEqual(['config.json']);
});

// S3: "2 processes x 100: 200/200 (raw conf: 118 m)".
it('keeps all profiles of two processes that save a hundred each', async () => {
  const writer = (prefix: string) =>
    execa(
      process.execPath,
      script(
        `for (let round = 0; round < 10; round += 1)
           await Promise.all(Array.from({ length: 10 }, (_, i) => store.save(profile('${prefix}' + round + i))));`,
      ),
    );
  await Promise.all([writer('a'), writer('b')]);
  const { profiles } = JSON.parse(await readFile(path, 'utf8'));
  expect(Object.keys(profiles)).toHaveLength(200);
  expect(await readdir(configDir)).toEqual(['config.json']);
  tried('S3', Object.keys(profiles).length);
});

it('gives the lock of a dead process to twenty processes, one after the other', async () => {
  await mkdir(configDir, { mode: 0o700 });
  await writeFile(
    `${path}.lock`,
    JSON.stringify({ ...thisProcessAsLockHolder(), pid: 2 ** 30, started: '1' }),
  );
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      execa(process.execPath, script(`await store.save(profile('p${i}'));`)),
    ),
  );
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8')).profiles)).toHaveLength(20);
  expect(await readdir(configDir)).toEqual(['config.json']);
});

// S4: "SIGKILL at write/rename/fsync N=1.. until clean: 100 % old-or-new". Node itself writes and opens files when it starts.
const KILLS = depth('SVC_PROFILE_KILLS', { few: 4, full: 2_000 });
it.skipIf(!hasStrace).each(['fsync', 'rename', 'unlink', 'rmdir', 'write', 'pwrite64', 'openat', 'close'])(
  'a writer killed at any %s leaves the old file or the new one, and the next writer continues',
  async (call) => {
    await mkdir(configDir, { mode: 0o700 });
    await writeFile(path, OLD, { mode: 0o600 });
    let kills = 0;
    let saved: readonly string[] = [];
    while (kills < KILLS) {
      const nth = kills + 1;
      const writer = script(`await store.save(profile('p${nth}'));`);
      // strace counts the calls of each thread separately.
      const env = { UV_THREADPOOL_SIZE: '1' };
      const { exitCode } = await runWithInjection(call, `signal=KILL:when=${nth}`, writer, env);
      const { profiles } = JSON.parse(await readFile(path, 'utf8'));
      const names = Object.keys(profiles);
      // The profiles of finished writers stay, and the profile of this writer is complete or missing.
      expect([[...saved].sort(), [...saved, `p${nth}`].sort()]).toContainEqual([...names].sort());
      saved = names;
      if (exitCode === 0) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
    await execa(process.execPath, script(`await store.save(profile('last'));`));
    expect(await readdir(configDir)).toEqual(['config.json']);
    tried('S4', kills);
  },
);

it('leaves no key outside the file', async () => {
  await execa(process.execPath, script(`await store.save(profile('prod')); await store.remove('prod');`));
  expect(await readdir(configDir)).toEqual(['config.json']);
  expect(await readFile(path, 'utf8')).not.toContain(COMPANY_KEY);
});

// S4 without a kill, on a disk that refuses writes.
it.skipIf(!hasStrace).each([
  ['pwrite64', 'ENOSPC'],
  ['fsync', 'EIO'],
  ['rename', 'EIO'],
])('a %s that fails with %s leaves the old file, and no other file', async (call, code) => {
  await mkdir(configDir, { mode: 0o700 });
  await writeFile(path, OLD, { mode: 0o600 });
  const writer = script(`await store.save(profile('prod'));`);
  const { exitCode, stderr } = await runWithInjection(call, `error=${code}`, writer);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`can't use ${path} (${code})`)]);
  expect(await readFile(path, 'utf8')).toBe(OLD);
  expect(await readdir(configDir)).toEqual(['config.json']);
});

// Contract, "Safety": Ctrl-C finishes the request in flight. conf is loaded with a package that ends the process at any signal.
it('a writer of profiles removes its own signal listeners, and no others', async () => {
  const { stdout } = await execa(
    process.execPath,
    script(`process.once('SIGINT', () => {});
      await store.save(profile('prod'));
      const signals = process.eventNames().filter((name) => String(name).startsWith('SIG'));
      console.log(JSON.stringify(signals.map((name) => [name, process.listenerCount(name)])));`),
  );
  expect(JSON.parse(stdout)).toEqual([['SIGINT', 1]]);
});
