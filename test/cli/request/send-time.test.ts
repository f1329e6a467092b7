import { describe, expect, it } from 'vitest';
import { sendTimeSummary, timeFault } from '../../../src/sends/time-to-come.ts';
import { putEmail, putList } from '../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, NOW } from '../../support/sandbox.ts';

/** Contract, "Safety": past, less than 2 minutes ahead, more than 2 years ahead, or looks like milliseconds. */
describe('a time is refused', () => {
  const DAY = 86_400;
  it.each([
    [-1, 'was 1 second ago'],
    [-3600, 'was 1 hour ago'],
    [0, 'is less than 2 minutes ahead'],
    [119, 'is less than 2 minutes ahead'],
    [120, undefined],
    [DAY, undefined],
    [730 * DAY, undefined],
    [732 * DAY, 'is more than 2 years ahead'],
    [NOW * 999, 'looks like milliseconds'],
  ])('%i seconds from now: %s', (ahead, reason) => {
    const finding = timeFault('scheduledtime', NOW + ahead, NOW);
    if (reason === undefined) expect(finding).toBeUndefined();
    else expect(finding?.reason).toContain(reason);
  });

  it('at least 5 minutes ahead where there must be time to cancel', () => {
    expect(timeFault('scheduledtime', NOW + 299, NOW, 300)?.reason).toBe('is less than 5 minutes ahead');
    expect(timeFault('scheduledtime', NOW + 300, NOW, 300)).toBeUndefined();
  });
});

it('the truth of a time: UTC, the company, the operator, weekday, how far from now', () => {
  const zones = { company: 'Europe/London', operator: 'America/New_York' };
  expect(sendTimeSummary(NOW + 200 * 86_400, NOW, zones)).toMatchInlineSnapshot(`
    "Sends Sat 2027-06-19 09:00:00 +00:00 (UTC)
          Sat 2027-06-19 10:00:00 +01:00 (Europe/London), the company
          Sat 2027-06-19 05:00:00 -04:00 (America/New_York), here
          in 200 days"
  `);
});

const CREATE = ['task', 'create', '--name', 'Sale', '--channel', 'email', '--message', 'Message'];
const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi'];

async function campaign() {
  const sandbox = await createTestSandbox();
  const list = await putList(sandbox);
  await putEmail(sandbox);
  return { sandbox, ...serviceOf(sandbox), create: [...CREATE, '--list', String(list)] };
}

