import { beforeAll, describe, expect, it } from 'vitest';
import type { Scalar } from '../../../../src/kit/schema/field.ts';
import type { Values } from '../../../../src/kit/schema/resource.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { withEverything } from '../../../support/everything.ts';
import { type Outside, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await withEverything();
  for (const name of ['Two', 'Three'])
    await sandbox.put('list', { account_id: IDS.company, name, cdate: NOW });
});

const RULE = { actiontype: 'notify', actiontarget: 'office@example.com', name: 'Rule', summary: null };

async function make(kind: string, more: Values): Promise<string> {
  const base: Record<string, Scalar> = kind === 'sms' ? { name: 'Rule', summary: null, keyword: null } : RULE;
  const answer = await sandbox.send('admin', 'POST', `/v1/${kind}Automation`, { ...base, ...more });
  expect(answer.status, answer.text).toBe(202);
  return `${kind}:${String(answer.data['id'])}`;
}

async function zoneOf(timezone: string): Promise<void> {
  await sandbox.service.store.db.run(
    sql`update account set timezone = ${timezone} where id = ${IDS.company}`,
  );
}

async function simulate(rule: string, at: string, outside: Outside = {}) {
  const run = await runCli(['automation', 'simulate', rule, '--at', at, '-o', 'json'], {
    transport: serviceOf(sandbox).transport,
    ...outside,
  });
  expect(run, run.stderr).toMatchObject({ exitCode: 0 });
  return { rows: JSON.parse(run.stdout), stderr: run.stderr };
}

const DAY = { actiontimediff: 86_400, actiononweekend: true };
const HOURLY = (hour: number, more: Values = {}): Values => ({
  actionhour: `${String(hour).padStart(2, '0')}:00:00`,
  actiononweekend: true,
  ...more,
});
const CLICK = { link_id: null, message_id: 2 };

/**
 * Calculated by hand from the interface, "Automation rules" 1 to 5, and the contract's "Insight". The times in UTC follow from the rules
 * of the zone.
 */
