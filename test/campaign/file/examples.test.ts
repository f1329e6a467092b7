/** Design: "campaign files … that run as they stand": the files in examples/, against the demo company of the sandbox. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/requests/client.ts';
import {
  type ParsedCampaign,
  readCampaign,
  readCampaignFile,
} from '../../../src/features/campaign/file/read.ts';
import type { WantedTask } from '../../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../../src/features/campaign/observe.ts';
import { planCampaign } from '../../../src/features/campaign/plan/plan.ts';
import { CAMPAIGN_EXAMPLE } from '../../../src/features/explain/campaign-page.ts';
import { moveClock } from '../../../src/sandbox/engine/clock.ts';
import { virtualClock } from '../../client/fakes.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';

const FOLDER = fileURLToPath(new URL('../../../examples/campaign', import.meta.url));
const SERIES = fileURLToPath(new URL('../../../examples/series', import.meta.url));
const SEQUENCE = fileURLToPath(new URL('../../../examples/sequence', import.meta.url));

it('the example of svc explain campaign is read without faults', async () => {
  const found = await readCampaign(
    { path: 'spring.yaml', octets: Buffer.from(CAMPAIGN_EXAMPLE) },
    {
      env: {},
      set: new Map([['day', '2027-03-20']]),
      readContent: async () => ({ octets: Buffer.from('Hello') }),
    },
  );
  expect(found).toMatchObject({ campaign: { campaign: 'Spring sale', items: { length: 3 } } });
});

describe('examples/campaign/spring.yaml', () => {
  let demo: DemoService;
  let read: ParsedCampaign;
  beforeAll(async () => {
    demo = await openDemoService();
    const found = await readCampaignFile('spring.yaml', {
      cwd: FOLDER,
      env: {},
      set: new Map(),
      limits: { ownFolders: [], secrets: [] },
    });
    if ('faults' in found) throw new Error(JSON.stringify(found.faults));
    read = found;
  });

  it('is read without faults, and is valid for the demo company', () => {
    expect(read.campaign.company).toBe(1);
    expect([...new Set(read.campaign.items.map(({ kind }) => kind))]).toEqual([
      'message',
      'task',
      'automation',
    ]);
  });

  it('creates every item, whatever the time', async () => {
    const client = createClient({
      credentials: {
        kind: 'company',
        companyId: 1,
        userId: 1,
        apiKey: String(demo.admin['SVC_API_KEY']),
      },
      transport: demo.transport,
      random: randomBytes,
      clock: virtualClock(NOW * 1000),
    });
    const observed = await readAllRecordsForCampaign(client, read.campaign);
    const options = { overwrite: false, prune: false, zone: 'Europe/London' };
    for (let days = 0; days < 7; days += 1) {
      const { steps } = planCampaign(
        read.campaign,
        { ...observed, now: NOW + days * 86_400 + 54_000 },
        options,
      );
      expect(steps.map(({ action }) => action)).toEqual(read.campaign.items.map(() => 'create'));
    }
  });

  it('expects the sizes of the lists', async () => {
    const tasks = read.campaign.items.filter((item): item is WantedTask => item.kind === 'task');
    expect(tasks).toHaveLength(2);
    for (const { list, expectSize } of tasks) {
      const size = `${expectSize?.from}..${expectSize?.to}`;
      const line = ['task', 'create', '--name', 'x', '--channel', 'email', '--message', '1', '--at', '+2d'];
      const run = await runCli([...line, '--list', String(list), '--expect-size', size, '-o', 'json'], {
        transport: demo.transport,
        env: demo.admin,
      });
      expect(run).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(run.stdout)).toMatchObject({ list_id: Number(list), cancelled: false });
    }
  });
});

describe('examples/sequence/welcome.yaml', () => {
  it('is applied as it stands, and has nothing to do afterwards', async () => {
    const demo = await openDemoService();
    const svc = (line: string) =>
      runCli(line.split(' '), { cwd: SEQUENCE, transport: demo.transport, env: demo.admin });
    expect(await svc('apply welcome.yaml --yes')).toMatchObject({ exitCode: 0 });
    expect(await svc('plan welcome.yaml --check')).toMatchObject({ exitCode: 0 });
    const { stdout } = await svc('automation list --all -o json');
    const rules: readonly Readonly<Record<string, unknown>>[] = JSON.parse(stdout);
    expect(
      rules.flatMap(({ name, actiontimediff, actionhour, list_id, actiontype }) =>
        String(name).startsWith('Club welcome, step ')
          ? [[list_id, actiontimediff, actionhour, actiontype]]
          : [],
      ),
    ).toEqual([
      [2, 0, null, 'email_autoresponder'],
      [2, 3 * 1440, '10:00:00', 'email_autoresponder'],
      [2, 10 * 1440, '10:00:00', 'sms_autoresponder'],
    ]);
  });

  it('is rehearsed: everybody who joins gets each step on its day', async () => {
    const demo = await openDemoService();
    const { stdout, exitCode } = await runCli(['rehearse', 'welcome.yaml', '-o', 'json'], {
      ...{ cwd: SEQUENCE, transport: demo.transport, env: demo.admin },
    });
    expect(exitCode).toBe(0);
    const [sequence, ...others] = JSON.parse(stdout).sequences;
    expect(others).toEqual([]);
    expect(sequence).toMatchObject({ key: 'welcome', name: 'Club welcome', list: 2 });
    const [hello, tips, voucher] = sequence.steps;
    expect(hello.sent).toBeGreaterThan(100);
    for (const step of [hello, tips, voucher]) {
      expect(step).toMatchObject({ sent: hello.sent, queued: 0 });
      const inDays = step.days.map(({ sent }: { sent: number }) => sent);
      expect(inDays.reduce((sum: number, sent: number) => sum + sent, 0)).toBe(step.sent);
    }
    expect(tips.days[0].first - hello.days[0].first).toBeGreaterThan(2 * 86_400);
    // It is not sent at weekends.
    for (const { day } of voucher.days) expect([0, 6]).not.toContain(new Date(day).getUTCDay());
  });
});

describe('examples/series/news.yaml', () => {
  it('is applied as it stands, and a run in the next week creates one more time', async () => {
    const demo = await openDemoService();
    const svc = (line: string) =>
      runCli(line.split(' '), { cwd: SERIES, transport: demo.transport, env: demo.admin });
    const monday = async (): Promise<readonly unknown[]> => {
      const { stdout } = await svc('task list --all --sort id -o json');
      const tasks: readonly Readonly<Record<string, unknown>>[] = JSON.parse(stdout);
      return tasks.flatMap(({ name, size, scheduledtime }) =>
        String(name).startsWith('Weekly news [')
          ? [[size, new Date(Number(scheduledtime) * 1000).getUTCDay()]]
          : [],
      );
    };
    expect(await svc('apply news.yaml --yes')).toMatchObject({ exitCode: 0 });
    expect(await svc('plan news.yaml --check')).toMatchObject({ exitCode: 0 });
    expect(await monday()).toEqual(Array.from({ length: 4 }, () => [447, 1]));
    await moveClock(demo.db, NOW + 8 * 86_400, NOW * 1000);
    expect(await svc('plan news.yaml --check')).toMatchObject({ exitCode: 11 });
    expect(await svc('apply news.yaml --yes')).toMatchObject({ exitCode: 0 });
    expect((await monday()).length).toBeGreaterThan(4);
    expect(await svc('plan news.yaml --check')).toMatchObject({ exitCode: 0 });
  });

  it('is rehearsed with each time until the end of the rehearsal', async () => {
    const demo = await openDemoService();
    const { stdout, exitCode } = await runCli(['rehearse', 'news.yaml', '--for', '60d', '-o', 'json'], {
      ...{ cwd: SERIES, transport: demo.transport, env: demo.admin },
    });
    expect(exitCode).toBe(0);
    const [series, ...others] = JSON.parse(stdout).series;
    expect(others).toEqual([]);
    expect(series).toMatchObject({ key: 'news', name: 'Weekly news', list: 1, every: 'week' });
    expect(series.sends.length).toBeGreaterThan(6);
    for (const { sent } of series.sends) expect(sent).toBeGreaterThan(400);
  });
});
