/** The distance of a time from now, shown beside the time, only on a terminal. */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatTimeWithRelativeTime } from '../../../src/cli/output/cell.ts';
import { columnsOfResource } from '../../../src/cli/output/columns.ts';
import { layOutTableWithRecordNames } from '../../../src/cli/output/layout.ts';
import type { Column, Row } from '../../../src/cli/output/result.ts';
import { task } from '../../../src/service/resources/task.ts';
import { campaign } from '../../support/campaign.ts';
import { runCli } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';

let made: Awaited<ReturnType<typeof campaign>>;
beforeEach(async () => {
  made = await campaign();
  const own = { account_id: IDS.company, user_id: IDS.admin, list_id: 1, size: 2, cdate: NOW - 9e5 };
  const sale = { name: 'Sale', channel: 'email', message_id: 1 };
  await made.sandbox.put('task', { ...own, ...sale, scheduledtime: NOW + 3 * 86_400 });
});

const svc = (argv: readonly string[], outside: object = {}) =>
  runCli(argv, { transport: made.transport, env: { NO_COLOR: '1' }, tty: true, ...outside });

describe('distances in a list', () => {
  it('are shown if there is room, by the clock of the service', async () => {
    const { stdout } = await svc(['task', 'list'], { columns: 120 });
    expect(stdout).toContain('2026-12-04 09:00 (in 3 days)');
    await made.sandbox.at(2 * 86_400);
    expect((await svc(['task', 'list'], { columns: 120 })).stdout).toContain('(in 24 hours)');
  });

  it('hide no column and cut no text', async () => {
    const row = {
      id: 1,
      name: 'Sale',
      scheduledtime: NOW + 3 * 86_400,
      size: 2,
      channel: 'email',
      list_id: 1,
    };
    const { columns } = columnsOfResource(task);
    const laidOut = async (width: number, showsRelativeTimes: boolean) => {
      const reading = { zone: 'UTC', now: NOW, showsRelativeTimes, annotate: () => undefined };
      const fitting = { header: true, width, keepAll: false };
      const beside = async () => (column: Column, of: Row) => formatTimeWithRelativeTime(column, of, reading);
      return (await layOutTableWithRecordNames(columns, [row], reading, fitting, beside)).layout;
    };
    let shown = 0;
    for (let width = 10; width <= 140; width += 1) {
      const [plain, more] = [await laidOut(width, false), await laidOut(width, true)];
      expect([more.hidden, more.isCut]).toEqual([plain.hidden, plain.isCut]);
      if (more.widths.some((each, index) => each > (plain.widths[index] ?? 0))) shown += 1;
    }
    expect(shown).toBeGreaterThan(20);
  });

  it('are not shown for the creation of a record', async () => {
    expect((await svc(['folder', 'list', '--fields', 'id,cdate'])).stdout).not.toMatch(/ago|in \d/);
  });
});

it('distances in details are beside the time, or below it if the line is full', async () => {
  const wide = (await svc(['task', 'get', '1', '--wide'], { columns: 100 })).stdout;
  expect(wide).toContain('Fri 2026-12-04 09:00:00 +00:00 (Europe/London), in 3 days\n');
  const narrow = (await svc(['task', 'get', '1', '-o', 'table'], { columns: 80 })).stdout;
  expect(narrow).toMatch(/\(Europe\/London\)\n {2,}in 3 days\n/);
});

it.each([
  [['task', 'list'], { tty: false }],
  [['task', 'get', '1'], { tty: false }],
  [['task', 'list', '-o', 'json'], {}],
  [['task', 'list', '-o', 'csv'], {}],
  [['task', 'list', '-o', 'yaml'], {}],
])('%j shows no distance: %j', async (argv, outside) => {
  expect((await svc(argv, outside)).stdout).not.toContain('in 3 days');
});
