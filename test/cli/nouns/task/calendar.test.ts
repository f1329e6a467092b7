/** Contract, "Insight" with "Settled": `task calendar [--from DATE] [--weeks n] [--ics FILE]`. */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/kit/text/display-width.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { hasCalendarReader, readCalendar } from '../../../support/icalendar-reader.ts';
import { withPartnerProfile } from '../../../support/partner-profile.ts';
import { type Outside, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const UTF8 = { LANG: 'C.UTF-8', NO_COLOR: '1' };
const HOUR = 3600;
const utc = (text: string): number => Date.parse(text) / 1000;

let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
let cwd: string;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  cwd = await makeTemporaryFolder('calendar');
});
afterEach(() => rm(cwd, { recursive: true }));

const svc = (words: readonly string[] = [], outside: Outside = {}) =>
  runCli(['task', 'calendar', ...words], { transport: service.transport, cwd, ...outside });
const rows = async (...words: string[]): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await svc([...words, '-o', 'json'])).stdout);

const put = (scheduledtime: number, more: object = {}) =>
  sandbox.put('task', {
    ...{ account_id: 1, user_id: 1, list_id: 1, message_id: 1, channel: 'email', name: 'Spring' },
    ...{ size: 400, cdate: NOW - 86_400 },
    ...more,
    scheduledtime,
  });
const COMPLETED = { completed: 1, endtime: NOW };
const CANCELLED = { cancelled: 1, endtime: NOW };
const setZone = (timezone: string) =>
  sandbox.service.store.db.run(sql`update account set timezone = ${timezone} where id = 1`);

describe('rows', () => {
  it('are the tasks of a week from today, in order of time, each with its local time', async () => {
    await put(utc('2026-12-08T00:00:00Z'), { name: 'Too late' });
    await put(utc('2026-12-07T23:59:59Z'), { name: 'Last' });
    await put(utc('2026-12-01T00:00:00Z'), { name: 'First', list_id: 2 });
    await put(utc('2026-11-30T23:59:59Z'), { name: 'Too early', list_id: 3 });
    const [first, last, ...others] = await rows();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ id: 3, name: 'First', size: 400, local: '2026-12-01 00:00', clashes: [] });
    expect(last).toMatchObject({
      id: 2,
      scheduledtime: utc('2026-12-07T23:59:59Z'),
      local: '2026-12-07 23:59',
    });
  });

  it('--from and --weeks select other weeks', async () => {
    for (const day of ['2026-11-09', '2026-11-10', '2026-11-30', '2026-12-01'])
      await put(utc(`${day}T12:00:00Z`));
    expect((await rows('--from', '2026-11-10', '--weeks', '3')).map(({ id }) => id)).toEqual([2, 3]);
  });

  it('include cancelled and completed tasks', async () => {
    await put(NOW + 60, CANCELLED);
    await put(NOW + 120, COMPLETED);
    expect(await rows()).toMatchObject([{ cancelled: true }, { completed: true }]);
  });

  it('have all attributes in csv, and the most important ones in an explicit table', async () => {
    await put(NOW + HOUR);
    const csv = (await svc(['-o', 'csv'])).stdout.split('\n');
    expect(csv[0]).toMatch(/^id,cancelled,.*,local,clashes$/);
    expect(csv[1]).toMatch(/,2026-12-01 10:00,\[\]$/);
    expect((await svc(['-o', 'table'])).stdout).toMatch(/^ID +NAME +STATUS +SCHEDULEDTIME .* CLASHES\n/);
  });

  it('are [] without tasks, with a line on stderr that says what to do next', async () => {
    expect(await rows()).toEqual([]);
    expect(await svc()).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing is scheduled from 2026-12-01 to 2026-12-07. Run svc task list to see all tasks.\n',
    });
  });
});

it('requests no task long before --from, and no page after the weeks', async () => {
  for (let at = 0; at < 450; at += 1) await put(utc('2026-06-01T00:00:00Z') + at);
  for (let at = 0; at < 450; at += 1) await put(utc('2027-06-01T00:00:00Z') + at);
  await put(NOW + HOUR);
  expect(await rows()).toHaveLength(1);
  const pages = service.sent.filter(({ path }) => path === '/v1/task').map(({ query }) => query);
  // An hour earlier, because a task there may clash with one of the first hour.
  expect(pages).toEqual([expect.stringContaining(`start=${utc('2026-11-30T23:00:00Z')}`)]);
});

