import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProfileError } from '../../src/client/profiles/errors.ts';
import type { Profile } from '../../src/client/profiles/profile.ts';
import { openProfileStore } from '../../src/client/profiles/store.ts';
import { configDirOf } from '../../src/kit/files/directories.ts';
import { thisProcessAsLockHolder } from '../../src/kit/files/lock-holder.ts';
import { COMPANY, COMPANY_KEY, PARTNER } from '../support/profiles.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let home: string;
let configDir: string;
let path: string;

beforeEach(async () => {
  home = await makeTemporaryFolder('profiles');
  configDir = join(home, 'config', 'svc');
  path = join(configDir, 'config.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = (options: { readonly lockWaitMs?: number } = {}) =>
  openProfileStore({ configDir, platform: 'linux', ...options });

async function put(text: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode });
  await chmod(path, mode);
}

/** Asserts that the work is refused, and that no key appears in the error. */
async function refusal(work: Promise<unknown>): Promise<ProfileError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProfileError)) throw new Error(`no refusal but ${String(error)}`);
  expect(JSON.stringify([error.message, error.hints, error.stack, String(error.cause)])).not.toContain(
    COMPANY_KEY,
  );
  return error;
}

describe('the maximum size of a file is the same for reading and writing', () => {
  const naming = (octets: number) => ({ fields: { password: 'p'.repeat(octets) } });

  it('to the octet', async () => {
    await open().save({ ...COMPANY, naming: naming(1) });
    const room = 1024 * 1024 - (await stat(path)).size;
    const before = await readFile(path);
    const { apiKey: _, ...rest } = COMPANY;
    const keyCommand = 'x'.repeat(room + COMPANY_KEY.length - '"keyCommand": '.length + '"apiKey": '.length);
    expect(
      (await refusal(open().save({ ...rest, keyCommand: `${keyCommand}x`, naming: naming(1) }))).message,
    ).toContain('would be larger than 1 MiB');
    expect(await readFile(path)).toEqual(before);
    await open().save({ ...rest, keyCommand, naming: naming(1) });
    expect((await stat(path)).size).toBe(1024 * 1024);
    expect((await open().get(COMPANY.name))?.keyCommand).toBe(keyCommand);
  });
});

describe('profiles', () => {
  it('do not exist before the first one', async () => {
    expect(await open().list()).toEqual({ profiles: [], defaultName: undefined });
    expect(await open().get('prod')).toBeUndefined();
    expect(await readdir(home)).toEqual([]);
  });

  it('are read back as they were saved, by name', async () => {
    const full: Profile = {
      ...COMPANY,
      output: 'json',
      tz: 'Europe/Berlin',
      naming: { headerPrefix: 'X-Acme-', fields: { enablecrm: 'enableacme' } },
      sandbox: { dataDir: '/tmp/data', controlToken: 'token' },
    };
    await open().save(PARTNER);
    await open().save(full);
    const { profiles } = await open().list();
    expect(profiles).toEqual([full, PARTNER]);
    expect(await open().get('reseller')).toEqual(PARTNER);
  });

  it('are replaced completely', async () => {
    await open().save({ ...COMPANY, output: 'json' });
    await open().save(COMPANY);
    expect(await open().get('prod')).toEqual(COMPANY);
  });

  it('may have names that JavaScript objects inherit', async () => {
    for (const name of ['constructor', 'valueof', '123']) await open().save({ ...COMPANY, name });
    expect((await open().list()).profiles.map(({ name }) => name)).toEqual(['123', 'constructor', 'valueof']);
    expect(await open().get('tostring')).toBeUndefined();
  });

  it.each(['', '__proto__', 'Prod', '-x', 'a b', 'a.b', '../x', 'ü', 'x'.repeat(33)])(
    'cannot have the name %j',
    async (name) => {
      expect(await refusal(open().save({ ...COMPANY, name }))).toMatchObject({ kind: 'usage' });
      expect(await readdir(home)).toEqual([]);
    },
  );

  it('are not saved if they are invalid', async () => {
    expect(await refusal(open().save({ ...COMPANY, apiKey: `${COMPANY_KEY}0` }))).toMatchObject({
      kind: 'usage',
      message: 'key: a company key has 32 characters, but this key has 33',
    });
    expect(await readdir(home)).toEqual([]);
  });
});

