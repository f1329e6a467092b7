/** Contract, "Insight" with "Settled": `task report ID [--compare ID] [--html FILE]`. */
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canDifferenceBeDueToChance } from '../../../../src/cli/nouns/task/report-figures.ts';
import { withPartnerProfile } from '../../../support/partner-profile.ts';
import { type Outside, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { parsePage, textOf } from '../../../support/web-page.ts';

const UTF8 = { LANG: 'C.UTF-8' };

let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
let cwd: string;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  service = serviceOf(sandbox);
  cwd = await makeTemporaryFolder('report');
});
afterEach(() => rm(cwd, { recursive: true }));

/** The attributes that the service shows for an SMS task. */
const SMS = {
  ...{ channel: 'sms', emailuniqueopens: null, emailuniqueclicks: null, emailuniqueunsubscriptions: null },
  ...{ emailuniquebounces: null, emailuniquecomplaints: null },
};

const svc = (words: readonly string[], outside: Outside = {}) =>
  runCli(['task', 'report', ...words], { transport: service.transport, cwd, ...outside });
const json = async (...words: string[]) => JSON.parse((await svc([...words, '-o', 'json'])).stdout);

/** Makes an e-mail task that was completed an hour ago, a minute after its start. */
const put = (more: object = {}) =>
  sandbox.put('task', {
    ...{ account_id: 1, user_id: 1, list_id: 1, message_id: 1, channel: 'email', name: 'Spring' },
    ...{ completed: 1, scheduledtime: NOW - 3600, endtime: NOW - 3540, cdate: NOW - 86_400 },
    ...{ size: 400, emailuniqueopens: 100, emailuniqueclicks: 25, emailuniqueunsubscriptions: 2 },
    ...{ emailuniquebounces: 8, emailuniquecomplaints: 1 },
    ...more,
  });

