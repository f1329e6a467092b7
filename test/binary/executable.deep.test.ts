/** docs/design.md, "The single executable": it runs without Node and behaves as the package does. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let svc: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('binary');
  await execa(process.execPath, ['.config/binary/build.js', folder]);
  svc = join(folder, process.platform === 'win32' ? 'svc.exe' : 'svc');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the executable with an empty PATH. */
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  execa(svc, args, { env: { HOME: folder, ...env }, extendEnv: false, reject: false, stdin: 'ignore' });
interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode?: number | undefined;
}
const said = ({ stdout, stderr, exitCode }: Said): Said => ({ stdout, stderr, exitCode });

describe('the single executable', () => {
  it.each([
    [['--version']],
    [['--help']],
    [['task', 'create', '--help']],
    [['folder', 'lst']],
    [['completion', 'bash']],
  ])('has the same output as the package: %j', async (args) => {
    const env = { PATH: '', HOME: folder };
    const node = execa(process.execPath, ['bin/svc.js', ...args], {
      env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    expect(said(await run(args))).toEqual(said(await node));
  });

  it('prints nothing if V8 flags do not fit the compiled code', async () => {
    const { stdout, stderr, exitCode } = await run(['folder', '--help'], {
      NODE_OPTIONS: '--max-old-space-size=512',
    });
    expect({ stdout, stderr, exitCode }).toEqual(said(await run(['folder', '--help'])));
  });

  it('contains the database, unpacks it for this user alone and verifies its hash', async () => {
    const cache = join(folder, '.cache', 'svc');
    const library = (): string =>
      join(cache, readdirSync(cache).find((name) => name.startsWith('libsql-')) ?? '');
    await walk({ HOME: folder });
    const before = readFileSync(library());
    writeFileSync(library(), 'what somebody else would load');
    await walk({ HOME: folder });
    expect(readFileSync(library()).equals(before)).toBe(true);
  });

  it('leaves no file in a folder that others may write to, or in the temporary folder', async () => {
    const home = join(folder, 'shared');
    const tmp = join(folder, 'tmp');
    for (const each of [join(home, '.cache', 'svc'), tmp]) mkdirSync(each, { recursive: true });
    chmodSync(join(home, '.cache', 'svc'), 0o777);
    await walk({ HOME: home, TMPDIR: tmp });
    expect([readdirSync(join(home, '.cache', 'svc')), readdirSync(tmp)]).toEqual([[], []]);
  });
});

/** Makes another root folder that has only the system libraries of every program. */
const CHROOT = ['/usr/sbin/chroot', '/usr/bin/chroot', '/sbin/chroot'].find((path) => existsSync(path)) ?? '';
describe.skipIf(CHROOT === '' || process.platform !== 'linux' || process.getuid?.() !== 0)(
  'where there is no Node at all (left out where there is no chroot, or not root to use it)',
  () => {
    it('runs, including a sandbox', async () => {
      const root = join(folder, 'root');
      const { stdout: library } = await execa('find', [
        'node_modules/@libsql',
        '-name',
        'index.node',
        '-path',
        '*gnu*',
      ]);
      const listed = await execa('ldd', [svc, ...library.split('\n')]);
      for (const path of new Set(listed.stdout.match(/\/\S+(?=(?: \(0x))/g))) copy(path, join(root, path));
      // Not `copyFileSync`: a process that another test starts meanwhile would hold the file open, and it could not run (ETXTBSY).
      await execa('cp', [svc, join(root, 'svc')]);
      for (const each of ['tmp', 'home']) mkdirSync(join(root, each), { recursive: true, mode: 0o700 });
      // A plain file replaces the device, because not every system lets the test make a device.
      mkdirSync(join(root, 'dev'));
      writeFileSync(join(root, 'dev', 'null'), '');
      expect(existsSync(join(root, process.execPath))).toBe(false);
      const inside = (args: readonly string[]) =>
        execa(CHROOT, [root, '/svc', ...args], {
          env: { HOME: '/home', PATH: '' },
          extendEnv: false,
          reject: false,
          stdin: 'ignore',
        });
      expect(await inside(['--version'])).toMatchObject({
        stdout: expect.stringMatching(/^\d+\./),
        stderr: '',
        exitCode: 0,
      });
      const started = await inside(['sandbox', 'start', '--detach', '--port', '0', '--seed', 'demo']);
      expect(started).toMatchObject({ exitCode: 0 });
      try {
        const { stdout, exitCode } = await inside(['folder', 'list', '-o', 'json']);
        expect({ exitCode, rows: JSON.parse(stdout).length > 0 }).toEqual({ exitCode: 0, rows: true });
      } finally {
        expect(await inside(['sandbox', 'stop'])).toMatchObject({ exitCode: 0 });
      }
    });
  },
);

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Starts a sandbox, sends it a request, and stops it. */
async function walk(env: Readonly<Record<string, string>>): Promise<void> {
  const data = await makeTemporaryFolder('binary-data');
  const own = { ...env, SVC_CONFIG_DIR: join(data, 'config'), SVC_STATE_DIR: join(data, 'state') };
  try {
    const start = [
      'sandbox',
      'start',
      '--detach',
      '--port',
      '0',
      '--seed',
      'demo',
      '--data',
      join(data, 'sandbox'),
    ];
    expect(await run(start, own)).toMatchObject({ exitCode: 0 });
    expect(await run(['folder', 'list', '-o', 'json'], own)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await run(['sandbox', 'stop', '--data', join(data, 'sandbox')], own)).toMatchObject({
      exitCode: 0,
    });
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
