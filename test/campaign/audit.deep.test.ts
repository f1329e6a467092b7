/**
 * Contract, "Audit": compares ten tasks with each of many signed plans, and prints the duration. The aim is 10 seconds for 5,000 tasks
 * and 500 plans on an idle machine. `SVC_AUDIT_PLANS` sets another number of plans.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  computePossibleHashesOfMessage,
  computeWantedTaskHash,
} from '../../src/features/campaign/content.ts';
import { computeCampaignNameHash, computeItemKeyHash } from '../../src/features/campaign/marks.ts';
import type { WantedTask } from '../../src/features/campaign/model.ts';
import { formatPlanFile, makePlan, type PlanParts } from '../../src/features/campaign/plan-file/plan-file.ts';
import { appendCampaignMark } from '../../src/service/resources/campaign-mark.ts';
import { depth } from '../support/depth.ts';
import { putEmail, putList } from '../support/messages.ts';
import { planParts } from '../support/plans.ts';
import { NOBODY, runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, NOW } from '../support/sandbox.ts';
import { makeKey, putSignature, type SshKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const PLANS = depth('SVC_AUDIT_PLANS', { few: 20, full: 500 });
const EACH = 10;

let folder: string;
let key: SshKey;
beforeAll(async () => {
  folder = await makeTemporaryFolder('audit');
  key = await makeKey(folder, 'ada');
});
afterAll(() => removeFolder(folder));

const taskOf = (plan: number, at: number): WantedTask => ({
  ...{ kind: 'task', key: `send-${at}`, name: `Send ${plan}-${at}`, channel: 'email', message: { id: '1' } },
  ...{
    list: '1',
    search: null,
    at: new Date(timeOf(plan, at) * 1000).toISOString().replace('.000', ''),
    rate: null,
    expectSize: null,
    maxCredits: null,
    hold: null,
  },
});
const timeOf = (plan: number, at: number): number => NOW + 86_400 + plan * 600 + at * 30;

function partsOf(plan: number, content: string): PlanParts {
  const tasks = Array.from({ length: EACH }, (_, at) => taskOf(plan, at));
  return {
    ...planParts,
    campaign: `campaign-${plan}`,
    inputs: { ...planParts.inputs, wanted: { campaign: `campaign-${plan}`, company: 1, items: tasks } },
    observed: {
      items: Object.fromEntries(tasks.map(({ key: name }) => [`task ${name}`, []])),
      references: Object.fromEntries(
        tasks.map(({ key: name }) => [`task ${name} message`, { id: '1', content }]),
      ),
    },
    steps: tasks.map(({ key: name, name: title }, at) => ({
      ...{ action: 'create', kind: 'task', key: name, name: title, time: timeOf(plan, at) },
      ...{ size: null, credits: null },
    })),
  } as PlanParts;
}

it('compares ten tasks with each signed plan', async () => {
  const sandbox = await createTestSandbox();
  await putList(sandbox);
  await putEmail(sandbox, { name: 'News' });
  const message = await sandbox.send('admin', 'GET', '/v1/emailMessage/1');
  const [seen = ''] = computePossibleHashesOfMessage('email', 'News', message.data, []);
  const plans = join(folder, 'plans');
  await mkdir(plans);
  await writeFile(join(folder, 'team.signers'), `ada@example.com ${key.line}\n`);
  for (let plan = 0; plan < PLANS; plan += 1) {
    const parts = partsOf(plan, seen);
    const path = join(plans, `${plan}.plan`);
    await writeFile(path, formatPlanFile(parts));
    await putSignature(path, 'ada', key, makePlan(parts).sha256);
    for (let at = 0; at < EACH; at += 1) {
      const wanted = taskOf(plan, at);
      const content = computeWantedTaskHash(wanted, 'id:1', timeOf(plan, at));
      const mark = {
        campaignHash: computeCampaignNameHash(parts.campaign),
        keyHash: computeItemKeyHash('task', wanted.key),
        contentHashOrReason: content,
      };
      // Every hundredth task has another time than the approved one.
      const time = timeOf(plan, at) + ((plan * EACH + at) % 100 === 0 ? 3600 : 0);
      await sandbox.put('task', {
        ...{
          account_id: IDS.company,
          user_id: IDS.admin,
          channel: 'email',
          message_id: 1,
          list_id: 1,
          search_id: null,
        },
        ...{
          name: appendCampaignMark(wanted.name, mark),
          scheduledtime: time,
          due: time,
          size: 1,
          cdate: NOW,
        },
      });
    }
  }
  const { transport } = serviceOf(sandbox);
  const svc = (argv: readonly string[], stdin = '') =>
    runCli(argv, {
      ...{ cwd: folder, transport, stdin },
      env: { ...NOBODY, PATH: process.env['PATH'], SVC_CONFIG_DIR: join(folder, 'config') },
    });
  const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
  await svc([...add, '--user', '1', '--no-check', '--api-key-stdin'], KEYS.company);
  const begun = performance.now();
  const run = await svc(['audit', '--plans', 'plans', '--signers', 'team.signers', '-o', 'json']);
  const seconds = (performance.now() - begun) / 1000;
  console.log(`audit: ${PLANS * EACH} tasks and ${PLANS} plans in ${seconds.toFixed(1)} s`);
  expect(run.exitCode, run.stderr).toBe(0);
  const rows = JSON.parse(run.stdout) as readonly { readonly verdict: string }[];
  const count = (verdict: string): number => rows.filter((row) => row.verdict === verdict).length;
  const [tasks, changed] = [PLANS * EACH, (PLANS * EACH) / 100];
  expect([rows.length, count('approved'), count('changed'), count('unapproved')]).toEqual([
    ...[tasks, tasks - changed, changed, 0],
  ]);
}, 280_000);
