/** Each write is one JSON line without secrets. Contract, "Safety": a record that will be deleted is written first. */
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { withEverything } from '../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import { KEYS } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let state: string;
const env = () => ({ SVC_STATE_DIR: state });

beforeEach(async () => {
  state = await makeTemporaryFolder('state');
});
afterEach(() => rm(state, { recursive: true, force: true }));

const text = () => readFile(join(state, 'journal', 'journal.ndjson'), 'utf8');
const lines = async () =>
  (await text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function service() {
  const sandbox = await withEverything();
  return { sandbox, ...serviceOf(sandbox) };
}

it('writes no line to a file that others can read, and says how to correct that', async () => {
  const { transport } = await service();
  const rename = (to: string) => runCli(['folder', 'update', '1', '--name', to], { transport, env: env() });
  await rename('Archive');
  const path = join(state, 'journal', 'journal.ndjson');
  await chmod(path, 0o644);
  const { exitCode, stderr } = await rename('Older');
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    `so svc undo does not cover this change: ${path} is open to other users (mode 0644); chmod 600 ${path}`,
  );
  expect(await lines()).toHaveLength(1);
});

describe('a write is one line', () => {
  it('with user, action, before and after, for an update', async () => {
    const { transport } = await service();
    await runCli(['folder', 'update', 'News', '--name', 'Archive'], { transport, env: env() });
    expect(await lines()).toMatchObject([
      {
        n: 1,
        state: 'done',
        profile: null,
        origin: 'https://api.example.com',
        company: 1,
        user: 1,
        command: 'folder update',
        method: 'PUT',
        resource: 'folder',
        id: 1,
        sent: { name: 'Archive' },
        before: { name: 'News' },
        after: { name: 'Archive' },
      },
    ]);
    expect((await lines())[0].time).toMatch(/^2026-12-01T09:00/);
  });

  it('with the error, for a refusal', async () => {
    const { transport } = await service();
    const run = await runCli(['sms-message', 'update', '99', '--text', 'x'], { transport, env: env() });
    expect(run.exitCode).toBe(4);
    expect(await lines()).toMatchObject([{ state: 'failed', error: { kind: 'not-found', http: 404 } }]);
  });

  it('for svc api, too', async () => {
    const { transport } = await service();
    const run = await runCli(['api', 'PUT', '/v1/folder/1', '--data', '{"name":"Raw"}'], {
      transport,
      env: env(),
    });
    expect(run.exitCode).toBe(0);
    expect(await lines()).toMatchObject([
      {
        command: 'api',
        method: 'PUT',
        resource: '/v1/folder/1',
        sent: { name: 'Raw' },
        before: [{ name: 'News' }],
      },
    ]);
  });

  it('but reads, local refusals, --dry-run and --no-journal write none', async () => {
    const { transport } = await service();
    for (const argv of [
      ['folder', 'list'],
      ['folder', 'create', '--name', 'x'.repeat(41)],
      ['folder', 'delete', '1', '--yes', '--dry-run'],
      ['folder', 'create', '--name', 'Other', '--no-journal'],
    ])
      await runCli(argv, { transport, env: env() });
    expect(await readdir(state)).toEqual([]);
  });
});

describe('a line has no secrets', () => {
  it('neither passwords nor the key of the run', async () => {
    const { transport } = await service();
    const password = 'correct7horse';
    await runCli(
      [
        ...['user', 'create', '--username', 'ada', '--firstname', 'Ada', '--lastname', 'Byron'],
        ...['--email', 'ada@example.com', '--password', password],
      ],
      { transport, env: env() },
    );
    await runCli(['user', 'update', '2', '--data', `{"password":"${password}x"}`], { transport, env: env() });
    // svc does not even send a key as it is, but it sends other spellings of one.
    const refused = await runCli(['folder', 'create', '--name', KEYS.company], { transport, env: env() });
    expect(refused.exitCode).toBe(2);
    const spelling = KEYS.company.toUpperCase();
    await runCli(['folder', 'create', '--name', spelling], { transport, env: env() });
    expect(await lines()).toHaveLength(3);
    expect(await text()).not.toContain(password);
    for (const key of [KEYS.company, spelling]) expect(await text()).not.toContain(key);
  });
});