describe('the default profile', () => {
  const names = async () => {
    const { profiles, defaultName } = await open().list();
    return [profiles.map(({ name }) => name).join(), defaultName];
  };

  it('is the first one, until another is set', async () => {
    await open().save(COMPANY);
    await open().save(PARTNER);
    expect(await names()).toEqual(['prod,reseller', 'prod']);
    await open().setDefault('reseller');
    expect(await names()).toEqual(['prod,reseller', 'reseller']);
    await open().save(COMPANY, { makeDefault: true });
    expect(await names()).toEqual(['prod,reseller', 'prod']);
  });

  it('is not the first one if the caller forbids that', async () => {
    await open().save(COMPANY, { makeDefault: false });
    expect(await names()).toEqual(['prod', undefined]);
  });

  it('is the only remaining profile after a removal, and none of several', async () => {
    for (const name of ['a', 'b', 'c']) await open().save({ ...COMPANY, name });
    expect(await open().remove('a')).toBe(true);
    expect(await names()).toEqual(['b,c', undefined]);
    await open().setDefault('b');
    expect(await open().remove('b')).toBe(true);
    expect(await names()).toEqual(['c', 'c']);
    expect(await open().remove('c')).toBe(true);
    expect(await names()).toEqual(['', undefined]);
    expect(await open().remove('c')).toBe(false);
  });

  it('must exist', async () => {
    await open().save(COMPANY);
    expect(await refusal(open().setDefault('nope'))).toMatchObject({
      kind: 'usage',
      message: 'profile nope not found',
      hints: ['profiles: prod'],
    });
  });

  it('is none if the file names a profile that does not exist', async () => {
    await put('{"version":1,"default":"gone","profiles":{}}');
    expect((await open().list()).defaultName).toBeUndefined();
  });
});

