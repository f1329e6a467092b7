import { describe, expect, it } from 'vitest';
import { computeTaskFigures } from '../../../src/cli/nouns/task/report-figures.ts';
import type { TaskRecord } from '../../../src/service/resources/task.ts';
import { withEverything } from '../../support/everything.ts';
import { putEmail } from '../../support/messages.ts';
import { PARTNER, type Run, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, NOW } from '../../support/sandbox.ts';

const service = async () => serviceOf(await withEverything());

it('svc user whoami shows the user who makes the requests', async () => {
  const { transport } = await service();
  const run = await runCli(['user', 'whoami', '-o', 'json'], { transport, env: { SVC_USER_ID: '2' } });
  expect(JSON.parse(run.stdout)).toMatchObject({ id: 2, username: 'sub', currentuser: true });
});

describe('svc task wait and svc task watch', () => {
  it('wait until the deadline, which is their own --timeout: exit 1', async () => {
    const { transport, sent } = await service();
    const run = await runCli(['task', 'wait', '1', '--timeout', '12s'], { transport });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('task 1 is not completed yet');
    // The account is also read: for the credits left before the start, which explain how it ended, and for the zone of the clock.
    const accounts = ['/v1/account', '/v1/account'];
    expect(sent.map(({ path }) => path).sort()).toEqual([...accounts, ...Array(4).fill('/v1/task/1')]);
  });

  // Contract, "Sandbox": with a manual clock time does not pass by itself.
  it('say once that a manual clock is stopped, and what moves it', async () => {
    const { transport } = await service();
    const stands =
      "The sandbox's clock is manual and stopped at 2026-12-01 09:00 (Europe/London); move the clock with svc sandbox clock advance 10m.\n";
    const wait = await runCli(['task', 'wait', '1', '--timeout', '12s'], { transport });
    expect(wait).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wait.stderr).toBe(
      `Waiting until task 1 is completed (at most 12 seconds). Ctrl-C is safe: nothing is changed.\n${stands}` +
        'svc: task 1 is not completed yet\nHint: Nothing was changed. To wait longer, use --timeout.\n',
    );
    // `--quiet` hides progress, waits and notes (contract, "Output").
    const quiet = await runCli(['task', 'wait', '1', '--timeout', '12s', '--quiet'], { transport });
    expect(quiet.stderr).toMatch(/^svc: task 1 is not completed yet\n/);
    const interrupt = new AbortController();
    const watch = await runCli(['task', 'watch', '1'], {
      transport,
      signal: interrupt.signal,
      onSleep: (passed) => passed >= 60_000 && interrupt.abort(),
    });
    expect(watch.exitCode).toBe(130);
    expect(watch.stderr).toContain(stands);
    expect(watch.stderr.split(stands)).toHaveLength(2);
    // The clock may be moved at any time, so svc looks every 2 seconds. In a minute nothing changes.
    expect(watch.stdout.trim().split('\n')).toHaveLength(1);
  });

  it('end when the expected state or the other final state is reached', async () => {
    const { transport } = await service();
    await runCli(['task', 'cancel', '1', '--yes'], { transport });
    expect((await runCli(['task', 'wait', '1', '--until', 'cancelled'], { transport })).exitCode).toBe(0);
    const other = await runCli(['task', 'wait', '1'], { transport });
    expect(other).toMatchObject({ exitCode: 1, stderr: 'svc: task 1 is cancelled\n' });
  });

  it('report all faults at once, before any request: exit 2', async () => {
    const { transport, sent } = await service();
    const wrong = ['--until', 'done', '--interval', 'often', '--timeout', '0'];
    const run = await runCli(['task', 'wait', '1', ...wrong, '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    const { details } = JSON.parse(run.stderr).error;
    const attributes = details.map((each: { attribute: string }) => each.attribute).sort();
    expect(attributes).toEqual(['--interval', '--timeout', '--until']);
    expect(sent).toEqual([]);
  });

  it('print a line whenever something changes', async () => {
    const sandbox = await withEverything();
    const { transport } = serviceOf(sandbox);
    let looks = 0;
    const run = await runCli(['task', 'watch', '1'], {
      transport: async (request) => {
        looks += request.path.startsWith('/v1/task') ? 1 : 0;
        if (looks === 3) await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
        return transport(request);
      },
    });
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).state),
    ).toEqual(['scheduled', 'cancelled']);
    // Times in JSON never depend on a zone: they are Unix seconds, as in the service.
    expect(JSON.parse(run.stdout.split('\n')[0] ?? '')).toMatchObject({ time: NOW });
  });
});

