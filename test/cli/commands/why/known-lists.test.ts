/** `svc why` for a sandbox on this machine, whose control plane shows the lists that the interface does not. */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProfileStore } from '../../../../src/client/profiles/store.ts';
import type { JsonObject } from '../../../../src/service/protocol/envelope.ts';
import { runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let configDir: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', machineNow: () => NOW * 1000 });
  configDir = await makeTemporaryFolder('why');
  const { baseUrl, company, controlToken } = sandbox.ready;
  await openProfileStore({ configDir, platform: process.platform }).save({
    ...{ name: 'sandbox', kind: 'company', baseUrl },
    ...{ companyId: company.id, userId: company.adminUserId, apiKey: company.apiKey },
    sandbox: { dataDir: folder.path, controlToken },
  });
});
afterEach(async () => {
  await sandbox.stop();
  await folder.remove();
  await rm(configDir, { recursive: true });
});

const FROM_PROFILE = {
  ...{ SVC_BASE_URL: undefined, SVC_COMPANY_ID: undefined, SVC_USER_ID: undefined, SVC_API_KEY: undefined },
};

async function run(...argv: readonly string[]) {
  return runCli(argv, {
    transport: (request) => sandbox.service.handle(request),
    env: { ...FROM_PROFILE, SVC_CONFIG_DIR: configDir },
    now: NOW,
  });
}
async function why(...words: readonly string[]): Promise<JsonObject> {
  const { stdout, exitCode, stderr } = await run('why', ...words, '-o', 'json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const made = async (method: string, target: string, body: object): Promise<number> =>
  (await sandbox.api(method, target, body)).json.response.data.id;
const folderNamed = (name: string) => made('POST', '/v1/folder', { name });
const list = async (name: string, inFolder: number, permanent = false): Promise<number> =>
  (await sandbox.control('list create', { name, folder: inFolder, permanent })).json.data.id;
const remove = async (id: number) => (await sandbox.api('DELETE', `/v1/folder/${id}`)).json;

const UNLOCKED = { locked: false, by: [], free: null };
const HOLD = 600 + 72 * 3600;

async function taskTo(list_id: number): Promise<number> {
  const message_id = await made('POST', '/v1/smsMessage', {
    fromname: 'Office',
    message: 'Hi',
    name: 'Text',
  });
  const times = { scheduledtime: NOW + 600, search_id: null };
  return made('POST', '/v1/task', { channel: 'sms', message_id, name: 'Spring sale', list_id, ...times });
}

// Interface, "Errors": 423 | 5 | Folder contains List $id which is permanent.
it('shows that a permanent list locks its folder and itself forever', async () => {
  const id = await folderNamed('News');
  const permanent = await list('Members', id, true);
  const answer = {
    locked: true,
    by: [{ kind: 'list', id: permanent, name: 'Members', until: null }],
    free: null,
  };
  expect(await why('folder', String(id))).toEqual(answer);
  expect(await why('list', 'Members')).toEqual(answer);
  await sandbox.control('clock set', { time: NOW + 10 * 365 * 86_400 });
  expect((await remove(id)).response).toMatchObject({ code: 423, subcode: 5 });
});

// Interface, "Errors": 423 | 4, and folder DELETE: "as if each had been deleted".
it('leaves out tasks to lists of other folders, and the lock ends at the predicted time', async () => {
  const [news, other] = [await folderNamed('News'), await folderNamed('Other')];
  const held = await list('Readers', news);
  await list('Guests', other);
  const id = await taskTo(held);
  const until = NOW + HOLD;
  const answer = { locked: true, by: [{ kind: 'task', id, name: 'Spring sale', until }], free: until };
  expect(await why('folder', String(other))).toEqual(UNLOCKED);
  expect(await why('folder', 'News')).toEqual(answer);
  expect(await why('list', String(held))).toEqual(answer);
  await sandbox.control('clock set', { time: until - 1 });
  expect((await sandbox.control('list delete', { id: held })).status).toBe(409);
  expect((await remove(news)).response).toMatchObject({ code: 423, subcode: 4 });
  await sandbox.control('clock set', { time: until });
  expect(await why('list', String(held))).toEqual(UNLOCKED);
  expect(await why('folder', 'News')).toEqual(UNLOCKED);
  expect((await remove(news)).status).toBe('ok');
});

// Interface, "States": automation rule | active | deletion of its list or the list's folder | paused.
it('names the deleted list of a rule, which cannot be resumed', async () => {
  const id = await folderNamed('News');
  const [gone, there] = [await list('Gone', id), await list('There', id)];
  const rule = {
    list_id: gone,
    actiontype: 'notify',
    actiontarget: 'a@example.com',
    name: 'R',
    summary: null,
  };
  await made('POST', '/v1/subscriptionAutomation', rule);
  await sandbox.control('list delete', { id: gone });
  const missing = { kind: 'list', id: gone, name: null, until: null };
  expect(await why('automation', 'subscription:1')).toEqual({ locked: true, by: [missing], free: null });
  expect(
    (await sandbox.api('PUT', '/v1/subscriptionAutomation/1', { paused: false })).json.response,
  ).toMatchObject({
    code: 409,
    subcode: 12,
  });
  await sandbox.api('PUT', '/v1/subscriptionAutomation/1', { list_id: there });
  expect(await why('automation', 'subscription:1')).toEqual(UNLOCKED);
  expect((await sandbox.api('PUT', '/v1/subscriptionAutomation/1', { paused: false })).status).toBe(200);
});

it('exits with 4 for an unknown list', async () => {
  expect((await run('why', 'list', '99')).exitCode).toBe(4);
  expect((await run('why', 'list', 'Nobody')).exitCode).toBe(4);
});