describe('a report on a terminal', () => {
  it('is a funnel with rates, and explains the numbers', async () => {
    await put();
    const run = await svc(['1'], {
      tty: true,
      columns: 80,
      env: { ...UTF8, NO_COLOR: '1' },
    });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatchInlineSnapshot(`
      "task 1 (Spring)
      e-mail, 2026-12-01 08:00 Europe/London, completed after 1 minute

      subscriptions  400         ████████████████████████████████████████████████████
      opened         100  25.0%  █████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      clicked         25   6.3%  ███░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      unsubscribed     2   0.5%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      bounced          8   2.0%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
      complained       1   0.3%  █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░

      Clicks are 25.0% of opens.
      Shares are of the subscriptions when the task was created; the service does not
      report how many messages were sent.
      "
    `);
  });

  it.each([24, 40, 60, 79, 80, 200])('has no line wider than %i columns', async (columns) => {
    await put({ name: '春のセール'.repeat(12) });
    await put({ name: 'Other', emailuniqueopens: 12_345, size: 1_234_567 });
    for (const words of [['1'], ['1', '--compare', '2']]) {
      const { stdout } = await svc(words, { tty: true, columns, env: { ...UTF8, NO_COLOR: '1' } });
      const { displayWidth } = await import('../../../../src/kit/text/display-width.ts');
      expect(Math.max(...stdout.split('\n').map(displayWidth))).toBeLessThan(columns);
    }
  });

  it('is drawn in ASCII if the locale is not UTF-8', async () => {
    await put();
    const run = await svc(['1'], { tty: true, env: { LANG: 'C', NO_COLOR: '1' } });
    expect(run.stdout).toMatch(/opened +100 +25\.0% +#+\.+/);
    expect(run.stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  // One recipient of 1,000 is 0.1 %.
  it.each([
    [999, '0.3%'],
    [1000, '0.30%'],
  ])('has one decimal place below 1,000 recipients, and then two: %i', async (size, share) => {
    await put({ size, emailuniqueopens: 3 });
    expect((await svc(['1', '--plain'], { tty: true, env: UTF8 })).stdout).toContain(`opened: 3, ${share}\n`);
  });

  it('has no bar and no colour with --plain', async () => {
    await put();
    const run = await svc(['1', '--plain'], { tty: true, env: { ...UTF8, FORCE_COLOR: '1' } });
    expect(run.stdout).toContain('opened: 100, 25.0%\n');
    expect(run.stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('shows only the counts of the channel: bounces for an SMS', async () => {
    await put({ ...SMS, smsuniquebounces: 4 });
    const { stdout } = await svc(['1'], { env: UTF8 });
    expect(stdout.match(/^(bounced|opened|clicked|unsubscribed|complained)(?= +[0-9])/gm)).toEqual([
      'bounced',
    ]);
    expect(stdout).toMatch(/For\sSMS,\sthe\sservice\scounts\sonly\sbounces\./);
  });

  it('shows the size of a scheduled task, and does not call it sent', async () => {
    await put({ completed: 0, endtime: null, scheduledtime: NOW + 7200 });
    const { stdout } = await svc(['1'], { env: UTF8 });
    expect(stdout).toMatch(/^size +400/m);
    expect(stdout).not.toMatch(/^sent to/m);
    expect(stdout).toContain('11:00 Europe/London, starts in 2 hours');
  });

  it('has no share of zero recipients', async () => {
    await put({ size: 0, emailuniqueopens: 0 });
    expect((await svc(['1'], { env: UTF8 })).stdout).not.toContain('%');
  });

  it('has no control sequences, lines or colours from a name', async () => {
    await put({ name: 'a\u001b]0;owned\u0007b\nsent to 9' });
    const { stdout } = await svc(['1'], { tty: true, env: { NO_COLOR: '1' } });
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
    expect(stdout.split('\n')[0]).toContain('owned');
    expect(stdout.split('\n')[0]).toContain('sent to 9');
  });
});

describe('a report for scripts', () => {
  const ROWS = [
    { statistic: 'size', count: 400, percent: null },
    { statistic: 'opens', count: 100, percent: 25 },
    { statistic: 'clicks', count: 25, percent: 6.25 },
    { statistic: 'bounces', count: 8, percent: 2 },
    { statistic: 'unsubscriptions', count: 2, percent: 0.5 },
    { statistic: 'complaints', count: 1, percent: 0.25 },
  ];

  it('JSON, csv and an explicit table keep their rows', async () => {
    await put();
    expect(await json('1')).toEqual(ROWS);
    expect((await svc(['1', '-o', 'csv'])).stdout.split('\n').slice(0, 3)).toEqual([
      'statistic,count,percent',
      'size,400,',
      'opens,100,25',
    ]);
    expect((await svc(['1', '-o', 'table'])).stdout).toMatch(/^STATISTIC +COUNT +PERCENT\n/);
    expect((await svc(['1', '--jq', '.[1].count'])).stdout).toBe('100\n');
    expect((await svc(['1', '--fields', 'count', '-o', 'csv', '--no-header'])).stdout).toBe(
      '400\n100\n25\n8\n2\n1\n',
    );
  });

  it('--compare is {"task":{…},"other":{…}}, each with its attributes and its rows', async () => {
    await put();
    await put({ name: 'Summer', size: 400, emailuniqueopens: 130 });
    const compared = await json('Spring', '--compare', 'Summer');
    expect(Object.keys(compared)).toEqual(['task', 'other']);
    expect(compared.task).toMatchObject({ id: 1, name: 'Spring', size: 400, smsuniquebounces: null });
    expect(compared.other).toMatchObject({ id: 2, name: 'Summer', emailuniqueopens: 130 });
    for (const each of [compared.task, compared.other])
      expect(each.statistics.map((row: { statistic: string }) => row.statistic)).toEqual(
        ROWS.map((row) => row.statistic),
      );
    // 25% and 32.5% of 400 each: z = -0.075 / sqrt(0.2875 * 0.7125 * 2/400) = -2.34.
    expect(compared.task.statistics[1]).toEqual({ ...ROWS[1], points: -7.5, may_be_chance: false });
    expect(compared.other.statistics[1]).toMatchObject({ percent: 32.5, points: 7.5, may_be_chance: false });
    expect(compared.task.statistics[2]).toMatchObject({ points: 0, may_be_chance: true });
    expect(compared.task.statistics[5]).toMatchObject({ points: 0, may_be_chance: null });
    const run = await svc(['1', '--compare', '2', '-o', 'csv']);
    expect(run.stdout.split('\n').slice(0, 3)).toEqual([
      'statistic,task_count,task_percent,other_count,other_percent,points,may_be_chance',
      'size,400,,400,,,',
      'opens,100,25,130,32.5,-7.5,false',
    ]);
  });
});

describe('--compare', () => {
  it('shows both side by side, with the difference in points and its significance', async () => {
    await put();
    await put({ name: 'Summer', emailuniqueopens: 130, emailuniqueclicks: 30 });
    const run = await svc(['1', '--compare', '2'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatchInlineSnapshot(`
      "task 1 (Spring)
      e-mail, 2026-12-01 08:00 Europe/London, completed after 1 minute
      task 2 (Summer)
      e-mail, 2026-12-01 08:00 Europe/London, completed after 1 minute

                     task 1         task 2
      subscriptions     400            400
      opened            100  25.0%     130  32.5%  -7.5 points  significant
      clicked            25   6.3%      30   7.5%  -1.3 points  not significant
      unsubscribed        2   0.5%       2   0.5%   0.0 points  no difference
      bounced             8   2.0%       8   2.0%   0.0 points  no difference
      complained          1   0.3%       1   0.3%   0.0 points  no difference

      Differences are task 1 minus task 2, in percentage points.
      Not significant: p is 0.05 or more (two-proportion z-test).
      Significant: p < 0.05 (two-proportion z-test). The list or the day can also
      cause a difference.
      Shares are of the subscriptions when the task was created; the service does not
      report how many messages were sent.
      "
    `);
  });

  it('compares the bounces of an e-mail and an SMS, and says so', async () => {
    await put();
    await put({ ...SMS, name: 'Text', smsuniquebounces: 40 });
    const { stdout } = await svc(['1', '--compare', '2']);
    expect(stdout).toContain('only bounces can be compared');
    expect(stdout).toMatch(/bounced +8 +2\.0% +40 +10\.0% +-8\.0 points +significant/);
    expect(stdout).toMatch(/opened +100 +25\.0% +-\n/);
  });

  it('rejects the task itself, by id or name: exit 2', async () => {
    await put();
    const run = await svc(['1', '--compare', 'Spring']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('cannot compare task 1 with itself');
  });

  it('exits with 4 for an unknown task', async () => {
    await put();
    expect((await svc(['1', '--compare', '99'])).exitCode).toBe(4);
    expect((await svc(['1', '--compare', ''])).exitCode).toBe(2);
  });
});

describe('the significance of a difference: the two-proportion z-test, 1.96, if 5 are expected on either side', () => {
  it.each([
    // z by hand, from the shares, with the pooled share p: (a - b) / sqrt(p (1 - p) (1/n + 1/m)).
    ['-2.34', { count: 100, size: 400 }, { count: 130, size: 400 }, false],
    ['-1.89', { count: 100, size: 400 }, { count: 124, size: 400 }, true],
    ['-1.97', { count: 100, size: 400 }, { count: 125, size: 400 }, false],
    ['0', { count: 100, size: 400 }, { count: 100, size: 400 }, true],
    ['all of them', { count: 400, size: 400 }, { count: 400, size: 400 }, null],
    ['4.5 expected', { count: 5, size: 100 }, { count: 4, size: 100 }, null],
    ['5 expected', { count: 5, size: 100 }, { count: 5, size: 100 }, true],
    ['a small one beside a large one', { count: 3, size: 10 }, { count: 300, size: 1000 }, null],
    ['more counted than sent', { count: 11, size: 10 }, { count: 500, size: 1000 }, null],
  ])('z = %s', (_, a, b, expected) => {
    expect(canDifferenceBeDueToChance(a, b)).toBe(expected);
    expect(canDifferenceBeDueToChance(b, a)).toBe(expected);
  });
});

describe('--html FILE', () => {
  const page = async (name = 'report.html') => {
    const text = await readFile(join(cwd, name), 'utf8');
    const { nodes, faults } = parsePage(text);
    expect(faults).toEqual([]);
    const named = (name: string) => nodes.filter(({ nodeName }) => nodeName === name);
    return { text, nodes, named };
  };

  it('is a page with the numbers that are also printed, and a bar for each', async () => {
    await put();
    const run = await svc(['1', '--html', 'report.html', '-o', 'csv']);
    expect([run.exitCode, run.stderr]).toEqual([0, 'wrote report.html\n']);
    expect(run.stdout).toContain('opens,100,25');
    const { named } = await page();
    expect(named('h1').map(textOf)).toEqual(['Spring']);
    expect(named('tr').map(textOf)).toEqual([
      'What Count Share of subscriptions',
      ...[
        'Subscriptions 400',
        'Opened 100 25.0%',
        'Clicked 25 6.3%',
        'Unsubscribed 2 0.5%',
        'Bounced 8 2.0%',
      ],
      'Complained 1 0.3%',
    ]);
    expect(named('dd').map(textOf)).toEqual([
      ...['1, Spring', '1', '1'],
      expect.stringContaining('completed after 1 minute'),
      '2026-12-01 09:00 UTC',
    ]);
    const widths = named('rect').flatMap(({ attrs = [] }) =>
      attrs.some(({ value }) => value === 'bar') ? attrs.filter(({ name }) => name === 'width') : [],
    );
    expect(widths.map(({ value }) => value)).toEqual(['100%', '25%', '6.25%', '0.5%', '2%', '0.5%']);
  });

  it('has both tasks with --compare', async () => {
    await put();
    await put({ name: 'Summer', emailuniqueopens: 130 });
    await svc(['1', '--compare', '2', '--html', 'report.html']);
    const { named } = await page();
    expect(named('h1').map(textOf)).toEqual(['Spring and Summer']);
    expect(named('tr').map(textOf)).toContain('Opened 100 25.0% 130 32.5% -7.5 significant');
    const widths = named('rect').flatMap(({ attrs = [] }) =>
      attrs.some(({ value }) => value === 'bar') ? attrs.filter(({ name }) => name === 'width') : [],
    );
    expect(widths.slice(0, 4).map(({ value }) => value)).toEqual(['100%', '100%', '25%', '32.5%']);
  });

  it('escapes all text, and has no script and no external address', async () => {
    const hostile =
      '</title></style></text></svg><script>alert(1)</script><img src="https://example.com/x" onerror=x>';
    await put({ name: hostile });
    await put({ name: `${hostile}2`, channel: 'sms' });
    for (const words of [['1'], ['1', '--compare', '2']]) {
      await svc([...words, '--html', 'report.html', '--force']);
      const { nodes, text } = await page();
      const names = new Set(nodes.map(({ nodeName }) => nodeName));
      for (const name of ['script', 'img', 'link', 'iframe', 'object', 'base', 'a', 'image', 'use'])
        expect(names.has(name)).toBe(false);
      const attributes = nodes.flatMap(({ attrs = [] }) => attrs).map(({ name }) => name);
      expect(attributes.filter((name) => /^(on|src|href|xlink)/.test(name))).toEqual([]);
      expect(text.replaceAll(/&#60;.*?&#62;/g, '')).not.toMatch(/https?:|url\(|@import/);
      expect(text).toContain("default-src 'none'; style-src 'unsafe-inline'");
    }
  });

  it('overwrites an existing file only with --force, writes through no link, and sends nothing before', async () => {
    await put();
    await writeFile(join(cwd, 'report.html'), 'mine');
    await symlink('nowhere.html', join(cwd, 'link.html'));
    for (const name of ['report.html', 'link.html']) {
      const run = await svc(['1', '--html', name]);
      expect([run.exitCode, run.stdout, service.sent]).toEqual([2, '', []]);
      expect(run.stderr).toContain(`${name} already exists`);
      expect(run.stderr).toContain('--force replaces it');
    }
    expect(await readFile(join(cwd, 'report.html'), 'utf8')).toBe('mine');
    expect((await svc(['1', '--html', 'report.html', '--force'])).exitCode).toBe(0);
    expect(await readFile(join(cwd, 'report.html'), 'utf8')).toContain('<!doctype html>');
    expect((await readdir(cwd)).sort()).toEqual(['link.html', 'report.html']);
  });

  it('is not written if the task or the folder does not exist', async () => {
    await put();
    expect((await svc(['99', '--html', 'report.html'])).exitCode).toBe(4);
    expect((await svc(['1', '--html', 'no/such/report.html'])).exitCode).toBe(2);
    expect((await svc(['1', '--html', ''])).exitCode).toBe(2);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('--dry-run writes no file and sends nothing', async () => {
    const run = await svc(['1', '--html', 'report.html', '--dry-run']);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '', 'Would write report.html\n']);
    expect([await readdir(cwd), service.sent]).toEqual([[], []]);
  });

  it('is rejected with --companies, but without --html each company has its rows', async () => {
    const agency = await withPartnerProfile();
    try {
      const row = { user_id: 1, list_id: 1, message_id: 1, channel: 'email', name: 'Spring', cdate: NOW };
      for (const account_id of [1, 2])
        await agency.sandbox.put('task', { ...row, account_id, scheduledtime: NOW, size: 10 * account_id });
      const refused = await agency.svc([
        'task',
        'report',
        'Spring',
        '--companies',
        '1,2',
        '--html',
        'a.html',
      ]);
      expect([refused.exitCode, refused.stdout, agency.sent]).toEqual([2, '', []]);
      expect(refused.stderr).toContain('cannot combine --html with --companies');
      const run = await agency.done(['task', 'report', 'Spring', '--companies', '1,2', '-o', 'json']);
      const rows = JSON.parse(run.stdout).filter(
        ({ statistic }: { statistic: string }) => statistic === 'size',
      );
      expect(rows).toMatchObject([
        { company_id: 1, count: 10 },
        { company_id: 2, count: 20 },
      ]);
    } finally {
      await agency.remove();
    }
  });
});
