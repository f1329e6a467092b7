import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEYS } from '../support/sandbox.ts';

// Attack H3: anyone who can write to the compile cache can run code as the user of svc, so only that user may write to it.

const { cacheFolder } = createRequire(import.meta.url)('../../bin/compile-cache.js') as {
  readonly cacheFolder: (about: {
    readonly env: Readonly<Record<string, string>>;
    readonly platform: string;
    readonly home: string | undefined;
    readonly uid: number | undefined;
  }) => string | undefined;
};

const uid = process.getuid?.() ?? 0;
const NOBODY = 65_534;
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-cache-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folderFor = (env: Readonly<Record<string, string>> = {}, more: object = {}): string | undefined =>
  cacheFolder({ env, platform: 'linux', home, uid, ...more });

describe('the folder of compiled code', () => {
  it('is created in the user’s cache, for this user alone', () => {
    expect(folderFor()).toBe(join(home, '.cache', 'svc'));
    expect(folderFor({ XDG_CACHE_HOME: join(home, 'other') })).toBe(join(home, 'other', 'svc'));
    expect(folderFor({}, { platform: 'darwin' })).toBe(join(home, '.cache', 'svc'));
  });

  it('is off without a home folder, and with a relative path', () => {
    expect(folderFor({}, { home: undefined })).toBeUndefined();
    expect(folderFor({}, { home: '' })).toBeUndefined();
    expect(folderFor({ XDG_CACHE_HOME: 'here' }, { home: '' })).toBeUndefined();
  });

  it('is in the local profile on Windows, and nowhere else', () => {
    expect(folderFor({ LOCALAPPDATA: home }, { platform: 'win32' })).toBe(join(home, 'svc'));
    expect(folderFor({}, { platform: 'win32' })).toBeUndefined();
  });

  it.each<[string, (cache: string) => void]>([
    ['a link', (cache) => symlinkSync(mkdtempSync(join(home, 'elsewhere-')), join(cache, 'svc'))],
    ['open to others', (cache) => mkdirAs(join(cache, 'svc'), 0o755)],
    ['no folder', (cache) => writeFileSync(join(cache, 'svc'), '')],
    ['in a folder that others may write to', (cache) => chmodSync(cache, 0o777)],
  ])('is not used if it is %s', (_, plant) => {
    mkdirAs(join(home, '.cache'), 0o700);
    plant(join(home, '.cache'));
    expect(folderFor()).toBeUndefined();
  });

  it('is off if the folder, or a folder above it, belongs to another user', async () => {
    expect(folderFor({}, { uid: uid + 1 })).toBeUndefined();
    rmSync(join(home, '.cache'), { recursive: true, force: true });
    if (uid !== 0) return;
    mkdirAs(join(home, '.cache', 'svc'), 0o700);
    await chown(join(home, '.cache', 'svc'), NOBODY, NOBODY);
    expect(folderFor()).toBeUndefined();
    // If the home folder belongs to another user, as `sudo` may leave it, svc writes nothing there.
    rmSync(join(home, '.cache'), { recursive: true });
    await chown(home, NOBODY, NOBODY);
    expect(folderFor()).toBeUndefined();
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });
});

describe('bin/svc.js', () => {
  // Node 20 has no compile cache. A preload replaces it and reports the requested folder.
  const asked = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const preload = join(home, 'preload.cjs');
    const stub = `require('node:module').enableCompileCache = (at) => console.error('cache ' + JSON.stringify(at ?? 'shared'))`;
    writeFileSync(preload, stub);
    const { stderr } = await execa(process.execPath, ['--require', preload, 'bin/svc.js', '--help'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
      extendEnv: false,
      reject: false,
    });
    return stderr;
  };

  it('never uses the shared temporary folder', async () => {
    expect(await asked({})).toContain(`cache "${join(home, '.cache', 'svc')}"`);
    chmodSync(join(home, '.cache', 'svc'), 0o777);
    expect(await asked({})).not.toContain('cache ');
  });

  it('leaves the cache to Node if the environment names a folder', async () => {
    expect(await asked({ NODE_COMPILE_CACHE: join(home, 'mine') })).not.toContain('cache ');
  });
});

const ADD =
  'profile add p --base-url https://api.example.com --company 1 --user 1 --no-check --api-key-stdin'.split(
    ' ',
  );

// Use, M16: with Node's recursive mkdir, svc repeated the call for ever, and ignored Ctrl-C.
describe.runIf(process.platform === 'linux')('a home in which no folder can be made', () => {
  it.each<[string, readonly string[], number, string]>([
    ['a command that writes nothing', ['help'], 0, ''],
    ['completion', ['__complete', 'bash', '9', 'svc task '], 0, ''],
    ['a command that stores something', ADD, 1, '/proc/.config'],
    ['a detached sandbox', ['sandbox', 'start', '--detach', '--data', '/proc/x'], 1, '/proc/x'],
  ])('delays nothing: %s', async (_, argv, exitCode, named) => {
    const done = await execa(process.execPath, ['bin/svc.js', ...argv], {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/proc' },
      extendEnv: false,
      reject: false,
      timeout: 20_000,
      input: KEYS.company,
    });
    const text =
      named === '' ? '' : `cannot create the folder ${named}: this file system accepts no new folders`;
    expect(done).toMatchObject({ exitCode, stderr: expect.stringContaining(text) });
  });
});

/** Makes a folder with exactly this mode, whatever the umask is. */
function mkdirAs(path: string, mode: number): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
}
