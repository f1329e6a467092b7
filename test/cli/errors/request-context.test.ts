/** Contract, "Output" (exits 3 and 7): an error about a request names the host, the profile and the key, and says what to do next. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/client/profiles/profile.ts';
import { openProfileStore } from '../../../src/client/profiles/store.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { NOBODY, type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('asked');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const PROD: Profile = {
  name: 'prod',
  kind: 'company',
  baseUrl: 'https://api.example.com',
  companyId: IDS.company,
  userId: IDS.admin,
  apiKey: KEYS.other,
};
const save = async (...profiles: readonly Profile[]): Promise<void> => {
  const store = openProfileStore({ configDir: folder, platform: 'linux' });
  for (const profile of profiles) await store.save(profile);
};
const failing =
  (error: TransportError): Transport =>
  () =>
    Promise.reject(error);
const unreachable = failing(new TransportError('not-sent', 'connection refused by HOST'));
const svc = (argv: readonly string[], outside: Outside = {}) =>
  runCli(argv, {
    transport: unreachable,
    ...outside,
    env: { ...NOBODY, SVC_CONFIG_DIR: folder, ...outside.env },
  });

const KEY = { SVC_API_KEY: KEYS.other };
const ALL = { ...KEY, SVC_BASE_URL: 'https://api.example.com', SVC_COMPANY_ID: '1', SVC_USER_ID: '2' };

describe('an unreachable service', () => {
  it.each([
    ['profile', [], {}, 'svc called api.example.com:443 (profile prod).'],
    [
      'flag',
      ['--base-url', 'https://api.example.net:8443'],
      KEY,
      'svc called api.example.net:8443 (flag --base-url), with profile prod.',
    ],
    ['environment alone', [], ALL, 'svc called api.example.com:443 (environment SVC_BASE_URL).'],
  ])('the error names the address and its source: %s', async (_, flags, env, words) => {
    await save(PROD);
    const run = await svc([...flags, 'folder', 'list'], { env });
    expect([run.exitCode, run.stdout]).toEqual([7, '']);
    expect(run.stderr).toContain('GET /v1/folder got no response: connection refused by HOST');
    expect(run.stderr).toContain(`Hint: ${words}\n`);
    const json = await svc([...flags, 'folder', 'list', '-o', 'json'], { env });
    const { error } = JSON.parse(json.stderr);
    expect(error).toMatchObject({ kind: 'unreachable', exit: 7 });
    expect(error.hint.split('\n')).toEqual(['Check the base URL, the network and HTTPS_PROXY.', words]);
  });

  it('the error keeps the advice on a certificate, and adds the address', async () => {
    await save(PROD);
    const advice = 'NODE_EXTRA_CA_CERTS adds it.';
    const about = { isFinal: true, advice };
    const run = await svc(['folder', 'list'], {
      transport: failing(new TransportError('not-sent', 'TLS: no', about)),
    });
    expect(run.exitCode).toBe(7);
    expect(run.stderr).toContain(`Hint: ${advice}\nHint: svc called api.example.com:443 (profile prod).\n`);
  });
});

describe('refused credentials', () => {
  it.each([
    [
      'all from a profile',
      [],
      {},
      'as company 1 and user 1 (profile prod), with the key from profile prod.',
      'svc profile show prod',
    ],
    [
      'all from the environment',
      [],
      ALL,
      'as company 1 (environment SVC_COMPANY_ID) and user 2 (environment SVC_USER_ID), with the key from environment SVC_API_KEY.',
      '(svc profile show);',
    ],
    [
      'mixed',
      ['--user', '2'],
      KEY,
      'as company 1 (profile prod) and user 2 (flag --user), with the key from environment SVC_API_KEY.',
      'svc profile show prod',
    ],
  ])(
    '401, %s: the error names the account and the source of the key, never the key',
    async (_, flags, env, words, show) => {
      await save(PROD);
      const { transport } = serviceOf(await createTestSandbox());
      const run = await svc([...flags, 'account', 'get'], { env, transport });
      expect([run.exitCode, run.stdout]).toEqual([3, '']);
      expect(run.stderr).toContain(words);
      expect(run.stderr).toContain(show);
      expect(run.stderr).toContain('; the clocks agree.');
      expect(run.stderr).not.toContain(KEYS.other);
    },
  );

  it('the error names a key command', async () => {
    const { apiKey: _, ...rest } = PROD;
    await save({ ...rest, keyCommand: `echo ${KEYS.other}` });
    const { transport } = serviceOf(await createTestSandbox());
    const run = await svc(['account', 'get'], { transport, env: { PATH: process.env['PATH'] } });
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain('with the key from the output of key-command in profile prod.');
    expect(run.stderr).not.toContain(KEYS.other);
  });

  // Wire: "Date more than 15 minutes off (additional_information gives the service's time)".
  it('the error gives both times if the clocks differ', async () => {
    await save(PROD);
    const { transport } = serviceOf(await createTestSandbox());
    const run = await svc(['account', 'get', '--retries', '0'], { transport, now: NOW + 7200 });
    expect(run.exitCode).toBe(3);
    const [service, machine] = [NOW, NOW + 7200].map((time) => new Date(time * 1000).toISOString());
    expect(run.stderr).toContain(`the service's clock shows ${service}, and this machine's ${machine}.`);
  });

  it('the error of a 403 also names the account', async () => {
    await save({ ...PROD, userId: 2, apiKey: KEYS.company });
    const { transport } = serviceOf(await createTestSandbox());
    const run = await svc(['user', 'create', '--username', 'x', '--password', 'canary77', '--no-validate'], {
      transport,
    });
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain('as company 1 and user 2 (profile prod), with the key from profile prod.');
  });
});

describe('a sandbox that was stopped: contract, "Sandbox"', () => {
  const refused = failing(
    new TransportError('not-sent', 'the connection to 127.0.0.1:4730 was refused', { isRefused: true }),
  );
  const dataDir = "/tmp/it's here";
  const sandbox = { dataDir, controlToken: 'token' };
  const baseUrl = 'http://127.0.0.1:4730';
  const company: Profile = { ...PROD, name: 'box-2', baseUrl, sandbox };
  const partner: Profile = {
    ...{ name: 'box-2-partner', kind: 'partner', baseUrl, partnerId: 1, apiKey: KEYS.partner, sandbox },
  };
  const start = `svc sandbox start --detach --data '/tmp/it'\\''s here' --port 4730 --profile box-2`;

  it.each([
    ['its profile', ['--profile', 'box-2'], {}, 'box-2'],
    ["its partner's", ['--profile', 'box-2-partner', '--company', '1'], {}, 'box-2-partner'],
    ['the environment, at the same address', [], { ...ALL, SVC_BASE_URL: baseUrl }, 'box-2'],
  ])('is recognised by %s, with the command that starts it', async (_, flags, env, name) => {
    await save(company, partner);
    const run = await svc([...flags, 'folder', 'list'], { transport: refused, env });
    expect([run.exitCode, run.stdout]).toEqual([7, '']);
    expect(run.stderr).toContain(
      `svc: the sandbox of profile ${name} is not running: the connection to 127.0.0.1:4730 was refused\n`,
    );
    expect(run.stderr).toContain(`${start}\n`);
    expect(run.stderr).toContain(`The sandbox's data in ${dataDir} no longer exists.`);
  });

  it.each([
    ['another port', { ...ALL, SVC_BASE_URL: 'http://127.0.0.1:4731' }, refused],
    ['a connection that was cut', { ...ALL, SVC_BASE_URL: baseUrl }, unreachable],
  ])('is not suspected for %s', async (_, env, transport) => {
    await save(company);
    const run = await svc(['folder', 'list'], { transport, env });
    expect(run.exitCode).toBe(7);
    expect(run.stderr).not.toContain('sandbox');
  });

  it('is reported with the need for its custom names, if it has any', async () => {
    await save({ ...company, naming: { headerPrefix: 'X-Acme-' } });
    const run = await svc(['folder', 'list', '-o', 'json'], { transport: refused });
    expect(JSON.parse(run.stderr).error.hint).toContain('add --naming FILE');
  });

  it('gets a start command without the naming file if its names are stored', async () => {
    await writeFile(join(folder, 'sandbox.db'), '');
    await save({ ...company, sandbox: { ...sandbox, dataDir: folder }, naming: { headerPrefix: 'X-Acme-' } });
    const run = await svc(['folder', 'list', '-o', 'json'], { transport: refused });
    expect(JSON.parse(run.stderr).error.hint).toContain(`--data ${folder} `);
    expect(run.stderr).not.toContain('--naming');
  });
});
