/** Contract, "Rehearse": `sandbox clone --from PROFILE` makes a sandbox with the same ids. It uses GET only and copies no personal data. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { dataDirAt } from '../../../../src/sandbox/data/data-dir.ts';
import { refuseUnfinishedClone } from '../../../../src/sandbox/data/unfinished-clone.ts';
import { readClock } from '../../../../src/sandbox/engine/clock.ts';
import { createService } from '../../../../src/sandbox/service.ts';
import { listCompanies } from '../../../../src/sandbox/store/accounts.ts';
import { openStore, type Store } from '../../../../src/sandbox/store/open.ts';
import type { Transport, WireRequest } from '../../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
let requests: WireRequest[];
let store: Store | undefined;
beforeEach(async () => {
  folder = await makeTemporaryFolder('clone');
  demo = await openDemoService();
  requests = [];
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await rm(folder, { recursive: true });
});

const recorded: Transport = (request) => {
  requests.push(request);
  return demo.transport(request);
};
/** The profile's key comes from the environment. */
const svc = (line: string, outside: Outside = {}) =>
  runCli(line.split(' '), {
    cwd: folder,
    transport: recorded,
    ...outside,
    env: { ...demo.admin, SVC_CONFIG_DIR: join(folder, 'config'), ...outside.env },
  });
const CLONE = 'sandbox clone --from shop --data copy -o json';
const addProfile = async (): Promise<void> => {
  const added = await svc(
    'profile add shop --base-url https://api.example.com --company 1 --user 1 --api-key-stdin',
    { stdin: `${demo.admin['SVC_API_KEY']}\n` },
  );
  expect(added.exitCode).toBe(0);
  requests = [];
};
/** Writes a file to the folder of the test, and returns the folder. */
const folderWith = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return folder;
};
/** Runs a command against the clone. */
const inClone = async (line: string) => {
  store ??= await openStore(join(folder, 'copy/sandbox.db'));
  const service = createService(store, {
    machineNow: () => NOW * 1000,
    random: (octets) => crypto.getRandomValues(new Uint8Array(octets)),
    trackingBaseUrl: () => 'http://127.0.0.1:4010',
    report: (_, error) => {
      throw error;
    },
  });
  const [company] = await listCompanies(store.db);
  return runCli(line.split(' '), {
    transport: (request) => service.handle(request),
    env: { ...demo.admin, SVC_API_KEY: company?.api_key },
  });
};

it('copies messages, tasks, rules and folders with their ids', async () => {
  await addProfile();
  const run = await svc(CLONE);
  expect(run.exitCode).toBe(0);
  const result = JSON.parse(run.stdout);
  expect(Object.keys(result)).toEqual([
    ...['dataDir', 'messages', 'tasks', 'rules', 'folders', 'lists', 'unknown'],
  ]);
  expect(result.dataDir).toBe(join(folder, 'copy'));
  for (const noun of ['email', 'sms-message', 'task', 'automation', 'folder', 'link', 'sms-destination']) {
    const namesIn = (stdout: string) =>
      JSON.parse(stdout).map(({ id, kind, name, size, message_id, target }: Record<string, unknown>) => ({
        ...{ id, kind, name, size, message_id, target },
      }));
    const original = namesIn((await svc(`${noun} list -o json`)).stdout);
    expect(original.length).toBeGreaterThan(0);
    expect({ noun, rows: namesIn((await inClone(`${noun} list -o json`)).stdout) }).toEqual({
      noun,
      rows: original,
    });
  }
  const [email] = JSON.parse((await svc('email list -o json')).stdout);
  const [copied] = JSON.parse((await inClone('email list -o json')).stdout);
  expect({ subject: copied.subject, text: copied.text }).toEqual({
    subject: email.subject,
    text: email.text,
  });
});

it('sends only GET, and copies no personal data', async () => {
  await addProfile();
  await svc(CLONE);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(
    requests.map(({ path }) => path).filter((path) => /doNotContact|subscriberProfile/.test(path)),
  ).toEqual([]);
  const users = JSON.parse((await svc('user list -o json')).stdout) as Record<string, unknown>[];
  const database = readFileSync(join(folder, 'copy/sandbox.db'));
  for (const user of users)
    for (const attribute of ['email', 'username', 'lastname', 'msisdn'])
      if (typeof user[attribute] === 'string' && user[attribute].length > 4)
        expect({ text: user[attribute], exists: database.includes(user[attribute]) }).toEqual({
          text: user[attribute],
          exists: false,
        });
  const entries = JSON.parse((await svc('dnc list -o json')).stdout) as { contactdata: string }[];
  expect(entries.length).toBeGreaterThan(0);
  for (const { contactdata } of entries) expect(database.includes(contactdata)).toBe(false);
  store = await openStore(join(folder, 'copy/sandbox.db'));
  const subscribers = JSON.parse((await inClone('account get -o json')).stdout)['subscriber_count'];
  expect(subscribers).toBeGreaterThan(100);
});

