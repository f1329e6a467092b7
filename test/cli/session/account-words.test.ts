/** Every question names the account, and so does every write on a terminal (contract, "Safety"). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { putList, setAccount } from '../../support/messages.ts';
import { NOBODY, PARTNER, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { IDS, KEYS, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let sandbox: TestSandbox;
let service: { readonly transport: Transport; readonly sent: readonly WireRequest[] };
let env: Readonly<Record<string, string | undefined>>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('whose');
  sandbox = await withEverything();
  await setAccount(sandbox, { name: 'Harbour Coffee' });
  service = serviceOf(sandbox);
  env = { ...NOBODY, SVC_CONFIG_DIR: folder };
  const ids = ['--base-url', 'https://api.example.com', '--company', '1', '--user', '1'];
  const add = await runCli(['profile', 'add', 'prod', ...ids, '--no-check', '--api-key-stdin'], {
    env,
    stdin: KEYS.company,
  });
  expect(add.exitCode).toBe(0);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const words = (line: string): readonly string[] => line.split(' ');
const accountsAsked = (): number => service.sent.filter(({ path }) => path === '/v1/account').length;

describe('a question', () => {
  it.each([
    ['folder delete 1', 'Really delete folder 1 (News), 1 list with 1 subscription, of '],
    ['user delete sub2', 'Really delete user 3 (sub2), who can no longer act, of '],
    ['email delete Free', 'Really delete email 1 (Free), of '],
    ['email delete Taken', 'Really delete email 2 (Taken), whose tasks are not cancelled, of '],
    ['form delete 1', 'Really delete form 1 (Sign up), which takes no more subscriptions, of '],
    ['automation delete open:1', 'Really delete automation open:1 (Rule) and its queued actions, of '],
    ['subscriber-data delete 1_1', 'Really delete the profile data of id 1_1, of '],
    ['task cancel Sale', 'Really cancel task 1 (Sale) permanently (channel: email, recipients: 1), of '],
    [
      'dnc remove --id 1',
      'Really remove old@example.com (entry 1) from Do Not Contact, so that it can receive messages again, of ',
    ],
    ['api DELETE /v1/folder/1', 'Really DELETE /v1/folder/1, of '],
  ])('svc %s names the action, its consequence and the account', async (line, asked) => {
    const list = { name: 'In the folder', folder_id: 1 };
    const id = await putList(sandbox, list);
    await sandbox.put('subscription', { list_id: id, subscriber_id: 1, cdate: 1 });
    const run = await runCli(words(line), { ...service, env, tty: true, answers: [false] });
    expect(run.questions).toEqual([`${asked}Harbour Coffee (company 1, profile prod)?`]);
    expect(run.exitCode).toBe(2);
    expect(writesIn(service.sent)).toEqual([]);
    expect(accountsAsked()).toBe(1);
  });

  it('also names the account in a confirmation that must be typed', async () => {
    const lock = ['features', 'set', '--locked'];
    const run = await runCli(lock, { ...service, env: PARTNER, tty: true, answers: ['no'] });
    expect(run.questions).toEqual([
      'To lock all users out of Harbour Coffee (company 1, from the environment), type Harbour Coffee:',
    ]);
  });

  it('limits the length of names of others, and escapes them', async () => {
    await setAccount(sandbox, { name: `\u001b[2J${'A'.repeat(300)}` });
    const name = `\u202e${'é'.repeat(300)}`;
    await sandbox.put('folder', { account_id: IDS.company, name, cdate: 1, mdate: 1 });
    const run = await runCli(['folder', 'delete', '2'], { ...service, env, tty: true, answers: [false] });
    const [question = ''] = run.questions;
    expect(question).toContain(`(\\u{202e}${'é'.repeat(58)}…)`);
    expect(question).toContain(`␛[2J${'A'.repeat(35)}… (company 1`);
    expect(question.length).toBeLessThan(220);
  });

  it.each([403, 500])('names only the id if the service responds %i for the account', async (status) => {
    const { transport } = service;
    const failing: Transport = async (request, signal) =>
      request.path === '/v1/account'
        ? { status, headers: {}, body: '{"status":"error","response":{"code":0,"message":"no"}}' }
        : transport(request, signal);
    const run = await runCli(['folder', 'delete', 'News'], {
      transport: failing,
      env,
      tty: true,
      answers: [true],
    });
    expect(run.questions).toEqual([expect.stringContaining(', of company 1 (profile prod)?')]);
    expect(run.exitCode).toBe(0);
    expect(writesIn(service.sent)).toEqual(['DELETE /v1/folder/1']);
  });
});

describe('a write without a question', () => {
  const create = ['folder', 'create', '--name', 'Other'];
  const LINE = 'on company 1 (Harbour Coffee), profile prod';

  it.each([
    ['folder create', create],
    ['folder update', ['folder', 'update', '1', '--name', 'Other']],
    ['automation pause', ['automation', 'pause', 'open:1']],
    ['folder delete --yes', ['folder', 'delete', '1', '--yes']],
    ['api PUT', ['api', 'PUT', '/v1/folder/1', '--data', '{"name":"Other"}']],
  ])('svc %s names the account on stderr once on a terminal', async (_, argv) => {
    const run = await runCli(argv, { ...service, env, tty: true });
    expect(run.exitCode).toBe(0);
    expect(run.stderr.split('\n').filter((line) => line === LINE)).toHaveLength(1);
    expect(accountsAsked()).toBe(1);
  });

  it.each([
    ['a write without a terminal', [...create, '-o', 'id'], false],
    ['a write without a terminal, with --yes', ['folder', 'delete', '1', '--yes'], false],
    ['a write with --quiet', [...create, '--quiet', '-o', 'id'], true],
    ['a write with --dry-run', [...create, '--dry-run'], true],
    ['a read', ['folder', 'get', '1', '--fields', 'name'], true],
  ])('%s prints no line and sends no request for it', async (_, argv, tty) => {
    const run = await runCli(argv, { ...service, env, tty });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toContain('company 1');
    expect(accountsAsked()).toBe(0);
  });

  it('does not repeat the account after a question that named it', async () => {
    const run = await runCli(['folder', 'delete', '1'], { ...service, env, tty: true, answers: [true] });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toContain(LINE);
  });

  it('names a partner without a company as a partner', async () => {
    const alone = { ...PARTNER, SVC_COMPANY_ID: undefined };
    const argv = ['account', 'create', '--name', 'New', '--contactemail', 'new@example.com'];
    const run = await runCli(argv, { ...service, env: alone, tty: true });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('on partner 1, from the environment');
  });
});

it('undo names the change and its account', async () => {
  const home = { ...env, SVC_STATE_DIR: join(folder, 'state') };
  const entry = { account_id: IDS.company, contactdata: 'person1@example.com', cdate: 1 };
  await sandbox.put('do_not_contact', entry);
  await runCli(['dnc', 'remove', 'person1@example.com', '--yes'], { ...service, env: home });
  const run = await runCli(['undo'], { ...service, env: home, tty: true, answers: [false] });
  expect(run.questions).toEqual([
    'Really undo 1 (dnc remove: dnc (person1@example.com)): add person1@example.com to Do Not Contact, and delete ' +
      'matching subscribers, of Harbour Coffee (company 1, profile prod)?',
  ]);
});
