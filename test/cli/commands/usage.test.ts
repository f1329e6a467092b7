/** Contract, "Partners and many companies": `usage`, a month compared with the month before, and its HTML page. */

import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { assignments, type SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { NOW } from '../../support/sandbox.ts';
import { type Node, parsePage, textOf } from '../../support/web-page.ts';

const json = (text: string) => JSON.parse(text);
const utc = (text: string): number => Date.parse(text) / 1000;

let agency: PartnerProfile;
beforeEach(async () => {
  agency = await withPartnerProfile();
  await agency.done(['company', 'import', '-'], { stdin: 'id,name\n2,Other\n1,Company\n' });
});
afterEach(() => agency.remove());

const put = (scheduledtime: number, more: object = {}) =>
  agency.sandbox.put('task', {
    account_id: 1,
    user_id: 1,
    list_id: 1,
    message_id: 1,
    name: 'T',
    channel: 'email',
    size: 1,
    completed: 1,
    endtime: scheduledtime + 60,
    cdate: NOW,
    ...more,
    scheduledtime,
  });
const setAccount = async (set: SqlRow, id = 1) => {
  await agency.sandbox.service.store.db.run(sql`update account set ${assignments(set)} where id = ${id}`);
};
const usage = (...words: string[]) => agency.svc(['usage', ...words]);
const ONE = ['--company', '1'];
const ALL = ['--companies', 'all'];

describe('a row', () => {
  it('has the counts of the month, the balances, and the same counts of the month before', async () => {
    const email = { emailuniquebounces: 3, emailuniquecomplaints: 2, emailuniqueunsubscriptions: 5 };
    await put(utc('2026-11-03T09:00:00Z'), { size: 400, ...email });
    await put(utc('2026-11-20T09:00:00Z'), { size: 100, ...email, emailuniqueopens: 77 });
    await put(utc('2026-11-20T09:00:00Z'), { channel: 'sms', size: 30, smsuniquebounces: 4 });
    await put(utc('2026-10-09T09:00:00Z'), { size: 7, emailuniquecomplaints: 1 });
    await put(utc('2026-10-09T09:00:00Z'), { channel: 'sms', size: 8, smsuniquebounces: 6 });
    await put(utc('2026-09-09T09:00:00Z'), { size: 9000 });
    await put(utc('2026-12-01T09:00:00Z'), { size: 9000 });
    const run = await usage('--month', '2026-11', ...ONE, '-o', 'json');
    const [row] = json(run.stdout);
    expect(row).toEqual({
      company_id: 1,
      company: 'Company',
      month: '2026-11',
      ...{ email_sent: 500, sms_sent: 30, bounces: 10, complaints: 4, unsubscriptions: 10 },
      ...{ email_balance: 1000, sms_balance: 1000 },
      ...{ email_sent_before: 7, sms_sent_before: 8, bounces_before: 6, complaints_before: 1 },
      unsubscriptions_before: 0,
    });
    expect(Object.keys(row).slice(0, 10)).toEqual([
      ...['company_id', 'company', 'month', 'email_sent', 'sms_sent', 'bounces', 'complaints'],
      ...['unsubscriptions', 'email_balance', 'sms_balance'],
    ]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
  });

  it('has the current month unless --month names another', async () => {
    await put(utc('2026-12-01T08:00:00Z'), { size: 12 });
    const run = await usage(...ONE, '-o', 'json');
    expect(json(run.stdout)[0]).toMatchObject({ month: '2026-12' });
    expect(run.stdout).toBe((await usage('--month', '2026-12', ...ONE, '-o', 'json')).stdout);
  });

  it('counts only completed tasks', async () => {
    await put(utc('2026-11-03T09:00:00Z'), { completed: 0, endtime: null });
    await put(utc('2026-11-03T09:00:00Z'), { completed: 0, cancelled: 1 });
    await put(utc('2026-11-03T09:00:00Z'), { size: 5 });
    expect(json((await usage('--month', '2026-11', ...ONE, '-o', 'json')).stdout)).toMatchObject([
      { email_sent: 5 },
    ]);
  });

  it('has zeros for a company that sent nothing', async () => {
    const run = await usage('--month', '2026-11', ...ONE, '-o', 'csv');
    expect(run.stdout.split('\n')[1]).toBe('1,Company,2026-11,0,0,0,0,0,1000,1000,0,0,0,0,0');
    expect((await usage('--month', '2026-11', ...ONE, '--csv')).stdout).toBe(run.stdout);
  });
});

describe("assigns a task to a month of the company's zone, by its scheduled time", () => {
  // In the TZ database, 1 November 2026 00:00 occurs twice in Havana, first at 04:00 UTC. London is at UTC+1 until 25 October.
  it.each([
    ['Europe/London', '2026-11', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['Europe/London', '2026-10', '2026-09-30T23:00:00Z', '2026-11-01T00:00:00Z'],
    ['Europe/London', '2026-03', '2026-03-01T00:00:00Z', '2026-03-31T23:00:00Z'],
    ['America/Havana', '2026-11', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z'],
    ['Pacific/Kiritimati', '2026-11', '2026-10-31T10:00:00Z', '2026-11-30T10:00:00Z'],
    ['UTC', '2026-01', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  ])('%s, %s', async (timezone, month, start, end) => {
    await setAccount({ timezone });
    await put(utc(start) - 1, { size: 1 });
    await put(utc(start), { size: 10 });
    await put(utc(end) - 1, { size: 100 });
    await put(utc(end), { size: 1000 });
    // The values of --tz and the zone of the machine do not matter.
    const run = await usage('--month', month, ...ONE, '-o', 'json', '--tz', 'Asia/Tokyo');
    expect(json(run.stdout)).toMatchObject([{ email_sent: 110, email_sent_before: 1 }]);
  });

  it('assigns the tasks of many companies by the zone of each', async () => {
    await setAccount({ timezone: 'Pacific/Kiritimati' }, 2);
    const time = utc('2026-11-30T12:00:00Z');
    for (const account_id of [1, 2]) await put(time, { account_id, size: 5 });
    const run = await usage('--month', '2026-11', ...ALL, '-o', 'json');
    expect(json(run.stdout)).toMatchObject([
      { company_id: 2, email_sent: 0 },
      { company_id: 1, email_sent: 5 },
    ]);
  });

  it('says that a month is not over yet', async () => {
    const run = await usage('--month', '2026-12', ...ONE);
    expect(run.stderr).toBe('2026-12 is not over in Europe/London; svc counts only completed tasks.\n');
    expect((await usage('--month', '2026-11', ...ONE)).stderr).toBe('');
  });

  it('says so only once for many companies, with their zones', async () => {
    await setAccount({ timezone: 'Asia/Tokyo' }, 2);
    const run = await usage('--month', '2026-12', ...ALL, '--concurrency', '1');
    expect(run.stderr).toBe(
      '2026-12 is not over in Asia/Tokyo, Europe/London; svc counts only completed tasks.\n',
    );
  });

  it('prints no control sequences from the service in a note', async () => {
    await setAccount({ timezone: 'a\u001b]0;owned\u0007b' });
    const run = await usage('--month', '2026-11', ...ONE);
    expect(run.stderr).toContain('a␛]0;owned');
    expect(run.stderr).not.toContain('\u001b');
  });

  it('requests no task before the two months, and no page after them', async () => {
    for (let at = 0; at < 450; at += 1) await put(utc('2026-01-01T00:00:00Z') + at);
    for (let at = 0; at < 450; at += 1) await put(utc('2026-12-01T00:00:00Z') + at);
    await put(utc('2026-11-05T00:00:00Z'));
    const run = await usage('--month', '2026-11', ...ONE, '-o', 'json');
    expect(json(run.stdout)).toMatchObject([{ email_sent: 1, email_sent_before: 0 }]);
    const pages = agency.sent.filter(({ path }) => path === '/v1/task').map(({ query }) => query);
    expect(pages).toEqual([expect.stringContaining(`start=${utc('2026-09-30T23:00:00Z')}`)]);
  });

  it('says that this machine does not know a zone', async () => {
    await setAccount({ timezone: 'Mars/Base' });
    const run = await usage('--month', '2026-11', ...ONE);
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      "svc does not know the company's time zone Mars/Base. The month starts and ends at midnight in UTC.\n",
    ]);
  });
});

describe('a usage error exits with 2 and sends nothing', () => {
  it.each([
    ['an empty month', ['--month', '', ...ONE], '--month is not a month'],
    ['a month 13', ['--month', '2026-13', ...ONE], '2026-13 is not a month'],
    ['a day', ['--month', '2026-11-01', ...ONE], 'is not a month'],
    ['a word', ['--month', 'november', ...ONE], 'is not a month'],
    ['no company', ['--month', '2026-11'], '--companies all'],
    ['an empty path', ['--month', '2026-11', '--html', '', ...ONE], '--html is empty'],
  ])('%s', async (_, words, problem) => {
    const run = await usage(...words);
    expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain(problem);
  });
});

it('reports the error of a company and continues with the others: exit 8', async () => {
  const run = await usage('--month', '2026-11', '--companies', '1,3,2', '-o', 'json');
  expect([run.exitCode, json(run.stdout).length]).toEqual([8, 2]);
  expect(json(run.stderr).error).toMatchObject({ company_id: 3, exit: 3 });
});

async function pageAt(name: string) {
  const text = await readFile(join(agency.folder, name), 'utf8');
  const { nodes, faults } = parsePage(text);
  expect(faults).toEqual([]);
  return { text, nodes };
}
const rowsOf = (nodes: readonly Node[]): readonly string[] =>
  nodes.filter(({ nodeName }) => nodeName === 'tr').map(textOf);

describe('--html FILE', () => {
  const page = ['--month', '2026-11', '--html', 'usage.html'];

  it('writes a page with the rows that are also printed', async () => {
    await put(utc('2026-11-03T09:00:00Z'), { size: 1234, emailuniquebounces: 3 });
    await put(utc('2026-10-03T09:00:00Z'), { size: 56, account_id: 2 });
    const run = await usage(...page, ...ALL, '-o', 'json');
    expect([run.exitCode, json(run.stdout).length]).toEqual([0, 2]);
    expect(run.stderr).toBe('wrote usage.html\n');
    const { nodes, text } = await pageAt('usage.html');
    expect(rowsOf(nodes).slice(1)).toEqual([
      'Other 2 0 56 0 0 0 0 0 0 0 0 1,000 1,000',
      'Company 1 1,234 0 0 0 3 0 0 0 0 0 1,000 1,000',
      'All of them 1,234 56 0 0 3 0 0 0 0 0 2,000 2,000',
    ]);
    expect(text).toContain('Usage in 2026-11');
    expect(await readdir(agency.folder)).not.toContain('usage.html.part');
  });

  it('has no total for one company', async () => {
    await agency.done(['usage', ...page, ...ONE]);
    expect(rowsOf((await pageAt('usage.html')).nodes)).toHaveLength(2);
  });

  it('escapes all text, runs no script, and loads nothing from other addresses', async () => {
    await setAccount({
      name: '</td></table><script>alert(1)</script><img src="https://example.com/x" onerror=x>',
    });
    await setAccount({ timezone: '<b>Mars</b>' });
    await agency.done(['company', 'remove', '1']);
    await agency.done(['usage', ...page, '--companies', '1,2']);
    const { nodes, text } = await pageAt('usage.html');
    const names = nodes.map(({ nodeName }) => nodeName);
    for (const name of ['script', 'img', 'link', 'iframe', 'b']) expect(names).not.toContain(name);
    expect(
      nodes.flatMap(({ attrs = [] }) => attrs).filter(({ name }) => /^(on|src|href)/.test(name)),
    ).toEqual([]);
    expect(text).toContain('&#60;script&#62;');
    expect(text).toContain('@media (prefers-color-scheme:dark)');
  });

  it('overwrites an existing file only with --force, and sends nothing before', async () => {
    const path = join(agency.folder, 'usage.html');
    await writeFile(path, 'mine');
    for (const of of [ONE, ALL]) {
      const run = await usage(...page, ...of);
      expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
      expect(run.stderr).toContain('usage.html already exists');
      expect(run.stderr).toContain('--force replaces it');
    }
    expect(await readFile(path, 'utf8')).toBe('mine');
    await agency.done(['usage', ...page, '--force', ...ONE]);
    expect(await readFile(path, 'utf8')).toContain('<!doctype html>');
  });

  it('does not write through a link', async () => {
    await symlink('nowhere.html', join(agency.folder, 'usage.html'));
    expect((await usage(...page, ...ONE)).exitCode).toBe(2);
    expect(await readdir(agency.folder)).not.toContain('nowhere.html');
  });

  it('says on the page that a company is missing', async () => {
    const run = await usage(...page, '--companies', '1,3');
    expect(run.exitCode).toBe(8);
    expect((await pageAt('usage.html')).text).toContain('Some companies are missing');
  });

  it('is written as a whole or not at all', async () => {
    const failing: Transport = (request, signal) =>
      request.path === '/v1/task'
        ? Promise.resolve({
            status: 403,
            headers: {},
            body: '{"status":"error","response":{"code":403,"message":"no"}}',
          })
        : agency.transport(request, signal);
    const run = await agency.svc(['usage', ...page, ...ALL], { transport: failing });
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain('usage.html was not written');
    const nowhere = await usage('--month', '2026-11', '--html', 'no/such/folder.html', ...ONE);
    expect(nowhere.exitCode).toBe(2);
    expect((await readdir(agency.folder)).filter((name) => name.includes('html'))).toEqual([]);
  });

  it('--dry-run writes no file', async () => {
    for (const of of [ONE, ALL]) {
      const run = await usage(...page, ...of, '--dry-run');
      expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '', 'Would write usage.html\n']);
    }
    expect(await readdir(agency.folder)).not.toContain('usage.html');
  });
});