describe('the file', () => {
  it('holds one JSON object for people to read', async () => {
    await open().save(COMPANY);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      version: 1,
      default: 'prod',
      profiles: {
        prod: {
          kind: 'company',
          baseUrl: 'https://api.example.com',
          companyId: 7,
          userId: 3,
          apiKey: COMPANY_KEY,
        },
      },
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(configDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(configDir)).toEqual(['config.json']);
  });

  it('replaces files that a killed writer left', async () => {
    await open().save(COMPANY);
    await mkdir(join(configDir, '.new-dead'));
    await writeFile(join(configDir, '.new-dead', 'config.json'), COMPANY_KEY);
    await open().save(PARTNER);
    expect(await readdir(configDir)).toEqual(['config.json']);
  });

  const stored = {
    version: 1,
    profiles: { prod: { kind: 'company', baseUrl: 'https://a.example', apiKey: COMPANY_KEY } },
  };
  const withProfile = (change: object) =>
    JSON.stringify({ ...stored, profiles: { prod: { ...stored.profiles.prod, ...change } } });

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'is not JSON'],
    ['half of it', JSON.stringify(stored).slice(0, -20), 'is not JSON'],
    ['not JSON, with a key at the spot', `{"version": 1,\n"apiKey": ${COMPANY_KEY}}`, 'is not JSON (line 2)'],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'is not UTF-8 text'],
    ['over 1 MiB', `{"version":1,"profiles":{}}${' '.repeat(1024 * 1024)}`, 'is larger than 1 MiB'],
    [
      'a newer version',
      '{"version":2,"profiles":[],"more":true}',
      'was written by a newer svc (version 2 of the file)',
    ],
    ['no version', '{"profiles":{}}', 'version must be 1'],
    ['an invalid version', '{"version":"1","profiles":{}}', 'version must be 1'],
    ['an array', '[]', 'the file must hold a JSON object'],
    ['a number', '7', 'the file must hold a JSON object'],
    [
      'the file of another program',
      '{"version":1,"profiles":{},"theme":"dark"}',
      'the file must not have "theme"',
    ],
    ['no profiles', '{"version":1}', 'profiles must be an object'],
    ['profiles as a list', '{"version":1,"profiles":[]}', 'profiles must be an object'],
    [
      'a default that is not a text',
      '{"version":1,"default":1,"profiles":{}}',
      'default must be the name of a profile',
    ],
    [
      'a name that every object inherits',
      '{"version":1,"profiles":{"__proto__":{}}}',
      '"__proto__" is not a valid profile name',
    ],
    ['a profile that is null', '{"version":1,"profiles":{"prod":null}}', 'profiles.prod must be an object'],
    ['an invalid kind', withProfile({ kind: 'admin' }), 'profiles.prod.kind must be "company" or "partner"'],
    [
      'an id as text',
      withProfile({ companyId: '7' }),
      'profiles.prod.companyId must be a whole number of at least 1',
    ],
    ['an id of 0', withProfile({ userId: 0 }), 'profiles.prod.userId must be a whole number of at least 1'],
    ['a huge id', withProfile({ partnerId: 1e60 }), 'profiles.prod.partnerId must be a whole number'],
    ['a key as a number', withProfile({ apiKey: 1 }), 'profiles.prod.apiKey must be text'],
    ['a naming that is a list', withProfile({ naming: [] }), 'profiles.prod.naming must be an object'],
    [
      'half a sandbox',
      withProfile({ sandbox: { dataDir: '/x' } }),
      'profiles.prod.sandbox must be an object with',
    ],
    ['an unknown entry', withProfile({ apikey: 'x' }), 'profiles.prod must not have the key "apikey"'],
    ['no kind', '{"version":1,"profiles":{"prod":{"baseUrl":"x"}}}', 'profiles.prod.kind is missing'],
  ])('with %s is refused and left unchanged', async (_, text, message) => {
    await put(text);
    for (const work of [
      () => open().list(),
      () => open().get('prod'),
      () => open().save(PARTNER),
      () => open().remove('prod'),
    ]) {
      const error = await refusal(work());
      expect(error.kind).toBe('storage');
      expect(error.message).toContain(path);
      expect(error.message).toContain(message);
      expect(error.hints.length).toBeGreaterThan(0);
    }
    expect(Buffer.compare(await readFile(path), Buffer.from(text))).toBe(0);
    expect(await readdir(configDir)).toEqual(['config.json']);
  });

  it('may begin with a byte order mark', async () => {
    await put(`\ufeff${JSON.stringify(stored)}`);
    expect(await open().get('prod')).toMatchObject({ apiKey: COMPANY_KEY });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a directory', () => mkdir(path, { recursive: true, mode: 0o700 })],
    [
      'a named pipe',
      async () => {
        const { execa } = await import('execa');
        await mkdir(configDir, { recursive: true, mode: 0o700 });
        await execa('mkfifo', ['-m', '600', path]);
      },
    ],
  ])('is refused if it is %s', async (_, make) => {
    await make();
    expect(await refusal(open().list())).toMatchObject({
      kind: 'storage',
      message: `${path} is not a regular file`,
    });
  });

  it('in a folder that is a file is refused', async () => {
    await mkdir(join(home, 'config'));
    await writeFile(configDir, '');
    for (const work of [open().list(), open().save(COMPANY)])
      expect(await refusal(work)).toMatchObject({
        kind: 'storage',
        message: expect.stringContaining(configDir),
      });
  });

  it.skipIf(process.getuid?.() !== 0)('of another user is refused', async () => {
    await put(JSON.stringify(stored));
    await chown(path, 12345, 12345);
    expect(await refusal(open().list())).toMatchObject({
      message: expect.stringContaining('belongs to another user (uid 12345'),
    });
  });

  it('may have any mode on Windows', async () => {
    await put(JSON.stringify(stored), 0o644);
    const store = openProfileStore({ configDir, platform: 'win32' });
    expect((await store.list()).profiles).toHaveLength(1);
    await rm(path);
    await symlink(join(home, 'elsewhere'), path);
    expect((await refusal(store.list())).message).toContain('is a symbolic link');
  });
});

it('does not exist without a home folder, and no profile can be saved', async () => {
  const store = openProfileStore({ configDir: configDirOf({}, '', 'linux'), platform: 'linux' });
  expect(await store.list()).toEqual({ profiles: [], defaultName: undefined });
  expect(await refusal(store.save(COMPANY))).toMatchObject({
    kind: 'storage',
    hints: ['set SVC_CONFIG_DIR to a directory'],
  });
});

describe('a lock', () => {
  it('is awaited if another svc holds it, and then reported', async () => {
    await put('{"version":1,"profiles":{}}');
    const holder = JSON.stringify(thisProcessAsLockHolder());
    await writeFile(`${path}.lock`, holder);
    const error = await refusal(open({ lockWaitMs: 50 }).save(COMPANY));
    expect(error).toMatchObject({
      kind: 'storage',
      message: expect.stringContaining(`process (${process.pid} on `),
    });
    expect(error.hints[0]).toContain(`delete ${path}.lock`);
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(holder);
    expect((await open().list()).profiles).toEqual([]);
  });
});