/** Contract, "Safety": before dnc add, dnc import and every delete. */
describe('before an action that cannot be undone', () => {
  /** Returns the lines of the journal at the time when the write is sent. */
  async function seenBy(argv: readonly string[]) {
    const { transport, sandbox } = await service();
    await sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata: 'other@example.com' });
    let before: unknown;
    const run = await runCli([...argv, '--yes'], {
      env: env(),
      transport: async (request, signal) => {
        if (request.method === 'POST' || request.method === 'DELETE') before ??= await lines();
        return transport(request, signal);
      },
    });
    expect(run.exitCode).toBe(0);
    return { before, after: await lines() };
  }

  it.each([
    [['folder', 'delete', 'News', '--no-validate'], [{ id: 1, name: 'News' }]],
    [['sms-message', 'delete', '1'], [{ id: 1, name: 'Free', message: 'Hello' }]],
    [['dnc', 'remove', 'old@example.com'], [{ contactdata: 'old@example.com' }]],
    [['subscriber-data', 'delete', '--subscriber', '1'], [{ id: '1_1', value: 'blue' }]],
    [['automation', 'delete', 'click:1'], [{ id: 1, name: 'Rule' }]],
    [['api', 'DELETE', '/v1/doNotContact?contactdata=old@example.com'], [{ contactdata: 'old@example.com' }]],
  ])('%j writes the whole record before it sends', async (argv, records) => {
    const { before, after } = await seenBy(argv);
    expect(before).toMatchObject([{ n: 1, state: 'intent', method: 'DELETE', before: records }]);
    expect(after).toMatchObject([
      { n: 1, state: 'intent' },
      { n: 1, state: 'done' },
    ]);
  });

  it('dnc add writes the entries to add', async () => {
    const { before, after } = await seenBy(['dnc', 'add', 'new@example.com']);
    expect(before).toMatchObject([
      { state: 'intent', method: 'POST', sent: { contactdata: 'new@example.com' } },
    ]);
    expect(after).toMatchObject([{}, { state: 'done', after: { contactdata: 'new@example.com' } }]);
  });

  it('too many entries go into a separate file', async () => {
    const { transport, sandbox } = await service();
    for (let each = 2; each <= 260; each += 1) {
      await sandbox.put('subscriber', { account_id: 1, email: `s${each}@example.com`, cdate: 0 });
      const id = (await sandbox.rows('subscriber')).at(-1)?.['id'];
      const value = { subscriber_id: id, subscriberprofilefield_id: 1, value: `v${each}` };
      expect((await sandbox.send('admin', 'POST', '/v1/subscriberProfileData', value)).status).toBeLessThan(
        300,
      );
    }
    const argv = ['subscriber-data', 'delete', '--field', '1', '--yes'];
    expect((await runCli(argv, { transport, env: env() })).exitCode).toBe(0);
    const [intent] = await lines();
    expect(intent).toMatchObject({ state: 'intent', before: null, kept: { records: 260 } });
    const kept = (await readFile(intent.kept.file, 'utf8')).trimEnd().split('\n');
    expect(kept).toHaveLength(260);
    expect(JSON.parse(kept[0] ?? '')).toMatchObject({ subscriberprofilefield_id: 1, value: 'blue' });
  });

  it.each([
    ['folder', 'delete', 'News'],
    ['dnc', 'add', 'new@example.com'],
    ['dnc', 'remove', 'old@example.com'],
    ['subscriber-data', 'delete', '1_1'],
    ['api', 'DELETE', '/v1/folder/1'],
  ])('an unwritable journal prevents %s %s with exit 1, but not with --no-journal', async (...argv) => {
    const { transport, sent } = await service();
    const file = join(state, 'file');
    await writeFile(file, '');
    const outside = { transport, env: { SVC_STATE_DIR: file } };
    const run = await runCli([...argv, '--yes'], outside);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('cannot record this deletion in the journal');
    expect(run.stderr).toContain('--no-journal to continue without the journal');
    expect(writesIn(sent)).toEqual([]);
    expect((await runCli([...argv, '--yes', '--no-journal'], outside)).exitCode).toBe(0);
    expect(writesIn(sent)).toHaveLength(1);
  });

  it('other writes continue without the journal, with a note', async () => {
    const { transport, sent } = await service();
    await writeFile(join(state, 'file'), '');
    const outside = { transport, env: { SVC_STATE_DIR: join(state, 'file') } };
    const run = await runCli(['folder', 'create', '--name', 'Other'], outside);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('so svc undo does not cover this change');
    expect(writesIn(sent)).toEqual(['POST /v1/folder']);
  });

  it('a missing home folder has the same effect', async () => {
    const { transport, sent } = await service();
    const outside = { transport, homeDir: '' };
    expect((await runCli(['dnc', 'add', 'a@example.com', '--yes'], outside)).exitCode).toBe(1);
    expect((await runCli(['folder', 'create', '--name', 'Other'], outside)).exitCode).toBe(0);
    expect(writesIn(sent)).toEqual(['POST /v1/folder']);
  });
});

describe('after an unknown outcome', () => {
  const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi', '--at', '+1h'];

  /** Cuts the response to the first POST. `done` says whether the service performed it. */
  function cut(transport: Transport, done: boolean): Transport {
    let first = true;
    return async (request, signal) => {
      if (request.method !== 'POST' || !first) return transport(request, signal);
      first = false;
      if (done) await transport(request, signal);
      throw new TransportError('unknown', 'the connection broke');
    };
  }

  it('a found record gives exit 0, a line on stderr, and a mark in the journal', async () => {
    const { transport, sandbox } = await service();
    const before = (await sandbox.rows('sms')).length;
    const run = await runCli([...SEND, '-o', 'id'], { transport: cut(transport, true), env: env() });
    expect(run).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(run.stderr).toContain('the response was lost; sms 2 exists, so svc did not repeat the request');
    expect(await lines()).toMatchObject([
      { n: 1, state: 'intent', before: null },
      { n: 1, state: 'done', id: 2, recovered: true },
    ]);
    expect(await sandbox.rows('sms')).toHaveLength(before + 1);
  });

  it('a missing record gives exit 10 and the command that shows it, and nothing is sent again', async () => {
    const { transport, sandbox, sent } = await service();
    const before = (await sandbox.rows('sms')).length;
    const run = await runCli([...SEND, '-o', 'json', '--settle', '5s'], {
      transport: cut(transport, false),
      env: env(),
    });
    expect(run).toMatchObject({ exitCode: 10, stdout: '' });
    const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error.hint).toContain('svc sms list --msisdn 447700900123 --fromaddress Example');
    expect(await lines()).toMatchObject([
      { state: 'intent' },
      { state: 'unknown', error: { kind: 'unknown' } },
    ]);
    expect(writesIn(sent)).toEqual([]);
    expect(await sandbox.rows('sms')).toHaveLength(before);
  });
});