describe('when the action runs', () => {
  const rows: readonly (readonly [
    what: string,
    zone: string,
    kind: string,
    rule: Values,
    at: string,
    local: string,
    utc: string,
  ])[] = [
    // 24 hours after Friday 18:30 is Saturday 18:30; "An action on a Saturday or Sunday in that zone moves to the
    // Monday, same time".
    [
      'weekend',
      'Europe/London',
      'click',
      { ...CLICK, actiontimediff: 86_400, actiononweekend: false },
      '2026-12-04T18:30:00Z',
      '2026-12-07 18:30',
      '2026-12-07T18:30:00Z',
    ],
    [
      'weekend allowed',
      'Europe/London',
      'click',
      { ...CLICK, ...DAY },
      '2026-12-04T18:30:00Z',
      '2026-12-05 18:30',
      '2026-12-05T18:30:00Z',
    ],
    // "the first such hour, in the company's zone, at or after event + actiontimediff".
    [
      'actionhour',
      'America/New_York',
      'open',
      { message_id: 2, ...HOURLY(9) },
      '2026-12-01T15:00:00Z',
      '2026-12-02 09:00',
      '2026-12-02T14:00:00Z',
    ],
    // 1440 of a click rule are seconds: 24 minutes after 08:40 it is 09:04, so 09:00 is past.
    [
      '1440 seconds',
      'Europe/London',
      'click',
      { ...CLICK, ...HOURLY(9, { actiontimediff: 1440 }) },
      '2026-12-01T08:40:00Z',
      '2026-12-02 09:00',
      '2026-12-02T09:00:00Z',
    ],
    // 1440 of a subscription rule are minutes, a day.
    [
      '1440 minutes',
      'Europe/London',
      'subscription',
      { list_id: 2, ...HOURLY(9, { actiontimediff: 1440 }) },
      '2026-12-01T08:40:00Z',
      '2026-12-02 09:00',
      '2026-12-02T09:00:00Z',
    ],
    // London goes from 01:00 to 02:00 on 28 March 2027: that day has no 01:00, and 01:00 of the next day is 00:00 UTC.
    [
      'an hour that is not',
      'Europe/London',
      'click',
      { ...CLICK, ...HOURLY(1) },
      '2027-03-27T12:00:00Z',
      '2027-03-29 01:00',
      '2027-03-29T00:00:00Z',
    ],
    // London goes back from 02:00 to 01:00 on 25 October 2026: 01:00 is at 00:00 UTC, and again at 01:00 UTC.
    [
      'an hour that is twice',
      'Europe/London',
      'click',
      { ...CLICK, ...HOURLY(1) },
      '2026-10-24T12:00:00Z',
      '2026-10-25 01:00',
      '2026-10-25T00:00:00Z',
    ],
    [
      'its second time',
      'Europe/London',
      'click',
      { ...CLICK, ...HOURLY(1) },
      '2026-10-25T00:30:00Z',
      '2026-10-25 01:00',
      '2026-10-25T01:00:00Z',
    ],
    // A span of 24 hours over that change ends an hour earlier by the local clock.
    [
      'a day of 25 hours',
      'Europe/London',
      'click',
      { ...CLICK, ...DAY },
      '2026-10-24T11:00:00Z',
      '2026-10-25 11:00',
      '2026-10-25T11:00:00Z',
    ],
    // New York goes from 02:00 to 03:00 on 14 March 2027, a Sunday; the Monday is at UTC-4.
    [
      'New York',
      'America/New_York',
      'click',
      { ...CLICK, ...HOURLY(2) },
      '2027-03-14T05:30:00Z',
      '2027-03-15 02:00',
      '2027-03-15T06:00:00Z',
    ],
    // Lord Howe goes from 02:00 to 02:30 on 4 October 2026, from UTC+10:30 to UTC+11.
    [
      'half an hour',
      'Australia/Lord_Howe',
      'click',
      { ...CLICK, ...HOURLY(2) },
      '2026-10-03T14:00:00Z',
      '2026-10-05 02:00',
      '2026-10-04T15:00:00Z',
    ],
    [
      'Kathmandu',
      'Asia/Kathmandu',
      'click',
      { ...CLICK, ...HOURLY(9) },
      '2026-12-01T03:15:01Z',
      '2026-12-02 09:00',
      '2026-12-02T03:15:00Z',
    ],
    // Santiago goes from 24:00 on Saturday 4 September 2027 to 01:00 on the Sunday, which has no midnight.
    [
      'Santiago',
      'America/Santiago',
      'click',
      { ...CLICK, ...HOURLY(0) },
      '2027-09-05T03:00:00Z',
      '2027-09-06 00:00',
      '2027-09-06T03:00:00Z',
    ],
    // "negative is before the date"; --at is the date.
    [
      'before a date',
      'Europe/London',
      'date',
      { actiontimediff: -86_400, actiononweekend: true },
      '2027-01-10T08:00:00Z',
      '2027-01-09 08:00',
      '2027-01-09T08:00:00Z',
    ],
  ];
  it.each(rows)('%s', async (_, zone, kind, more, at, local, utc) => {
    await zoneOf(zone);
    const rule = await make(kind, more);
    const { rows: found } = await simulate(rule, at);
    const time = Date.parse(utc) / 1000;
    expect(found).toEqual([
      { time, local, action: 'notify', target: 'office@example.com', why: expect.any(String) },
    ]);
    await zoneOf('Europe/London');
  });

  it('takes the date of a date rule without a time of day, and of no other rule', async () => {
    const rule = await make('date', { actiontimediff: -86_400, actiononweekend: true });
    const { rows } = await simulate(rule, '2027-03-04');
    expect(rows).toEqual((await simulate(rule, '2027-03-04 00:00')).rows);
    const run = await runCli(['automation', 'simulate', 'click:1', '--at', '2027-03-04']);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('has no time of day')]);
  });

  it('is counted from now for a past date, and the row says so', async () => {
    const rule = await make('date', { actiontimediff: -86_400, actiononweekend: true });
    const { rows: found } = await simulate(rule, String(NOW + 3600));
    expect(found).toMatchObject([
      { time: NOW, why: '1 day before the date; that time has passed, so the delay starts now' },
    ]);
  });

  it("is read as a local time of the company's zone", async () => {
    const rule = await make('open', { message_id: 2 });
    await zoneOf('Asia/Kathmandu');
    const { rows: found } = await simulate(rule, '2026-12-02 09:00');
    await zoneOf('Europe/London');
    expect(found).toMatchObject([
      { time: Date.parse('2026-12-02T03:15:00Z') / 1000, local: '2026-12-02 09:00' },
    ]);
  });
});

