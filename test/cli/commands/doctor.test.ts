/** `svc doctor`: future problems. `init.test.ts` checks the parts of the setup. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkServiceCertificate } from '../../../src/cli/commands/doctor.ts';
import { openProfileStore } from '../../../src/client/profiles/store.ts';
import { createEngineWorld, type EngineWorld } from '../../support/automation-engine.ts';
import { type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import { IDS, KEYS, NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let world: EngineWorld;
let folder: string;
beforeEach(async () => {
  world = await createEngineWorld();
  folder = await makeTemporaryFolder('doctor');
});
afterEach(() => rm(folder, { recursive: true }));

async function doctor(outside: Outside = {}) {
  const { transport, sent } = serviceOf(world.sandbox);
  const run = await runCli(['doctor', '-o', 'json'], { transport, ...outside });
  const rows: readonly { check: string; ok: boolean; found: string }[] = JSON.parse(run.stdout);
  for (const row of rows) expect(Object.keys(row)).toEqual(['check', 'ok', 'found']);
  expect(sent.every(({ method }) => method === 'GET' || method === 'HEAD')).toBe(true);
  return { ...run, sent, row: (name: string) => rows.find(({ check }) => check === name), rows };
}

const send = async (method: 'POST' | 'DELETE', path: string, body?: object) =>
  expect((await world.sandbox.send('admin', method, `/v1/${path}`, body)).status).toBeLessThan(300);
const task = (more: object = {}) =>
  send('POST', 'task', {
    ...{ channel: 'email', message_id: world.things.email, name: 'Spring sale', list_id: world.things.list },
    ...{ search_id: null, scheduledtime: NOW + 2 * 86_400, ...more },
  });

describe('the account', () => {
  it('has no findings if nothing is scheduled', async () => {
    const { exitCode, row } = await doctor();
    expect(exitCode).toBe(0);
    expect(row('scheduled tasks')?.found).toBe('none');
    expect(row('deleted messages')?.found).toBe('all messages of scheduled tasks exist');
    expect(row('rules')?.found).toBe('none');
  });

  it('names the next task, with a warning if it starts in less than an hour', async () => {
    await task();
    expect((await doctor()).row('scheduled tasks')?.found).toBe('1; next: task 1 (Spring sale), in 2 days');
    await task({ scheduledtime: NOW + 1200 });
    const { exitCode, row } = await doctor();
    expect([exitCode, row('scheduled tasks')]).toEqual([
      0,
      {
        check: 'scheduled tasks',
        ok: true,
        found: 'careful: 2; next: task 2 (Spring sale), in 20 minutes; to stop it, run svc task cancel 2',
      },
    ]);
  });

  // Interface, "States": message | DELETE while a task references it | soft deleted: still available to the task.
  it.each(['email', 'sms'] as const)(
    'finds a deleted %s message that is still to be sent',
    async (channel) => {
      const message = world.things[channel];
      await task({ channel, message_id: message });
      await send('DELETE', `${channel}Message/${message}`);
      const { exitCode, row } = await doctor();
      const noun = channel === 'email' ? 'email' : 'sms-message';
      expect([exitCode, row('deleted messages')?.ok, row('deleted messages')?.found]).toEqual([
        0,
        true,
        `careful: task 1 (Spring sale) sends ${noun} ${message}: the message is deleted, but the task is still scheduled; to stop it, run svc task cancel 1`,
      ]);
    },
  );

  it('ignores sent and cancelled tasks', async () => {
    await task({ scheduledtime: NOW });
    await world.advance(60);
    await send('DELETE', `emailMessage/${world.things.email}`);
    expect((await doctor()).row('deleted messages')?.found).toBe('all messages of scheduled tasks exist');
  });

  // Interface, "Errors", 409 subcode 12.
  it('finds a paused rule whose message was deleted', async () => {
    await world.rule('open', { paused: 1, message_id: world.things.deletedEmail });
    await world.rule('open', { paused: 1 });
    const { exitCode, row } = await doctor();
    expect([exitCode, row('rules')?.ok, row('rules')?.found]).toEqual([
      0,
      true,
      `careful: open:1 needs message_id ${world.things.deletedEmail}: this record is deleted, so the rule cannot run; ` +
        'run svc why automation open:1',
    ]);
  });

  it('finds an active rule whose message was deleted', async () => {
    await world.rule('open', { message_id: world.things.deletedEmail });
    expect((await doctor()).row('rules')?.found).toContain(
      `careful: open:1 needs message_id ${world.things.deletedEmail}: this record is deleted, so the rule cannot run`,
    );
  });

  // Interface, "States": automation rule | deletion of its list | paused. Lists are not shown.
  it('names a paused rule whose list may have been deleted', async () => {
    await world.rule('subscription', { paused: 1 });
    expect((await doctor()).row('rules')?.found).toBe(
      '1 rule; svc cannot check whether the lists of these rules exist: subscription:1',
    );
  });

  it.each([40, 60, 80])('continues a warning in full on the next line at %i columns', async (columns) => {
    await task({ scheduledtime: NOW + 1200 });
    const { transport } = serviceOf(world.sandbox);
    const { stdout, stderr } = await runCli(['doctor'], { transport, tty: true, columns });
    const own = stdout.slice(stdout.indexOf('scheduled tasks'), stdout.indexOf('deleted messages'));
    expect(
      stripVTControlCharacters(own)
        .replace(/^scheduled tasks/, '')
        .replace(/\s+/g, ' '),
    ).toBe(' warn careful: 1; next: task 1 (Spring sale), in 20 minutes; to stop it, run svc task cancel 1 ');
    expect(stderr).toBe('');
  });

  it('sends at most 70 requests, however many records there are', async () => {
    const { email, list } = world.things;
    for (let index = 0; index < 120; index += 1) {
      const message = await world.sandbox.put('email_message', {
        ...{
          account_id: IDS.company,
          user_id: IDS.admin,
          name: 'M',
          fromname: 'O',
          replyemail: 'o@example.com',
        },
        ...{ html: '', text: '', subject: '', cdate: NOW, mdate: NOW },
      });
      await task({ message_id: message, list_id: list });
      await world.rule('click', {
        paused: 1,
        message_id: message,
        actiontype: 'email_autoresponder',
        actiontarget: String(email),
      });
    }
    const { sent, row, exitCode } = await doctor();
    expect(exitCode).toBe(0);
    expect(row('deleted messages')?.found).toBe(
      'all messages of scheduled tasks exist among the 20 that are sent next',
    );
    expect(sent.length).toBeLessThanOrEqual(70);
  });
});

describe('files', () => {
  const outside = (): Outside => ({
    env: { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
  });

  it.each([
    ['config/config.json', 0o644, 'profiles', 'chmod 600'],
    ['config', 0o777, 'profiles', 'chmod 700'],
    ['state/journal', 0o777, 'journal', 'chmod 700'],
    ['state/journal/journal.ndjson', 0o666, 'journal', 'chmod 600'],
  ])('names chmod for %s that is open to others (%o)', async (path, mode, check, hint) => {
    const configDir = join(folder, 'config');
    const store = openProfileStore({ configDir, platform: process.platform });
    const ids = { companyId: IDS.company, userId: IDS.admin, apiKey: KEYS.company };
    await store.save({ name: 'prod', kind: 'company', baseUrl: 'https://api.example.com', ...ids });
    mkdirSync(join(folder, 'state/journal'), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'state/journal/journal.ndjson'), '', { mode: 0o600 });
    expect((await doctor(outside())).exitCode).toBe(0);
    chmodSync(join(folder, path), mode);
    const { exitCode, row, stderr } = await doctor(outside());
    expect([exitCode, row(check)?.ok]).toEqual([1, false]);
    expect(stderr).toContain(`${hint} ${join(folder, path)}`);
  });
});

describe('the connection to the service', () => {
  const env = (more: Readonly<Record<string, string>>): Outside => ({ env: more });

  it.each([
    [{}, 'none'],
    [
      { HTTPS_PROXY: 'http://user:secret@proxy.example:3128' },
      'proxy.example:3128 (HTTPS_PROXY), to api.example.com:443',
    ],
    [
      { https_proxy: 'http://proxy.example:3128' },
      'proxy.example:3128 (https_proxy), to api.example.com:443',
    ],
    [
      { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '.example.com' },
      'svc uses no proxy: HTTPS_PROXY is set, but NO_PROXY excludes the host of the service from the proxy',
    ],
    [
      { HTTPS_PROXY: 'http://proxy.example:3128', SVC_BASE_URL: 'http://127.0.0.1:4010' },
      'svc uses no proxy: HTTPS_PROXY is set, but the address is on this machine',
    ],
  ])('contract, "Global flags": with %j the proxy is %s', async (variables, found) => {
    const { exitCode, row, stdout } = await doctor(env(variables));
    expect([exitCode, row('proxy')]).toEqual([0, { check: 'proxy', ok: true, found }]);
    expect(stdout).not.toContain('secret');
  });

  it('rejects a proxy that is not an address', async () => {
    const { exitCode, row } = await doctor(env({ HTTPS_PROXY: 'proxy.example:3128' }));
    expect([exitCode, row('proxy')?.ok]).toEqual([2, false]);
  });

  it('says that plain http needs no certificate', async () => {
    expect((await doctor(env({ SVC_BASE_URL: 'http://127.0.0.1:4010' }))).row('tls')?.found).toBe(
      'TLS is not used: plain http on this machine',
    );
  });

  it.each([
    ['missing.pem', undefined, /ignored: cannot read .*missing\.pem \(ENOENT\); correct the path/],
    [
      'empty.pem',
      'nothing',
      /Node\.js ignores .*empty\.pem, because the file has no certificate; use a file in PEM format/,
    ],
  ])('NODE_EXTRA_CA_CERTS: %s is a warning, not a failure', async (name, text, found) => {
    const path = join(folder, name);
    if (text !== undefined) writeFileSync(path, text);
    const { exitCode, row } = await doctor(env({ NODE_EXTRA_CA_CERTS: path }));
    expect([exitCode, row('NODE_EXTRA_CA_CERTS')]).toEqual([
      0,
      { check: 'NODE_EXTRA_CA_CERTS', ok: true, found: expect.stringMatching(found) },
    ]);
  });

  const shown = (days: number) => ({ validUntil: NOW + days * 86_400, authority: 'Tests', isPrivate: false });

  it.each([
    [shown(60), 'the certificate expires 2027-01-30 09:00 UTC, in 60 days; signed by Tests'],
    [
      shown(9),
      'careful: the certificate expires 2026-12-10 09:00 UTC, in 9 days, signed by Tests; ask the operators of the service to renew the certificate',
    ],
    [
      { ...shown(60), isPrivate: true },
      'the certificate expires 2027-01-30 09:00 UTC, in 60 days; signed by Tests, a private authority that this machine trusts',
    ],
  ])('shows when the certificate expires, and who signed it', (certificate, found) => {
    expect(checkServiceCertificate(certificate, NOW)).toMatchObject({ ok: true, found });
  });

  it('exits with 7 for an untrusted certificate, and says what to do', () => {
    const problem = { words: 'TLS: the certificate of a.example:443 has expired', advice: 'Renew it.' };
    expect(() => checkServiceCertificate({ ...shown(-1), problem }, NOW)).toThrow(
      expect.objectContaining({ exit: 7, message: problem.words, hints: ['Renew it.'] }),
    );
  });
});
