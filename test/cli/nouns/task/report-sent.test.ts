/**
 * `task report` for a sandbox on this machine, which knows how many messages were sent and left out. The interface does not report these
 * numbers.
 */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProfileStore } from '../../../../src/client/profiles/store.ts';
import { runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let configDir: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', machineNow: () => NOW * 1000, seed: 'demo' });
  configDir = await makeTemporaryFolder('report-sent');
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

const svc = async (...argv: readonly string[]) => {
  const run = await runCli(argv, {
    transport: (request) => sandbox.service.handle(request),
    env: { ...FROM_PROFILE, SVC_CONFIG_DIR: configDir, LANG: 'C.UTF-8', NO_COLOR: '1' },
    now: NOW,
    columns: 80,
  });
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  return run.stdout;
};

/** Returns a completed task of the demo company that left people out, with the numbers of the control plane. */
async function sentTask(): Promise<{ readonly id: number; readonly sent: number; readonly skipped: number }> {
  const { json } = await sandbox.api('POST', '/v1/task', {
    ...{
      name: 'Spring',
      channel: 'email',
      message_id: 1,
      list_id: 1,
      search_id: null,
      scheduledtime: NOW + 3600,
    },
  });
  const { id } = json.response.data;
  await sandbox.control('clock advance', { seconds: 86_400 });
  const known = await sandbox.control('task show', { id });
  return known.json.data;
}

it('shows how many messages were sent beside the subscriptions, and who was left out', async () => {
  const { id, sent, skipped } = await sentTask();
  expect(sent).toBeGreaterThan(0);
  expect(skipped).toBeGreaterThan(0);
  const report = await svc('task', 'report', String(id));
  const size = sent + skipped;
  expect(report).toMatch(new RegExp(`^subscriptions +${size} `, 'm'));
  expect(report).toMatch(new RegExp(`^sent +${sent} +${((100 * sent) / size).toFixed(1)}% `, 'm'));
  const words = report.replaceAll('\n', ' ');
  expect(words).toContain(
    `Shares are of the subscriptions when the task was created; ${skipped} got no message: svc sandbox task skipped ${id}.`,
  );
  expect(words).not.toContain('does not report how many messages were sent');
});

it('does not change the numbers in the output for scripts', async () => {
  const { id } = await sentTask();
  const rows = JSON.parse(await svc('task', 'report', String(id), '-o', 'json'));
  expect(rows.map(({ statistic }: { statistic: string }) => statistic)).toEqual([
    ...['size', 'opens', 'clicks', 'bounces', 'unsubscriptions', 'complaints'],
  ]);
});

it('is the same as for any service if the control plane does not respond', async () => {
  const { id } = await sentTask();
  await rm(`${folder.path}/sandbox.json`);
  const report = await svc('task', 'report', String(id));
  expect(report).not.toMatch(/^sent /m);
  expect(report.replaceAll('\n', ' ')).toContain('does not report how many messages were sent');
});

it('does not show them for a task that has not started', async () => {
  const { json } = await sandbox.api('POST', '/v1/task', {
    ...{
      name: 'Later',
      channel: 'email',
      message_id: 1,
      list_id: 1,
      search_id: null,
      scheduledtime: NOW + 3600,
    },
  });
  expect(await svc('task', 'report', String(json.response.data.id))).not.toMatch(/^sent /m);
});