describe("days are those of the company's zone, whatever --tz says, also in weeks of a clock change", () => {
  // By the TZ database, as in test/text/day-span.test.ts; a week is seven of these days.
  it.each([
    ['Europe/London', '2026-10-20', '2026-10-19T23:00:00Z', '2026-10-27T00:00:00Z'],
    ['Europe/London', '2026-03-23', '2026-03-23T00:00:00Z', '2026-03-29T23:00:00Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-08T05:00:00Z'],
    ['Asia/Beirut', '2026-03-23', '2026-03-22T22:00:00Z', '2026-03-29T21:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-01', '2026-03-31T13:00:00Z', '2026-04-07T13:30:00Z'],
    ['Pacific/Kiritimati', '2026-12-01', '2026-11-30T10:00:00Z', '2026-12-07T10:00:00Z'],
  ])('%s from %s', async (zone, from, start, end) => {
    await setZone(zone);
    await put(utc(start) - 1);
    await put(utc(start));
    await put(utc(end) - 1);
    await put(utc(end));
    const found = await rows('--from', from, '--tz', 'Asia/Tokyo');
    expect(found.map(({ id }) => id)).toEqual([2, 3]);
    expect(found[0]?.['local']).toMatch(new RegExp(`^${from} 0[01]:00$`));
    expect(found[1]?.['local']).toMatch(/ 23:59$/);
  });

  it('shows today as a day of the zone', async () => {
    await setZone('Pacific/Kiritimati');
    await put(utc('2026-12-01T09:59:59Z'));
    await put(utc('2026-12-01T10:00:00Z'));
    // 09:00 UTC is 23:00 of 1 December there.
    expect((await rows()).map(({ local }) => local)).toEqual(['2026-12-01 23:59', '2026-12-02 00:00']);
  });

  it('distinguishes an hour that occurs twice, and reports the clock change', async () => {
    await put(utc('2026-10-25T00:30:00Z'), { name: 'Summer' });
    await put(utc('2026-10-25T01:30:00Z'), { name: 'Winter' });
    await put(utc('2026-10-25T02:30:00Z'), { name: 'Later' });
    const week = await svc(['--from', '2026-10-20'], { tty: true, columns: 80, env: UTF8 });
    expect(week.stdout).toMatch(/01:30 1st\n[\s\S]*01:30 2nd\n[\s\S]*02:30\n/);
    expect(week.stdout).toContain('The clocks of Europe/London go back on 2026-10-25, which has 25 hours.');
    const list = await svc(['--from', '2026-10-20'], { env: UTF8 });
    expect(list.stdout).toContain('01:30  Summer (at the first 01:30 of the day)\n');
    expect(list.stdout).toContain('01:30  Winter (at the second 01:30 of the day)\n');
    expect(list.stdout).toContain('02:30  Later\n');
    expect((await svc(['--from', '2026-03-23'], { env: UTF8 })).stderr).toContain(
      'go forward on 2026-03-29, which has 23 hours.',
    );
    expect((await svc([], { env: UTF8 })).stderr).not.toContain('clocks');
  });

  it('reports an unknown zone, without control sequences', async () => {
    await setZone('Mars/\u001b]0;Base');
    await put(NOW + HOUR);
    const { stdout } = await svc();
    expect(stdout).toContain('2026-12-01 to 2026-12-07, UTC');
    expect(stdout).toContain('. Times are in UTC.');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('a clash is two tasks to the same list or search, less than an hour apart, neither of them cancelled', () => {
  it.each([
    ['the same list, 59:59 apart', [0, {}], [HOUR - 1, {}], true],
    ['an hour apart', [0, {}], [HOUR, {}], false],
    ['at the same time', [0, {}], [0, {}], true],
    ['another list', [0, {}], [60, { list_id: 2 }], false],
    ['the same search', [0, { list_id: null, search_id: 3 }], [60, { list_id: null, search_id: 3 }], true],
    [
      'a search of the same number as a list',
      [0, { list_id: 3 }],
      [60, { list_id: null, search_id: 3 }],
      false,
    ],
    ['two searches', [0, { list_id: null, search_id: 3 }], [60, { list_id: null, search_id: 4 }], false],
    ['an e-mail and an SMS: the same people get both', [0, {}], [60, { channel: 'sms' }], true],
    ['one is cancelled', [0, CANCELLED], [60, {}], false],
    ['one is completed', [0, COMPLETED], [60, {}], true],
  ] as const)('%s', async (_, [first, a], [second, b], clash) => {
    await put(NOW + 86_400 + first, a);
    await put(NOW + 86_400 + second, b);
    expect((await rows()).map(({ clashes }) => clashes)).toEqual(clash ? [[2], [1]] : [[], []]);
  });

  it('names each of several clashing tasks', async () => {
    for (const minutes of [0, 30, 50, 100]) await put(NOW + 86_400 + minutes * 60);
    expect((await rows()).map(({ clashes }) => clashes)).toEqual([[2, 3], [1, 3], [1, 2, 4], [3]]);
  });

  it('includes a task just outside the weeks', async () => {
    await put(utc('2026-11-30T23:30:00Z'));
    await put(utc('2026-12-01T00:10:00Z'));
    await put(utc('2026-12-07T23:50:00Z'));
    await put(utc('2026-12-08T00:40:00Z'));
    expect(await rows()).toMatchObject([
      { id: 2, clashes: [1] },
      { id: 3, clashes: [4] },
    ]);
  });
});

describe('on a terminal', () => {
  const some = async () => {
    await put(utc('2026-12-01T17:00:00Z'), { name: 'Winter sale, everything must go' });
    await put(utc('2026-12-03T09:00:00Z'), {
      name: '春のセール 🌸',
      list_id: null,
      search_id: 2,
      size: 12_430,
    });
    await put(utc('2026-12-03T09:30:00Z'), { name: 'Reminder', channel: 'sms', list_id: null, search_id: 2 });
    await put(utc('2026-12-04T09:30:00Z'), { name: 'Called off', ...CANCELLED });
  };

  it('prints a week at 80 columns, with clashes marked', async () => {
    await some();
    const run = await svc([], { tty: true, columns: 80, env: UTF8 });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatchInlineSnapshot(`
      "2026-12-01 to 2026-12-07, Europe/London

      Tue 1 Dec  Wed 2 Dec  Thu 3 Dec  Fri 4 Dec  Sat 5 Dec  Sun 6 Dec  Mon 7 Dec
      today ---- ---------- ---------- ---------- ---------- ---------- ----------
      17:00                 09:00 !    cancelled
      Winter                春のセール
      sale, eve…            🌸
      task 1                task 2
      e-mail                e-mail

                            09:30 !
                            Reminder
                            task 3
                            SMS

      ! task 2 (春のセール 🌸) clashes with task 3 (Reminder): both to search 2, 30
      minutes later
      "
    `);
  });

  // "Cancelled tasks fill the week": a day has one line for all of them, and the rows still have each one.
  it('prints one faint line for the cancelled tasks of a day', async () => {
    for (let at = 0; at < 12; at += 1) await put(utc('2026-12-03T09:00:00Z') + at * HOUR, CANCELLED);
    await put(utc('2026-12-03T08:00:00Z'), { name: 'Alive' });
    const week = await svc([], { tty: true, columns: 80, env: { ...UTF8, NO_COLOR: undefined } });
    expect(week.stdout).toContain('\u001b[2mcancelled\u001b[22m');
    expect(week.stdout.split('\n').length).toBeLessThan(15);
    const list = await svc([], { tty: true, columns: 60, env: UTF8 });
    expect(list.stdout.replaceAll(/\n +/g, ' ')).toContain('cancelled: task 1, task 2, task 3,');
    expect(await rows()).toHaveLength(13);
  });

  it('prints a list on narrower terminals and elsewhere', async () => {
    await some();
    const narrow = await svc([], { tty: true, columns: 60, env: UTF8 });
    expect(narrow.stdout).toMatchInlineSnapshot(`
      "2026-12-01 to 2026-12-07, Europe/London

      Tue 2026-12-01, today
        17:00  Winter sale, everything must go
               task 1, e-mail, 400 to list 1, scheduled

      Thu 2026-12-03
        09:00  春のセール 🌸
               task 2, e-mail, 12,430 to search 2, scheduled
               clashes with task 3 (Reminder), 30 minutes later
        09:30  Reminder
               task 3, SMS, 400 to search 2, scheduled
               clashes with task 2 (春のセール 🌸), 30 minutes
               earlier

      Fri 2026-12-04
               cancelled: task 4
      "
    `);
    expect((await svc([], { env: UTF8 })).stdout).toContain('  09:00  春のセール 🌸\n');
  });

  it('prints a list without drawing and colour with --plain, whatever the width', async () => {
    await some();
    const run = await svc(['--plain'], { tty: true, columns: 200, env: { FORCE_COLOR: '1' } });
    expect(run.stdout).not.toMatch(/\u001b|---/);
    expect(run.stdout).toContain('clashes with task 2');
  });

  it.each([24, 40, 79, 80, 120, 300])('prints no line wider than %i columns', async (columns) => {
    await some();
    await put(utc('2026-12-05T09:00:00Z'), { name: 'x'.repeat(200), id: 12_345_678_901_234 });
    const { stdout } = await svc(['--weeks', '2'], { tty: true, columns, env: UTF8 });
    expect(Math.max(...stdout.split('\n').map(displayWidth))).toBeLessThan(
      columns + (columns === 20 ? 1 : 0),
    );
  });

  it('prints no control sequences or line breaks of a name', async () => {
    await put(NOW + HOUR, { name: 'a\u001b[31mb\nc' });
    for (const columns of [60, 80]) {
      const { stdout } = await svc([], { tty: true, columns, env: UTF8 });
      expect(stdout).not.toContain('\u001b');
      expect(stdout).toContain('␛[31m');
    }
  });
});

describe('rejects wrong arguments with exit 2, and sends nothing', () => {
  it.each([
    ['no day', ['--from', '2026-02-30'], '2026-02-30 is not a date'],
    ['a word', ['--from', 'soon'], 'is not a date'],
    ['an empty day', ['--from', ''], '--from is not a date'],
    ['no week', ['--weeks', '0'], 'is not a number from 1 to 53'],
    ['too many', ['--weeks', '54'], 'is not a number from 1 to 53'],
    ['an empty path', ['--ics', ''], '--ics is empty'],
  ])('%s', async (_, words, problem) => {
    const run = await svc(words);
    expect([run.exitCode, run.stdout, service.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain(problem);
  });
});

describe('--ics FILE', () => {
  const ICS = ['--ics', 'tasks.ics'];
  const file = () => readFile(join(cwd, 'tasks.ics'), 'utf8');
  const uids = async () => [...(await file()).matchAll(/^UID:(.*)\r$/gm)].map(([, uid]) => uid);

  const uidOf = (id: number) => `task-${id}-${NOW - 86_400}@api.example.com`;

  it('has an event for each task, in UTC, with a stable id', async () => {
    await put(utc('2026-12-03T09:00:00Z'), { name: 'Spring, at last; 50% off\\' });
    const run = await svc([...ICS, '-o', 'json']);
    expect([run.exitCode, run.stderr]).toEqual([0, 'wrote tasks.ics with 1 task\n']);
    expect(JSON.parse(run.stdout)).toHaveLength(1);
    const text = await file();
    for (const line of [
      `UID:${uidOf(1)}`,
      'DTSTAMP:20261201T090000Z',
      'DTSTART:20261203T090000Z',
      'STATUS:CONFIRMED',
    ])
      expect(text.split('\r\n')).toContain(line);
    expect(text).toContain('SUMMARY:Spring\\, at last\\; 50% off\\\\\r\n');
    await sandbox.service.store.db.run(sql`update task set name = 'New', scheduledtime = ${NOW + HOUR}`);
    await svc([...ICS, '--force']);
    expect(await uids()).toEqual([uidOf(1)]);
  });

  it('leaves out cancelled tasks, and completed ones unless --from is past', async () => {
    await put(utc('2026-11-30T09:00:00Z'), COMPLETED);
    await put(utc('2026-12-01T08:00:00Z'), COMPLETED);
    await put(utc('2026-12-01T09:00:00Z'), { list_id: 2 });
    await put(utc('2026-12-02T09:00:00Z'), CANCELLED);
    const left = '; left out: 1 cancelled and 1 completed\n';
    expect((await svc([...ICS, '--quiet'])).stderr).toBe('');
    expect(await uids()).toEqual([uidOf(3)]);
    expect((await svc([...ICS, '--force', '--from', '2026-12-01'])).stderr).toBe(
      `wrote tasks.ics with 1 task${left}`,
    );
    expect(await uids()).toEqual([uidOf(3)]);
    expect((await svc([...ICS, '--force', '--from', '2026-11-30'])).stderr).toBe(
      'wrote tasks.ics with 3 tasks; left out: 1 cancelled\n',
    );
    expect(await uids()).toEqual([1, 2, 3].map(uidOf));
  });

  it('ends an event when the task ended, or as its rate allows; otherwise the event has no duration', async () => {
    await put(utc('2026-11-30T09:00:00Z'), { completed: 1, endtime: utc('2026-11-30T09:02:00Z') });
    await put(utc('2026-12-02T09:00:00Z'), { rate: 200 });
    await put(utc('2026-12-03T09:00:00Z'));
    await svc([...ICS, '--from', '2026-11-30']);
    expect((await file()).match(/^DTEND:.*$/gm)).toEqual(
      ['DTEND:20261130T090200Z\r', 'DTEND:20261202T110000Z\r'].map((line) => line.trim()),
    );
  });

  it('is a calendar even without tasks, so that a published one becomes empty', async () => {
    expect((await svc(ICS)).stderr).toContain('wrote tasks.ics with 0 tasks');
    expect(await file()).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*END:VCALENDAR\r\n$/);
    expect(await uids()).toEqual([]);
  });

  it('overwrites an existing file only with --force, and sends nothing before', async () => {
    await writeFile(join(cwd, 'tasks.ics'), 'mine');
    const run = await svc(ICS);
    expect([run.exitCode, run.stdout, service.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain('tasks.ics already exists');
    expect(await file()).toBe('mine');
    expect((await svc([...ICS, '--force'])).exitCode).toBe(0);
    expect(await readdir(cwd)).toEqual(['tasks.ics']);
  });

  it('--dry-run writes no file', async () => {
    const run = await svc([...ICS, '--dry-run']);
    expect([run.exitCode, run.stderr, await readdir(cwd)]).toEqual([0, 'Would write tasks.ics\n', []]);
  });

  describe.runIf(hasCalendarReader)('read by python3-icalendar (skipped if it is not installed)', () => {
    it('has the names and times of the tasks', async () => {
      const names = ['春のセール 🌸 '.repeat(12).trim(), 'a, b; c \\ "d"', 'x'.repeat(200)];
      for (const [at, name] of names.entries())
        await put(NOW + at * 86_400 + 60, { name, list_id: at + 1, rate: 400 });
      await svc(ICS);
      const { version, components, events, errors } = readCalendar(await file());
      expect([version, components, errors]).toEqual(['2.0', ['VCALENDAR', 'VEVENT', 'VEVENT', 'VEVENT'], []]);
      expect(events.map(({ summary }) => summary)).toEqual(names);
      expect(events[0]).toMatchObject({
        ...{ uid: uidOf(1), status: 'CONFIRMED', stamp: '2026-12-01T09:00:00+00:00' },
        ...{ start: '2026-12-01T09:01:00+00:00', end: '2026-12-01T10:01:00+00:00' },
        description:
          'Task 1, e-mail to list 1\n400 subscriptions at creation\nat most 400 an hour\nsvc task get 1',
      });
    });
  });

  if (!hasCalendarReader)
    it.skip('python3-icalendar is not installed: no other program has read the file', () => undefined);
});

it('--companies prints the days of each company, and rejects --ics', async () => {
  const agency = await withPartnerProfile();
  try {
    await agency.sandbox.service.store.db.run(
      sql`update account set timezone = 'Pacific/Kiritimati' where id = 2`,
    );
    const task = {
      user_id: 1,
      list_id: 1,
      message_id: 1,
      channel: 'email',
      name: 'Spring',
      size: 1,
      cdate: NOW,
    };
    for (const account_id of [1, 2])
      await agency.sandbox.put('task', { ...task, account_id, scheduledtime: utc('2026-12-01T10:00:00Z') });
    const both = ['task', 'calendar', '--companies', '1,2', '--from', '2026-12-02'];
    const refused = await agency.svc([...both, '--ics', 'a.ics']);
    expect([refused.exitCode, refused.stdout, agency.sent]).toEqual([2, '', []]);
    expect(refused.stderr).toContain('cannot combine --ics with --companies');
    const run = await agency.done([...both, '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject([{ company_id: 2, local: '2026-12-02 00:00' }]);
  } finally {
    await agency.remove();
  }
});
