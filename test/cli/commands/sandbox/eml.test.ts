import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMAIL } from '../../../support/messages.ts';
import { runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let ids: readonly string[];
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', companions: true });
  await deliver();
  const listed = (await sandbox.control('outbox list')).json.data as {
    id: string;
    channel: string;
    to: string;
  }[];
  ids = listed
    .filter(({ channel, to }) => channel === 'email' || (channel === 'notification' && to.includes('@')))
    .map(({ id }) => id);
  expect([listed.length, ids.length]).toEqual([4, 3]);
});

/** Delivers three e-mails of a task, and an SMS. The demo company has five hundred e-mails, and each is a request. */
async function deliver(): Promise<void> {
  const create = async (resource: string, body: object): Promise<number> => {
    const { status, text, json } = await sandbox.api('POST', `/v1/${resource}`, body);
    expect([200, 202], text).toContain(status);
    return json.response.data.id;
  };
  await sandbox.control('credits set', { email: 3, sms: 1 });
  const list_id = await create('list', { name: 'List' });
  for (const name of ['ann', 'bob', 'eve']) {
    const subscriber_id = await create('subscriber', { email: `${name}@example.com` });
    await create('subscription', { list_id, subscriber_id });
  }
  const message_id = await create('emailMessage', EMAIL);
  const { time } = (await sandbox.control('clock show')).json.data;
  const task = { channel: 'email', message_id, name: 'Sale', list_id, search_id: null };
  await create('task', { ...task, scheduledtime: time + 3600 });
  await create('sms', { msisdn: '447700900123', fromaddress: 'Example', message: 'Hi' });
  const advanced = await sandbox.control('clock advance', { seconds: 7200 });
  expect(advanced.status, advanced.text).toBe(200);
}

afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const svc = (...argv: string[]) =>
  runCli(['sandbox', ...argv, '--data', folder.path], { env: { SVC_COMPANY_ID: undefined } });

describe('outbox show --eml', () => {
  it('prints the e-mail as it was sent, and nothing else', async () => {
    const id = ids.find((each) => each.startsWith('t')) ?? '';
    const { stdout, stderr, exitCode } = await svc('outbox', 'show', id, '--eml');
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect((await simpleParser(stdout)).messageId).toBe(`<1.${id}@sandbox.invalid>`);
    const asJson = await svc('outbox', 'show', id, '--eml', '-o', 'json');
    expect(JSON.parse(asJson.stdout)).toEqual({ id, eml: stdout });
  });

  // Contract, Output: text that came from the service never reaches the terminal as control sequences.
  it('escapes it on a terminal', async () => {
    const id = ids.find((each) => each.startsWith('t')) ?? '';
    const { stdout } = await runCli(['sandbox', 'outbox', 'show', id, '--eml', '--data', folder.path], {
      tty: true,
      env: { SVC_COMPANY_ID: undefined },
    });
    expect(stdout).toMatch(/^[^\r]*\n$/);
  });

  it('reports an unknown e-mail', async () => {
    expect(await svc('outbox', 'show', 'd999999', '--eml')).toMatchObject({ stdout: '', exitCode: 4 });
  });
});

describe('outbox export', () => {
  it('writes each e-mail once, readable only by this user, and overwrites nothing', async () => {
    const dir = join(dirname(folder.path), 'mails');
    const first = await svc('outbox', 'export', '--dir', dir, '-o', 'json');
    expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([
      0,
      { dir, written: ids.length, existing: 0 },
    ]);
    expect(readdirSync(dir).sort()).toEqual(ids.map((id) => `${id}.eml`).sort());
    const [id = ''] = ids;
    const file = join(dir, `${id}.eml`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'latin1')).toBe((await svc('outbox', 'show', id, '--eml')).stdout);
    writeFileSync(file, 'mine');
    const second = await svc('outbox', 'export', '--dir', dir, '-o', 'json');
    expect([second.exitCode, JSON.parse(second.stdout)]).toEqual([
      8,
      { dir, written: 0, existing: ids.length },
    ]);
    expect(readFileSync(file, 'latin1')).toBe('mine');
  });

  it('requires --dir, and writes nothing with --dry-run', async () => {
    expect((await svc('outbox', 'export')).exitCode).toBe(2);
    const dir = join(dirname(folder.path), 'dry');
    mkdirSync(dir);
    expect((await svc('outbox', 'export', '--dir', dir, '--dry-run')).exitCode).toBe(0);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('sandbox snapshot', () => {
  it('saves, lists, restores and deletes', async () => {
    const saved = await svc('snapshot', 'save', 'base', '-o', 'json');
    expect([saved.exitCode, JSON.parse(saved.stdout).name]).toEqual([0, 'base']);
    expect((await svc('snapshot', 'save', 'base')).exitCode).toBe(5);
    const listed = await svc('snapshot', 'list', '-o', 'json');
    expect(JSON.parse(listed.stdout)).toEqual([JSON.parse(saved.stdout)]);
    expect((await svc('snapshot', 'restore', 'base')).exitCode).toBe(2);
    const restored = await svc('snapshot', 'restore', 'base', '--yes', '-o', 'json');
    expect([restored.exitCode, JSON.parse(restored.stdout)]).toMatchObject([0, { name: 'base' }]);
    expect((await svc('snapshot', 'restore', 'none', '--yes')).exitCode).toBe(4);
    expect((await svc('snapshot', 'delete', 'base', '--yes')).exitCode).toBe(0);
    expect(JSON.parse((await svc('snapshot', 'list', '-o', 'json')).stdout)).toEqual([]);
  });
});
