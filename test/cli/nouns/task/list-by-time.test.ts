/** Contract, "Forms": `task list --since|--until|--today` select by the send time, and `next` lists what sends next. */
import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';

const HOUR = 3600;
const utc = (text: string): number => Date.parse(text) / 1000;

let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
});

const put = (scheduledtime: number, more: object = {}) =>
  sandbox.put('task', {
    ...{ account_id: 1, user_id: 1, list_id: 1, message_id: 1, channel: 'email', name: 'Spring' },
    ...{ size: 400, cdate: NOW - 86_400 },
    ...more,
    scheduledtime,
  });
const svc = (...words: readonly string[]) => runCli(words, { transport: service.transport });
const ids = async (...words: readonly string[]): Promise<readonly unknown[]> =>
  JSON.parse((await svc(...words, '-o', 'json')).stdout).map(({ id }: { readonly id: number }) => id);

describe('task list by send time', () => {
  // It is 2026-12-01 09:00 UTC.
  beforeEach(async () => {
    for (const time of [
      '11-29T12:00',
      '11-30T00:00',
      '11-30T23:59',
      '12-01T00:00',
      '12-01T23:59',
      '12-02T00:00',
    ])
      await put(utc(`2026-${time}:00Z`));
  });

  it.each<readonly [flags: string, ids: readonly number[]]>([
    ['--today', [5, 4]],
    ['--since today', [6, 5, 4]],
    ['--since yesterday --until yesterday', [3, 2]],
    ['--until 2026-11-29', [1]],
    ['--since tomorrow', [6]],
    ['--since 32h', [6, 5, 4, 3]],
    ['--until +15h', [5, 4, 3, 2, 1]],
    ['--since 2026-11-30T23:59Z --until 2026-12-01T23:59Z', [4, 3]],
    ['--today --reverse', [4, 5]],
    ['--since yesterday --until today --sort id', [2, 3, 4, 5]],
    ['--since yesterday --limit 2', [6, 5]],
    ['--today --name Summer', []],
  ])('%s', async (flags, expected) => {
    expect(await ids('task', 'list', ...flags.split(' '))).toEqual(expected);
  });

  it('counts days in the zone of the company, and of --tz', async () => {
    await sandbox.service.store.db.run(sql`update account set timezone = 'Asia/Tokyo' where id = 1`);
    // 1 December in Tokyo is from 15:00 UTC of 30 November on.
    expect(await ids('task', 'list', '--today')).toEqual([4, 3]);
    expect(await ids('task', 'list', '--today', '--tz', 'UTC')).toEqual([5, 4]);
  });

  it('combines with a status', async () => {
    await put(NOW - HOUR, { cancelled: 1, endtime: NOW });
    expect(await ids('task', 'list', '--today', '--status', 'cancelled')).toEqual([7]);
  });

  it('requests no page beyond the span', async () => {
    for (let at = 0; at < 250; at += 1) await put(utc('2026-10-01T00:00:00Z') + at);
    const before = service.sent.length;
    expect(await ids('task', 'list', '--today')).toEqual([5, 4]);
    expect(service.sent.slice(before).filter(({ path }) => path === '/v1/task')).toHaveLength(1);
  });

  it.each([
    ['--since someday', '--since someday: is not a day or a time'],
    ['--since 2026-02-30', '--since 2026-02-30: is not a day or a time'],
    ['--until', '--until needs a value'],
    ['--today --since 2d', 'cannot combine --today with --since or --until'],
    ['--since tomorrow --until yesterday', '--since tomorrow is not before --until yesterday'],
  ])('%s is a usage error', async (flags, message) => {
    const run = await svc('task', 'list', ...flags.split(' '));
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('svc next', () => {
  it('lists scheduled tasks, the next one first', async () => {
    await put(NOW + 3 * HOUR);
    await put(NOW + HOUR);
    await put(NOW - HOUR);
    await put(NOW + 2 * HOUR, { cancelled: 1, endtime: NOW });
    await put(NOW - 2 * HOUR, { completed: 1, endtime: NOW });
    expect(await ids('next')).toEqual([2, 1]);
    expect(await ids('next', '--limit', '1')).toEqual([2]);
    expect((await svc('next')).stdout).toMatch(/^ID +NAME +SCHEDULEDTIME/);
  });

  it('lists five without --limit', async () => {
    for (let at = 1; at <= 7; at += 1) await put(NOW + at * HOUR);
    expect(await ids('next')).toEqual([1, 2, 3, 4, 5]);
  });

  it('says that nothing is scheduled', async () => {
    const run = await svc('next');
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(run.stderr).toContain('Nothing is scheduled. To schedule a send: svc task create');
  });

  it.each(['--limit 0', '--limit many', 'week'])('%s is a usage error', async (words) => {
    expect(await svc('next', ...words.split(' '))).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