/** Contract, "Insight", Settled: for sms rules `sms_autoresponder`, `addtolist`, `notifyemail`, `notifymsisdn`, `notifyurl`. */
it('an SMS rule acts at once, except for its answer', async () => {
  const rule = await make('sms', {
    keyword: 'ALL',
    list_id: 2,
    email_list_id: 3,
    message_id: 1,
    message_actiontimediff: 86_400,
    message_actiononweekend: false,
    notifyemail: 'shop@example.com',
    notifymsisdn: '447700900999',
    notifyurl: 'https://example.com/in',
  });
  const { rows } = await simulate(rule, '2026-12-04T18:30:00Z');
  const now = { time: Date.parse('2026-12-04T18:30:00Z') / 1000, local: '2026-12-04 18:30' };
  expect(rows.filter(({ why }: { why: string }) => !why.startsWith('subscription:'))).toEqual([
    { ...now, action: 'addtolist', target: '2', why: 'at once' },
    { ...now, action: 'addtolist', target: '3', why: expect.stringContaining('contains an e-mail address') },
    { ...now, action: 'notifymsisdn', target: '447700900999', why: 'at once' },
    { ...now, action: 'notifyemail', target: 'shop@example.com', why: 'at once' },
    { ...now, action: 'notifyurl', target: 'https://example.com/in', why: 'at once' },
    {
      time: Date.parse('2026-12-07T18:30:00Z') / 1000,
      local: '2026-12-07 18:30',
      action: 'sms_autoresponder',
      target: '1',
      why: '1 day after the SMS; that is Sat 2026-12-05 18:30, so it waits until Monday',
    },
  ]);
});

