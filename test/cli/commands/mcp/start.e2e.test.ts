/** Contract, "Assistants": "If svc cannot verify something at the start, the server does not start". */
import { chmod, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport, WireResponse } from '../../../../src/service/protocol/wire.ts';
import { type AssistantWorld, assistantWorld, openAssistant } from '../../../support/assistant.ts';
import { NOBODY, type Outside, runCli, writesIn } from '../../../support/run-cli.ts';
import { runSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let world: AssistantWorld;
beforeEach(async () => {
  world = await assistantWorld();
});
afterEach(() => world.remove());

const start = (flags: readonly string[], outside: Outside = {}) =>
  runCli(['mcp', ...flags], { ...world.outside, ...outside });
const PROD = ['--profile', 'prod'];

describe('svc mcp does not start', () => {
  it.each([
    ['an unknown flag', ['--allow-all'], 2, /has no flag --allow-all/],
    ['an unknown tool', [...PROD, '--tools', 'plan,send'], 2, /unknown tool send/],
    ['an empty name of a tool', [...PROD, '--tools', 'plan,'], 2, /empty name/],
    ['a missing profile', ['--profile', 'nobody'], 2, /nobody/],
    ['--sandbox-only with the profile of a service', [...PROD, '--sandbox-only'], 2, /not a sandbox/],
    ['the tool sandbox for a service', [...PROD, '--tools', 'sandbox'], 2, /sandbox needs --sandbox-only/],
    ['a folder that does not exist', [...PROD, '--dir', 'nothing'], 2, /nothing does not exist/],
    ['a file as its folder', [...PROD, '--dir', 'spring.yaml'], 2, /spring\.yaml does not exist/],
    ['the root folder', [...PROD, '--dir', '/'], 2, /must not use all of \/[\s\S]*add --dir/],
  ])('with %s', async (_, flags, exit, said) => {
    const run = await start(flags);
    expect(run.stderr).toMatch(said);
    expect(run).toMatchObject({ exitCode: exit, stdout: '' });
  });

  it.each([
    ['missing', undefined, /cannot read the signers/],
    ['empty', '# nobody\n', /has no keys/],
    ['broken', 'alice@example.com ssh-ed25519\n', /no key in line 1/],
    ['writable by everybody', 'open', /other users can write to .*team\.signers/],
  ])('with a signers file that is %s', async (_, text, said) => {
    const path = join(world.folder, 'team.signers');
    if (text === undefined) await rm(path);
    else if (text === 'open') await chmod(path, 0o666);
    else await writeFile(path, text);
    const run = await start(PROD);
    expect(run.stderr).toMatch(said);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('with an unreadable profile file', async () => {
    await writeFile(join(world.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), '{"version":1,');
    expect(await start(PROD)).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('with a key that the service refuses: exit 3', async () => {
    const env = {
      ...world.env,
      SVC_BASE_URL: 'https://api.example.com',
      SVC_COMPANY_ID: '1',
      SVC_USER_ID: '1',
    };
    const run = await start([], { env: { ...env, SVC_API_KEY: 'deadbeefdeadbeefdeadbeefdeadbeef' } });
    expect(run).toMatchObject({ exitCode: 3, stdout: '' });
  });

  // Desktop clients start their servers in / or in the home folder, and then the whole disk would be the working folder.
  it('in the home folder, in one above it, or with a link to it', async () => {
    const homeDir = join(world.folder, 'home', 'ada');
    await mkdir(homeDir, { recursive: true });
    await symlink('home/ada', join(world.folder, 'link'));
    for (const cwd of [homeDir, join(homeDir, '..'), join(world.folder, 'link')]) {
      const run = await start(PROD, { cwd, homeDir });
      expect(run.stderr).toMatch(/must not use all of .*home[\s\S]*add --dir/);
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect((await start([...PROD, '--dir', 'home'], { cwd: world.folder, homeDir })).exitCode).toBe(2);
  });

  it('on a terminal', async () => {
    expect(await start(PROD, { tty: true })).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('svc mcp starts', () => {
  it('with a note if the service cannot be reached', async () => {
    const transport = () => Promise.reject(new TransportError('not-sent', 'connection refused'));
    const assistant = await openAssistant(PROD, { ...world.outside, transport });
    expect(assistant.stderr()).toContain('cannot reach');
    expect(await assistant.call('forecast')).toMatchObject({ ok: false, exit: 7 });
    expect(await assistant.call('estimate_sms', { message: 'hi' })).toMatchObject({ ok: true });
    expect(await assistant.close()).toBe(0);
  });

  it.each([429, 503])(
    'with a note if the service answers %i, and works as soon as it can',
    async (status) => {
      let isBusy = true;
      const transport: Transport = async (request, signal) =>
        isBusy
          ? { status, headers: {}, body: '' }
          : ((await world.outside.transport?.(request, signal)) as WireResponse);
      const assistant = await openAssistant(PROD, { ...world.outside, transport });
      expect(assistant.stderr()).toContain(`gets status ${status} from https://api.example.com now`);
      expect(await assistant.call('forecast')).toMatchObject({ ok: false });
      isBusy = false;
      expect(await assistant.call('forecast')).toMatchObject({ ok: true, exit: 0 });
      expect(await assistant.close()).toBe(0);
    },
  );

  it('with --dir, whose files alone are in reach', async () => {
    const other = join(world.folder, 'other');
    await mkdir(other);
    await writeFile(join(world.folder, 'outside.txt'), 'x');
    await cp('examples/campaign', other, { recursive: true });
    const assistant = await openAssistant([...PROD, '--dir', 'other'], {
      ...{ ...world.outside, homeDir: world.folder, cwd: world.folder },
    });
    const planned = await assistant.call('plan', { file: ['spring.yaml'], out: 'new.plan' });
    expect(planned).toMatchObject({ ok: true });
    expect(await readdir(other)).toContain('new.plan');
    const given = { noun: 'sms-message', message_file: '../outside.txt' };
    expect(await assistant.call('lint', given)).toMatchObject({ ok: false, exit: 2 });
    await assistant.close();
  });

  it('with --dry-run, and shows an approved plan without applying it', async () => {
    const assistant = await world.open('--dry-run');
    await world.svc('plan', 'spring.yaml', '--out', 'spring.plan');
    await world.svc('approve', 'spring.plan', '--yes', '--identity', world.alice.path);
    const { exit, rows } = await assistant.call('apply', { file: 'spring.plan' });
    expect(exit).toBe(0);
    expect(rows).toContainEqual(expect.objectContaining({ action: 'create', kind: 'task', done: false }));
    expect(writesIn(world.sent)).toEqual([]);
    await assistant.close();
  });

  // Second attack M1: a cloned repository must not choose the account that an assistant works with.
  it.each(['{"profile":"other"}', '{"company":2}', '{'])(
    'with the default profile if a .svc.json says %s, and says that it ignores the file',
    async (text) => {
      await writeFile(join(world.folder, '.svc.json'), text);
      const assistant = await openAssistant([], world.outside);
      expect(assistant.stderr().match(/svc mcp ignores .*\.svc\.json/g)).toHaveLength(1);
      expect(await assistant.call('get_record', { noun: 'account' })).toMatchObject({ result: { id: 1 } });
      expect(await assistant.close()).toBe(0);
    },
  );

  it('with only the tools of --tools', async () => {
    const assistant = await world.open('--tools', 'plan,lint');
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['lint', 'plan']);
    await expect(assistant.call('apply', { file: 'spring.plan' })).rejects.toThrow('unknown tool');
    await assistant.close();
  });

  it('with all tools but sandbox if the profile has signers, and keeps no copy of them on disk', async () => {
    // A separate folder, because other tests make copies at the same time.
    const { path, remove } = await temporaryFolder();
    await mkdir(path);
    vi.stubEnv('TMPDIR', path);
    const assistant = await world.open();
    const { tools } = await assistant.client.listTools();
    expect(tools).toHaveLength(19);
    expect(tools.map(({ name }) => name)).not.toContain('sandbox');
    await expect(assistant.call('sandbox', { command: 'reset' })).rejects.toThrow('unknown tool');
    // Second attack M3: a program of this user could change a copy on disk.
    expect(await readdir(path)).toEqual([]);
    await assistant.call('plan', { file: ['spring.yaml'], out: 'spring.plan' });
    const refused = await assistant.call('apply', { file: 'spring.plan' });
    expect(refused).toMatchObject({ ok: false, exit: 2 });
    expect(JSON.stringify(refused)).not.toContain(path);
    expect(await readdir(path)).toEqual([]);
    await assistant.close();
    expect(await readdir(path)).toEqual([]);
    vi.unstubAllEnvs();
    await remove();
  });
});

it('--sandbox-only serves a sandbox on this machine, whose clock the assistant moves', async () => {
  const folder = await temporaryFolder();
  const running = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  const { baseUrl, controlToken, company } = running.ready;
  const env = {
    ...NOBODY,
    SVC_CONFIG_DIR: world.env['SVC_CONFIG_DIR'],
    SVC_STATE_DIR: world.env['SVC_STATE_DIR'],
  };
  const profile = {
    ...{
      kind: 'company',
      baseUrl,
      companyId: company.id,
      userId: company.adminUserId,
      apiKey: company.apiKey,
    },
    sandbox: { dataDir: folder.path, controlToken },
  };
  await writeFile(
    join(env.SVC_CONFIG_DIR ?? '', 'config.json'),
    JSON.stringify({ version: 1, default: 'box', profiles: { box: profile } }),
    { mode: 0o600 },
  );
  const assistant = await openAssistant(['--profile', 'box', '--sandbox-only', '--tools', 'all'], {
    ...{ env, cwd: world.folder, now: Date.now() / 1000 },
    transport: undefined as never,
  });
  expect(await assistant.call('sandbox', { command: 'clock show' })).toMatchObject({ ok: true });
  expect(await assistant.call('sandbox', { command: 'clock advance', duration: '1d' })).toMatchObject({
    ok: true,
    exit: 0,
  });
  expect(await assistant.call('sandbox', { command: 'outbox list' })).toMatchObject({ ok: true });
  // All data of the sandbox would be lost, and the shell asks before that.
  for (const command of ['reset', 'start', 'company key']) {
    const refused = await assistant.call('sandbox', { command });
    expect(refused).toMatchObject({ ok: false, exit: 2 });
    expect(refused.untrusted.message).toContain('must be one of');
  }
  expect(await assistant.call('sandbox', { command: 'clock show', data: '/tmp' })).toMatchObject({ exit: 2 });
  expect(await assistant.call('sandbox', { command: 'clock show' })).toMatchObject({ ok: true });
  expect(JSON.stringify(assistant.wire)).not.toContain(company.apiKey);
  expect(JSON.stringify(assistant.wire)).not.toContain(controlToken);
  expect(await assistant.close()).toBe(0);
  await running.stop();
  await folder.remove();
});