it('svc task report prints counts and their share of the size', () => {
  const record = {
    size: 400,
    emailuniqueopens: 100,
    emailuniqueclicks: 0,
    emailuniquebounces: 1,
    smsuniquebounces: null,
  } as TaskRecord;
  expect(computeTaskFigures(record)).toEqual([
    { statistic: 'size', count: 400, percent: null },
    { statistic: 'opens', count: 100, percent: 25 },
    { statistic: 'clicks', count: 0, percent: 0 },
    { statistic: 'bounces', count: 1, percent: 0.25 },
  ]);
  expect(computeTaskFigures({ ...record, size: 0, emailuniqueopens: 0 })[1]).toMatchObject({ percent: null });
});

describe('svc subscriber-data', () => {
  it('set updates existing values, and creates missing ones', async () => {
    const { transport, sent } = await service();
    await runCli(['subscriber-data', 'set', '1_1', '--value', 'green'], { transport });
    await runCli(['subscriber-data', 'set', '--field', '2', '--subscriber', '1', '--value', 'L'], {
      transport,
    });
    // Wire, "PUT of subscriberProfileData by its pair": one request stores a new or an existing value.
    expect(writesIn(sent)).toEqual(['PUT /v1/subscriberProfileData', 'PUT /v1/subscriberProfileData']);
    const list = await runCli(
      ['subscriber-data', 'list', '--subscriber', '1', '-o', 'json', '--query', '[].value'],
      { transport },
    );
    expect(JSON.parse(list.stdout)).toEqual(['green', 'L']);
  });

  it('delete requires an id or one of its parts', async () => {
    const { transport, sent } = await service();
    expect((await runCli(['subscriber-data', 'delete', '--yes'], { transport })).exitCode).toBe(2);
    expect(sent).toEqual([]);
    await runCli(['subscriber-data', 'delete', '--subscriber', '1', '--yes'], { transport });
    // svc reads the records to delete for the journal first (contract, "Safety").
    expect(sent.map(({ method, query }) => `${method} ${query}`)).toEqual([
      expect.stringMatching(/^GET .*subscriber_id=1/),
      'DELETE subscriber_id=1',
    ]);
  });

  it.each([
    [['list'], 'needs at least one of --id, --subscriber, --field'],
    [['exists'], 'needs at least one of --id, --subscriber, --field'],
    [['set', '3', '--value', 'x'], '"3" is not an id of subscriber-data'],
    [['set', '3_1', '--field', '4', '--value', 'x'], 'the id 3_1 and --subscriberprofilefield_id differ'],
  ])('%j is rejected', async (words, message) => {
    const run = await runCli(['subscriber-data', ...words]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

/** Wire, "Authentication, where open": enablesubscriptionmo is always sent. */
describe('svc features set', () => {
  it.each([
    [['--list-limit', '300'], { list_limit: 300, enablesubscriptionmo: true }],
    [['--enablesubscriptionmo', 'false'], { enablesubscriptionmo: false }],
    [['--no-enablesms'], { enablesms: false, enablesubscriptionmo: null }],
  ])('%j', async (flags, body) => {
    const { transport } = await service();
    const line = ['features', 'set', ...flags, '--dry-run', '-o', 'json'];
    const run = await runCli(line, { transport, env: PARTNER });
    expect(JSON.parse(run.stdout)).toEqual({ method: 'PUT', path: '/v1/accountFeatures/1', body });
  });

  it('requires a company and a partner', async () => {
    const alone = { ...PARTNER, SVC_COMPANY_ID: undefined };
    const run = await runCli(['features', 'set', '--list-limit', '3'], { env: alone });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('svc features set 100');
    expect((await runCli(['features', 'set', '--list-limit', '3'])).stderr).toContain('only a partner can');
  });
});

describe('svc list on a terminal', () => {
  it('shows 50 rows and says so, while --all and other formats show every row', async () => {
    const sandbox = await createTestSandbox();
    for (let each = 1; each <= 53; each += 1) await putEmail(sandbox, { name: `M${each}` });
    const { transport } = serviceOf(sandbox);
    const table = ['email', 'list', '--fields', 'id'];
    const list = ['email', 'list', '-o', 'id'];
    const linesOf = ({ stdout }: Run): readonly string[] => stdout.trimEnd().split('\n');
    const cut = await runCli(table, { transport, tty: true });
    expect(linesOf(cut)).toHaveLength(1 + 50);
    expect(cut.stderr).toContain('showing the first 50 of 51 or more; use --all to see all');
    const all = await runCli([...table, '--all'], { transport, tty: true });
    expect(linesOf(all)).toHaveLength(1 + 53);
    expect(all.stderr).toBe('');
    // Contract: "The limit of 50 is for tables on a terminal; every other format gives all."
    for (const tty of [true, false]) {
      const ids = await runCli(list, { transport, tty });
      expect([linesOf(ids).length, ids.stderr]).toEqual([53, '']);
    }
    expect((await runCli([...list, '--limit', '2'], { transport, tty: true })).stdout).toBe('53\n52\n');
  });
});