it('shows rules of the lists that it adds to, until a rule would repeat', async () => {
  const list = await sandbox.put('list', { account_id: IDS.company, name: 'Four', cdate: NOW });
  const other = await sandbox.put('list', { account_id: IDS.company, name: 'Five', cdate: NOW });
  const hours = (count: number): Values => ({ actiontimediff: 60 * count, actiononweekend: true });
  const there = { list_id: list, actiontype: 'movetolist', actiontarget: String(other), name: 'There' };
  const back = { list_id: other, actiontype: 'movetolist', actiontarget: String(list), name: 'Back' };
  const [first, second] = [
    await make('subscription', { ...there, ...hours(1) }),
    await make('subscription', { ...back, ...hours(2) }),
  ];
  const idle = await make('subscription', { list_id: list, paused: true });
  const rule = await make('click', { ...CLICK, ...DAY, actiontype: 'addtolist', actiontarget: String(list) });
  const { rows } = await simulate(rule, String(NOW));
  const at = (hour: number) => NOW + 86_400 + hour * 3600;
  expect(rows).toEqual([
    {
      time: at(0),
      local: '2026-12-02 09:00',
      action: 'addtolist',
      target: String(list),
      why: '1 day after the click',
    },
    {
      ...{ time: at(1), local: '2026-12-02 10:00', action: 'movetolist', target: String(other) },
      why: `${first} (There) of list ${list}: 1 hour after the subscription`,
    },
    {
      ...{ time: at(3), local: '2026-12-02 12:00', action: 'movetolist', target: String(list) },
      why: `${second} (Back) of list ${other}: 2 hours after the subscription; a loop, where the simulation stops: ${first} → ${second} → ${first}`,
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain(idle);
});

/** "A paused rule: no row that acts, exit 0, and it says so." */
it.each([
  ['json', '[]\n'],
  ['table', ''],
  ['csv', 'time,local,action,target,why\n'],
])('prints no row for a paused rule as %s', async (format, stdout) => {
  const rule = await make('open', { message_id: 2, paused: true });
  const argv = ['automation', 'simulate', rule, '--at', 'now', '-o', format];
  const run = await runCli(argv, { transport: serviceOf(sandbox).transport });
  expect(run).toMatchObject({ exitCode: 0, stdout });
  expect(run.stderr).toBe(
    `${rule} is paused and would do nothing; run svc automation resume ${rule} to resume it\n`,
  );
});

describe('other output', () => {
  it('prints a page that fits 80 columns and names its rule', async () => {
    const rule = await make('click', {
      ...CLICK,
      name: 'Later \u001b[31m',
      ...HOURLY(9, { actiononweekend: false, actiontimediff: 1440 }),
    });
    const argv = ['automation', 'simulate', rule, '--at', '2026-12-04 18:00'];
    const run = await runCli(argv, { transport: serviceOf(sandbox).transport, tty: true, columns: 80 });
    const plain = run.stdout.replaceAll(/\u001b\[[0-9;]*m/g, '');
    expect(plain.split('\n').every((line) => line.length <= 80)).toBe(true);
    expect(plain).toContain('2026-12-07 09:00  notify office@example.com\n');
    expect(plain).toContain('for a click at Fri 2026-12-04 18:00:00');
    expect(plain).not.toContain('\u001b');
  });

  it('--fields, --query and the other formats have the rows', async () => {
    const rule = await make('open', { message_id: 2 });
    const run = (...more: string[]) =>
      runCli(['automation', 'simulate', rule, '--at', String(NOW), ...more], {
        transport: serviceOf(sandbox).transport,
      });
    expect((await run('--fields', 'action,time')).stdout).toBe(`ACTION        TIME\nnotify  ${NOW}\n`);
    expect((await run('-o', 'csv')).stdout).toBe(
      `time,local,action,target,why\n${NOW},2026-12-01 09:00,notify,office@example.com,at once\n`,
    );
  });
});

// Interface, "Automation rules": a rule acts on events. So it cannot have acted on one from before it existed.
describe('a rule that is younger than the event', () => {
  const REF = /^(click|open|subscription|sms|date):[0-9]+ was created on .*, after this event/m;
  const cases: readonly (readonly [kind: string, more: Values])[] = [
    ['click', CLICK],
    ['open', { message_id: 2 }],
    ['subscription', { list_id: 1 }],
  ];

  it.each(cases)('%s: says so, and shows what it would do', async (kind, more) => {
    const rule = await make(kind, more);
    const before = await simulate(rule, String(NOW - 1));
    expect(before.stderr).toContain(
      `${rule} was created on Tue 2026-12-01 09:00:00 +00:00 (Europe/London), after this event, so it did nothing for`,
    );
    expect(before.rows).toHaveLength(1);
    for (const at of [NOW, NOW + 1]) expect((await simulate(rule, String(at))).stderr).not.toMatch(REF);
  });

  it('says so for a paused rule and with --quiet, too', async () => {
    const rule = await make('click', { ...CLICK, paused: true });
    const { transport } = serviceOf(sandbox);
    const run = await runCli(['automation', 'simulate', rule, '--at', String(NOW - 1), '--quiet'], {
      transport,
    });
    expect(run.stderr).toMatch(REF);
  });

  it('says nothing about a date rule, which acts on dates of any age', async () => {
    const rule = await make('date', { actiontimediff: -86_400, actiononweekend: true });
    expect((await simulate(rule, String(NOW - 86_400))).stderr).not.toMatch(REF);
  });
});

describe('rejects wrong arguments', () => {
  it.each([
    [['click:99', '--at', 'now'], 4, 'automation click:99 not found'],
    [['click:1'], 2, '--at is required'],
    [['click:1', '--at', 'soon'], 2, '--at is refused: "soon" is not a time'],
    [['click:1', '--at', '2027-03-28 01:30'], 2, 'does not exist in Europe/London'],
    [['clock:1', '--at', 'now'], 2, 'unknown kind clock'],
  ] as const)('%j exits with %i', async (words, exitCode, message) => {
    const { transport, sent } = serviceOf(sandbox);
    const run = await runCli(['automation', 'simulate', ...words], { transport });
    expect(run).toMatchObject({ exitCode, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(writesIn(sent)).toEqual([]);
  });

  it.each([
    ['"09:30:00"', 'the hour 09:30:00, which is not in the form HH:00:00'],
    ['{}', 'an actiontimediff that is not a number'],
  ])('names the facts about a rule that the interface does not show: %s', async (value, message) => {
    const name = value.startsWith('"') ? 'actionhour' : 'actiontimediff';
    const transport: Transport = async (request, signal) => {
      const answer = await serviceOf(sandbox).transport(request, signal);
      return { ...answer, body: answer.body.replace(new RegExp(`"${name}":(null|0)`), `"${name}":${value}`) };
    };
    const run = await runCli(['automation', 'simulate', 'click:1', '--at', 'now'], { transport });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain(`cannot simulate: click:1 has ${message}`);
  });

  it('rejects an invalid time before any request', async () => {
    const { transport, sent } = serviceOf(sandbox);
    await runCli(['automation', 'simulate', 'click:1', '--at', 'soon'], { transport });
    expect(sent).toEqual([]);
  });
});

it('requests the rules of lists only if the rule adds to one', async () => {
  const { transport, sent } = serviceOf(sandbox);
  await runCli(['automation', 'simulate', 'open:1', '--at', 'now'], { transport });
  expect(sent.map(({ path }) => path)).toEqual(['/v1/openAutomation/1', '/v1/task', '/v1/account']);
});