describe('svc task create and svc sms send', () => {
  it.each([
    ['nothing', [], 'add --at, or --now to send at once'],
    ['now', ['--at', 'now'], '--now is the way'],
    ['a time past', ['--at', '2026-12-01 08:00'], 'was 1 hour ago'],
    ['a minute', ['--at', '+1m'], 'is less than 2 minutes ahead'],
    ['three years', ['--at', '2029-12-01 09:00'], 'is more than 2 years ahead'],
    ['milliseconds', ['--at', String(NOW * 1000)], 'looks like milliseconds'],
    ['both', ['--at', '+1h', '--now'], 'cannot combine --at with --now'],
  ])('%s: refused, and nothing is sent', async (_, flags, words) => {
    const { create, transport, sent, sandbox } = await campaign();
    for (const argv of [create, SEND]) {
      const run = await runCli([...argv, ...flags], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(words);
    }
    expect(writesIn(sent)).toEqual([]);
    expect(await sandbox.rows('task')).toEqual([]);
    expect(await sandbox.rows('sms')).toEqual([]);
  });

  it('null in --data does not send at once either', async () => {
    const { transport, sent } = await campaign();
    const run = await runCli([...SEND, '--data', '{"senddate":null}'], { transport });
    expect(run.exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
  });

  it("goes by the service's clock, not by the machine's", async () => {
    const { create, transport, sandbox } = await campaign();
    await sandbox.at(7200);
    const run = await runCli([...create, '--at', String(NOW + 3600)], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('was 1 hour ago');
  });

  it('reads a local time in the zone of the company, and says so before sending', async () => {
    const { create, transport, sandbox } = await campaign();
    const run = await runCli([...create, '--at', '2027-06-01 09:00', '-o', 'json'], {
      transport,
      machineZone: 'Asia/Tokyo',
    });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      scheduledtime: Date.UTC(2027, 5, 1, 8) / 1000,
      search_id: null,
    });
    expect(run.stderr).toContain('Sends Tue 2027-06-01 08:00:00 +00:00 (UTC)');
    expect(run.stderr).toContain('Tue 2027-06-01 17:00:00 +09:00 (Asia/Tokyo), here');
    expect(await sandbox.rows('task')).toHaveLength(1);
  });

  it('--tz reads it in another zone; --quiet keeps the truth', async () => {
    const { create, transport } = await campaign();
    const argv = [...create, '--at', '2027-06-01 09:00', '--tz', 'Asia/Tokyo', '--quiet', '-o', 'json'];
    const run = await runCli(argv, { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ scheduledtime: Date.UTC(2027, 5, 1, 0) / 1000 });
    expect(run.stderr).toContain('Sends Tue 2027-06-01 00:00:00');
  });

  it('a time that does not exist names the next one; one that exists twice takes the first and says so', async () => {
    const { create, transport } = await campaign();
    const gap = await runCli([...create, '--at', '2027-03-28 01:30'], { transport });
    expect(gap).toMatchObject({ exitCode: 2, stdout: '' });
    expect(gap.stderr).toContain('write "2027-03-28 02:00"');
    const twice = await runCli([...create, '--at', '2027-10-31 01:30', '-o', 'json'], { transport });
    expect(JSON.parse(twice.stdout)).toMatchObject({ scheduledtime: Date.UTC(2027, 9, 31, 0, 30) / 1000 });
    expect(twice.stderr).toContain('exists twice in Europe/London');
  });

  it("--now sends at once: the service's own now for a task, null for an sms", async () => {
    const { create, transport, sent } = await campaign();
    for (const argv of [create, SEND])
      expect((await runCli([...argv, '--now', '--yes'], { transport })).exitCode).toBe(0);
    const bodies = sent.filter(({ method }) => method === 'POST').map(({ body = '' }) => JSON.parse(body));
    expect(bodies).toMatchObject([{ scheduledtime: NOW }, { senddate: null }]);
  });

  it('a retry that would come too late is not sent', async () => {
    const { create, transport, sent, sandbox } = await campaign();
    let refusals = 0;
    const run = await runCli([...create, '--at', '+3m'], {
      transport: async (request) => {
        if (request.method !== 'POST') return transport(request);
        refusals += 1;
        await sandbox.at(150);
        const headers = { 'retry-after': '1', 'x-svc-time': String(NOW + 150) };
        return {
          status: 429,
          headers,
          body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
        };
      },
    });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('is now less than a minute ahead');
    expect(refusals).toBe(1);
    expect(writesIn(sent)).toEqual([]);
  });
});

describe('svc task update', () => {
  it('guards its time, and cancels only by svc task cancel', async () => {
    const { create, transport, sandbox } = await campaign();
    await runCli([...create, '--at', '+1d'], { transport });
    const before = await sandbox.rows('task');
    for (const flags of [['--at', '+1m'], ['--at', '2026-11-01 09:00'], ['--cancelled']]) {
      const run = await runCli(['task', 'update', '1', ...flags], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await sandbox.rows('task')).toEqual(before);
  });
});

/** Contract, "Safety": the size is known only once the task exists. */
describe('--expect-size', () => {
  it('cancels a task outside the range: exit 2, both numbers named', async () => {
    const { create, transport } = await campaign();
    const run = await runCli([...create, '--at', '+1h', '--expect-size', '9000..11000'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('task 1 has 0 subscriptions, expected 9000 to 11000; it is cancelled');
    const task = await runCli(['task', 'get', '1', '-o', 'json'], { transport });
    expect(JSON.parse(task.stdout)).toMatchObject({ cancelled: true });
  });

  it.each([
    [['--at', '+4m', '--expect-size', '0..9'], 'is less than 5 minutes ahead'],
    [['--now', '--expect-size', '0..9'], 'with --now: it needs time to cancel'],
    [['--at', '+1h', '--expect-size', '9..0'], 'must be two numbers'],
  ])('%j is refused before anything is sent', async (flags, words) => {
    const { create, transport, sent } = await campaign();
    const run = await runCli([...create, ...flags], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(words);
    expect(writesIn(sent)).toEqual([]);
  });
});
