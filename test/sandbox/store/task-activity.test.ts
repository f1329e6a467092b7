/**
 * Contract, "Sandbox": `task clicks` counts the recipients who clicked each link of a task's message, and `task activity` counts first
 * reactions by time. Interface, "task": unique opens, clicks, unsubscriptions, bounces and complaints.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let task = 0;
let start = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  start = (await asked('clock show')).time + 60;
  const made = await sandbox.api('POST', '/v1/task', {
    ...{ channel: 'email', message_id: 1, name: 'News', scheduledtime: start, list_id: 1, search_id: null },
  });
  task = made.json.response.data.id;
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function asked(operation: string, args: object = {}) {
  const { json } = await sandbox.control(operation, args);
  if (json.error) throw new Error(json.error.message);
  return json.data;
}

type Period = Record<'time' | 'opened' | 'clicked' | 'unsubscribed' | 'complained' | 'bounced', number>;

const activity = (more: object = {}): Promise<readonly Period[]> =>
  asked('task activity', { id: task, ...more });

const sumOf = (periods: readonly Period[], name: keyof Period): number =>
  periods.reduce((sum, each) => sum + each[name], 0);

describe('the reactions to a task', () => {
  it('are none before it is sent, and before anybody reacts', async () => {
    expect(await activity()).toEqual([]);
    expect(await asked('task clicks', { id: task })).toEqual([]);
    await asked('clock advance', { seconds: 120 });
    expect(await activity()).toEqual([]);
  });

  it('are counted in the period of the first one of each recipient', async () => {
    await asked('event open', { task, subscriber: 1 });
    await asked('clock advance', { seconds: 3600 });
    await asked('event open', { task, subscriber: 1 });
    await asked('event open', { task, subscriber: 2 });
    await asked('event bounce', { task, subscriber: 3 });
    await asked('clock advance', { seconds: 7200 });
    await asked('event complaint', { task, subscriber: 5 });
    const none = { opened: 0, clicked: 0, unsubscribed: 0, complained: 0, bounced: 0 };
    expect(await activity({ every: 3600 })).toEqual([
      { time: start, ...none, opened: 1 },
      { time: start + 3600, ...none, opened: 1, bounced: 1 },
      { time: start + 7200, ...none },
      { time: start + 10_800, ...none, complained: 1 },
    ]);
  });

  it('have the sums of the service, in at most 24 periods, or in those that were asked for', async () => {
    await asked('event open', { task, share: 0.4, over: 100_000 });
    await asked('event click', { task, share: 0.2, over: 200_000 });
    await asked('event unsubscribe', { task, share: 0.05, over: 300_000 });
    await asked('clock advance', { seconds: 400_000 });
    const record = (await sandbox.api('GET', `/v1/task/${task}`)).json.response.data;
    for (const periods of [
      await activity(),
      await activity({ every: 60 }),
      await activity({ every: 3600 }),
    ]) {
      expect(sumOf(periods, 'opened')).toBe(record.emailuniqueopens);
      expect(sumOf(periods, 'clicked')).toBe(record.emailuniqueclicks);
      expect(sumOf(periods, 'unsubscribed')).toBe(record.emailuniqueunsubscriptions);
      expect(sumOf(periods, 'complained')).toBe(record.emailuniquecomplaints);
      expect(sumOf(periods, 'bounced')).toBe(record.emailuniquebounces);
      const lengths = new Set(periods.slice(1).map(({ time }, at) => time - (periods[at]?.time ?? 0)));
      expect(lengths.size).toBe(1);
    }
    expect((await activity()).length).toBeLessThanOrEqual(24);
    // A minute would give thousands of rows, so the periods are longer.
    expect((await activity({ every: 60 })).length).toBeLessThanOrEqual(1001);
  });

  it('have the recipients of each clicked link, the most clicked first', async () => {
    const links = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=1')).json.response.data;
    // Some recipients have unsubscribed or bounced meanwhile.
    const left = await asked('subscriber list', { list: 1, limit: 3 });
    for (const { id: subscriber } of left)
      await asked('event click', { task, link: links[1].id, subscriber });
    const rows = await asked('task clicks', { id: task });
    const byRecipient = new Map<number, number>();
    for (const entry of await asked('outbox list', { task, limit: 1000 })) {
      const { events } = await asked('outbox show', { id: entry.id });
      for (const { event, link } of events)
        if (event === 'clicked') byRecipient.set(link, (byRecipient.get(link) ?? 0) + 1);
    }
    expect(new Map(rows.map((row: { link: number; clicks: number }) => [row.link, row.clicks]))).toEqual(
      byRecipient,
    );
    const counts = rows.map(({ clicks }: { clicks: number }) => clicks);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    for (const { link, target, first, last } of rows) {
      expect(target).toBe(links.find(({ id }: { id: number }) => id === link).target);
      expect(first).toBeGreaterThanOrEqual(start);
      expect(last).toBeGreaterThanOrEqual(first);
    }
    expect(await asked('task clicks', { id: task, limit: 1 })).toEqual(rows.slice(0, 1));
  });

  it('are not those of another company or of no task', async () => {
    for (const name of ['task clicks', 'task activity']) {
      expect((await sandbox.control(name, { id: task, company: 2 })).status).toBe(404);
      expect((await sandbox.control(name, { id: 999 })).status).toBe(404);
    }
  });
});
