/** What only real processes show: umask, writers side by side, kill -9 (acceptance, S2, S3 and S4). */
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { thisProcess } from '../../src/files/lock-holder.ts';
import { bundleForNode } from '../support/bundle.ts';
import { COMPANY, COMPANY_KEY } from '../support/profiles.ts';
import { hasStrace, runWithInjection } from '../support/strace.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let bundle: string;
let home: string;
let configDir: string;
let path: string;

beforeAll(async () => {
  bundle = await bundleForNode('src/profiles/store.ts');
});
afterAll(() => rm(dirname(bundle), { recursive: true, force: true }));
beforeEach(async () => {
  home = await makeTemporaryFolder('processes');
  configDir = join(home, 'svc');
  path = join(configDir, 'config.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

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

  it('new files are private', async () => {
    expect((await save()).exitCode).toBe(0);
    expect([(await stat(path)).mode & 0o7777, (await stat(configDir)).mode & 0o7777]).toEqual([0o600, 0o700]);
  });

  it('a file that others can read is refused, with how to mend it', async () => {
    await make(0o644);
    const { exitCode, stderr } = await save();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${path} is open to other users (mode 0644)`);
    expect(stderr).toContain(`chmod 600 ${path}`);
    expect(await readFile(path, 'utf8')).toBe(OLD);
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
  });

  it('a directory where others may write is refused', async () => {
    await make();
    await chmod(configDir, 0o777);
    const { exitCode, stderr } = await save();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`other users can write to ${configDir} (mode 0777)`);
    expect(stderr).toContain(`chmod 700 ${configDir}`);
    expect(await readdir(configDir)).toEqual(['config.json']);
    expect(await readFile(path, 'utf8')).toBe(OLD);
  });

  it.skipIf(process.getuid?.() !== 0)('a file or directory of another user is refused', async () => {
    await make();
    await chown(path, 12345, 12345);
    expect((await save()).stderr).toContain(`${path} belongs to another user`);
    await chown(configDir, 12345, 12345);
    expect((await save()).stderr).toContain(`${configDir} belongs to another user`);
    expect(await readFile(path, 'utf8')).toBe(OLD);
  });
});

it('a temporary file of conf in snap mode is private and whole too', async () => {
  await execa(process.execPath, script(`process.umask(0); await store.save(profile('prod'));`), {
    env: { SNAP: '/snap' },
  });
  expect((await stat(path)).mode & 0o7777).toBe(0o600);
  expect(await readdir(configDir)).toEqual(['config.json']);
});

// S3: "2 processes x 100: 200/200 (raw conf: 118 m)".
it('two processes that save a hundred profiles each lose none', async () => {
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
});

it('twenty processes that find the lock of a dead one get it one after the other', async () => {
  await mkdir(configDir, { mode: 0o700 });
  await writeFile(`${path}.lock`, JSON.stringify({ ...thisProcess(), pid: 2 ** 30, started: '1' }));
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      execa(process.execPath, script(`await store.save(profile('p${i}'));`)),
    ),
  );
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8')).profiles)).toHaveLength(20);
  expect(await readdir(configDir)).toEqual(['config.json']);
});

// S4: "SIGKILL at write/rename/fsync N=1.. until clean: 100 % old-or-new".
it.skipIf(!hasStrace).each(['fsync', 'rename', 'unlink', 'rmdir'])(
  'a writer killed at any %s leaves the old file or the new one, and the next one goes on',
  async (call) => {
    await mkdir(configDir, { mode: 0o700 });
    await writeFile(path, OLD, { mode: 0o600 });
    let kills = 0;
    let saved: readonly string[] = [];
    for (let nth = 1; ; nth += 1) {
      const writer = script(`await store.save(profile('p${nth}'));`);
      const { exitCode } = await runWithInjection(call, `signal=KILL:when=${nth}`, writer);
      const { profiles } = JSON.parse(await readFile(path, 'utf8'));
      const names = Object.keys(profiles);
      // What an earlier writer had finished stays; of this one all is there or nothing.
      expect([[...saved].sort(), [...saved, `p${nth}`].sort()]).toContainEqual(names);
      saved = names;
      if (exitCode === 0) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await readdir(configDir)).toEqual(['config.json']);
  },
);

it('no key is left behind outside the file', async () => {
  await execa(process.execPath, script(`await store.save(profile('prod')); await store.remove('prod');`));
  expect(await readdir(configDir)).toEqual(['config.json']);
  expect(await readFile(path, 'utf8')).not.toContain(COMPANY_KEY);
});

// S4, where nobody is killed and the disk says no.
it.skipIf(!hasStrace).each([
  ['pwrite64', 'ENOSPC'],
  ['fsync', 'EIO'],
  ['rename', 'EIO'],
])('a %s that fails with %s leaves the old file, and nothing beside it', async (call, code) => {
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