// Second attack L12: a summary often repeats to whom a rule sends. The other attributes of notices are replaced as well.
it('copies no address, number and URL of a rule, and keeps the other words of its summary (2-L12)', async () => {
  await addProfile();
  const planted = [
    'planted-address@firm.example',
    '447700911922',
    'planted-secret',
    'other.person@firm.example',
  ];
  const summary =
    'Tell planted-address@firm.example, +44 7700 911922 (or 447700911922) and <other.person@firm.example>: https://firm.example/?k=planted-secret. List 12';
  const rule = {
    ...{ name: 'Planted', summary, paused: true, list_id: 1 },
    ...{ actiontype: 'notify', actiontarget: 'planted-address@firm.example' },
  };
  const notices = {
    ...{ name: 'Planted too', summary, paused: true, list_id: 1, keyword: 'PLANTED' },
    ...{ notifyemail: 'planted-address@firm.example', notifymsisdn: '447700911922' },
    notifyurl: 'https://firm.example/?k=planted-secret',
  };
  for (const [kind, body] of [
    ['subscription', rule],
    ['sms', notices],
  ] as const) {
    const added = await svc(`api POST /v1/${kind}Automation --data @rule.json`, {
      cwd: await folderWith('rule.json', JSON.stringify(body)),
    });
    expect(added.exitCode, added.stdout + added.stderr).toBe(0);
  }
  expect((await svc(CLONE)).exitCode).toBe(0);
  const database = readFileSync(join(folder, 'copy/sandbox.db'));
  expect(planted.filter((text) => database.includes(text))).toEqual([]);
  const rules = JSON.parse((await inClone('automation list -o json')).stdout) as Record<string, unknown>[];
  const copied = rules.filter(({ name }) => String(name).startsWith('Planted'));
  expect(copied).toMatchObject([{ kind: 'subscription' }, { kind: 'sms' }]);
  for (const { summary: words, id } of copied)
    expect(words).toBe(
      `Tell notify-${id}@example.com, 440000000000 (or 440000000000) and <notify-${id}@example.com>: https://example.com/ List 12`,
    );
});

it('needs a known time zone, in which rules act (second attack M7)', async () => {
  await addProfile();
  const withoutZone: Transport = async (request) => {
    const response = await recorded(request);
    return { ...response, body: response.body.replaceAll(/"timezone":"[^"]*"/g, '"timezone":null') };
  };
  const refused = await svc(CLONE, { transport: withoutZone });
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--tz Europe/London')]);
  expect(existsSync(join(folder, 'copy'))).toBe(false);
  expect((await svc(`${CLONE} --tz Asia/Tokyo`, { transport: withoutZone })).exitCode).toBe(0);
  expect(JSON.parse((await inClone('account get -o json')).stdout).timezone).toBe('Asia/Tokyo');
});

it('takes --list-size, and lists unknown facts', async () => {
  await addProfile();
  const { lists, unknown } = JSON.parse((await svc(`${CLONE} --list-size 1=77`)).stdout);
  expect(lists).toContainEqual({ id: 1, size: 77, from: '--list-size' });
  expect(unknown).toContainEqual(expect.stringContaining('Do Not Contact'));
});

// Contract, "Rehearse": the clone has the service's time if the service's clock is ahead, so that sent tasks are in its past.
it.each([
  [
    'manual, with the time of the service, if that is 40 days ahead',
    40 * 86_400,
    'manual',
    NOW + 40 * 86_400,
  ],
  ['that of the machine otherwise', 0, 'real', NOW],
])('has a clock that is %s', async (_, ahead, mode, time) => {
  demo = await openDemoService(NOW + ahead);
  await addProfile();
  const run = await svc(CLONE, { now: NOW });
  expect(run.exitCode).toBe(0);
  store = await openStore(join(folder, 'copy/sandbox.db'));
  expect(await readClock(store.db, NOW * 1000)).toEqual({ mode, time });
});

it('resumes after Ctrl-C without reading anything again, and no sandbox starts there before', async () => {
  await addProfile();
  const controller = new AbortController();
  const interrupted = await svc(CLONE, {
    signal: controller.signal,
    transport: async (request) => {
      if (request.path === '/v1/task') controller.abort(new Error('interrupted'));
      return recorded(request);
    },
  });
  expect([interrupted.exitCode, interrupted.stdout]).toEqual([130, '']);
  expect(existsSync(join(folder, 'copy/sandbox.db'))).toBe(false);
  expect(() => refuseUnfinishedClone(dataDirAt(join(folder, 'copy')))).toThrow('is not finished');
  requests = [];
  const other = await svc(CLONE, { env: { SVC_COMPANY_ID: '1', SVC_USER_ID: '2' } });
  expect(other.exitCode).not.toBe(0);
  requests = [];
  const resumed = await svc(CLONE);
  expect(resumed.exitCode).toBe(0);
  expect(requests.map(({ path }) => path)).not.toContain('/v1/folder');
  expect(requests.map(({ path }) => path)).toContain('/v1/clickAutomation');
  expect(readdirSync(join(folder, 'copy'))).not.toContain('clone');
  expect(() => refuseUnfinishedClone(dataDirAt(join(folder, 'copy')))).not.toThrow();
});

it('refuses a folder that has a sandbox', async () => {
  await addProfile();
  expect((await svc(CLONE)).exitCode).toBe(0);
  const again = await svc(CLONE);
  expect([again.exitCode, again.stdout]).toEqual([expect.any(Number), '']);
  expect(again.stderr).toContain('already holds a sandbox');
});

it('makes no folder if the service cannot be reached', async () => {
  await addProfile();
  const run = await svc(CLONE, {
    transport: async () => {
      throw new TransportError('not-sent', 'refused');
    },
  });
  expect(run.exitCode).toBe(7);
  expect(existsSync(join(folder, 'copy'))).toBe(false);
});
