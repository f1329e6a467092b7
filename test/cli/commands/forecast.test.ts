/** Contract, "Partners and many companies": `forecast`, the credits of scheduled tasks in time order against the balances. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { assignments, type SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { putEmail, putSms } from '../../support/messages.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { PARTNER, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../support/sandbox.ts';

const json = (text: string) => JSON.parse(text);
const row = { user_id: 1, list_id: 1, cdate: NOW, completed: 0, cancelled: 0 };

const put = (sandbox: TestSandbox, more: object) =>
  sandbox.put('task', {
    ...row,
    account_id: 1,
    name: 'T',
    channel: 'email',
    message_id: 1,
    scheduledtime: NOW + 3600,
    size: 100,
    ...more,
  });
const setAccount = async (sandbox: TestSandbox, set: SqlRow, id = 1) => {
  await sandbox.service.store.db.run(sql`update account set ${assignments(set)} where id = ${id}`);
};

describe('a forecast of one company', () => {
  let sandbox: TestSandbox;
  let service: ReturnType<typeof serviceOf>;
  beforeEach(async () => {
    sandbox = await createTestSandbox();
    service = serviceOf(sandbox);
    await putEmail(sandbox);
  });
  const forecast = (...words: string[]) => runCli(['forecast', '-o', 'json', ...words], service);
  const asked = (path: string) => service.sent.filter((request) => request.path.startsWith(path)).length;

  it('prints task_id, channel, scheduledtime, size, parts, credits and balance in order of time, with a balance for each channel', async () => {
    await putSms(sandbox, { message: 'x'.repeat(161) });
    await put(sandbox, { scheduledtime: NOW + 7200, size: 300 });
    await put(sandbox, { scheduledtime: NOW + 3600, size: 100, channel: 'sms', message_id: 1 });
    await put(sandbox, { scheduledtime: NOW + 1800, size: 50 });
    const run = await forecast();
    expect(json(run.stdout)).toEqual([
      {
        task_id: 3,
        channel: 'email',
        scheduledtime: NOW + 1800,
        size: 50,
        parts: 1,
        credits: 50,
        balance: 950,
      },
      {
        task_id: 2,
        channel: 'sms',
        scheduledtime: NOW + 3600,
        size: 100,
        parts: 2,
        credits: 200,
        balance: 800,
      },
      {
        task_id: 1,
        channel: 'email',
        scheduledtime: NOW + 7200,
        size: 300,
        parts: 1,
        credits: 300,
        balance: 650,
      },
    ]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
  });

  // Interface, Limits: 1, 2 or 3 parts of about 160, 306, 459 characters; smsMessage: subinfo adds 30 bytes.
  it.each([
    [160, 0, 1],
    [161, 0, 2],
    [306, 0, 2],
    [307, 0, 3],
    [459, 0, 3],
    [131, 1, 2],
    [130, 1, 1],
  ])(
    'counts for %i characters with subinfo %i: %i credits for each recipient',
    async (length, subinfo, parts) => {
      await putSms(sandbox, { message: 'x'.repeat(length), subinfo });
      await put(sandbox, { channel: 'sms', size: 10 });
      expect(json((await forecast()).stdout)).toMatchObject([{ parts, credits: 10 * parts }]);
    },
  );

  it('counts more parts for characters beyond the GSM alphabet', async () => {
    await putSms(sandbox, { message: `${'x'.repeat(70)}Ω€ż` });
    await put(sandbox, { channel: 'sms', size: 10 });
    expect(json((await forecast()).stdout)).toMatchObject([{ parts: 2, credits: 20 }]);
  });

  it.each([
    [1000, 0, 0],
    [1001, 11, -1],
  ])('a balance of 1,000 and a size of %i exit with %i, because 0 is enough', async (size, exit, balance) => {
    await put(sandbox, { size });
    const run = await forecast();
    expect([run.exitCode, json(run.stdout)[0].balance]).toEqual([exit, balance]);
    if (exit === 0) return expect(run.stderr).toBe('');
    expect(run.stderr).toContain(
      'Too few credits: 1 e-mail credit is missing. The credits run out at task 1.',
    );
  });

  it('is short if the sum of several tasks is, and names the first unpaid one', async () => {
    for (const at of [1, 2, 3]) await put(sandbox, { size: 600, scheduledtime: NOW + at * 1000 });
    const run = await forecast();
    expect([run.exitCode, json(run.stdout).map(({ balance }: { balance: number }) => balance)]).toEqual([
      11,
      [400, -200, -800],
    ]);
    expect(run.stderr).toContain('800 e-mail credits are missing. The credits run out at task 2.');
    expect(run.stderr).toContain('A quota or an overdraft (overage)');
  });

  it('leaves out completed and cancelled tasks, and says that a task has started', async () => {
    await put(sandbox, { completed: 1, size: 5000, endtime: NOW });
    await put(sandbox, { cancelled: 1, size: 5000, endtime: NOW });
    await put(sandbox, { scheduledtime: NOW - 60, size: 7 });
    const run = await forecast();
    expect(json(run.stdout)).toMatchObject([{ task_id: 3, credits: 7 }]);
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringMatching(/^Task 3: already being sent; /)]);
  });

  it('says that nothing is scheduled: exit 0', async () => {
    const run = await runCli(['forecast'], service);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([0, '', 'Nothing is scheduled.\n']);
    expect((await forecast()).stdout).toBe('[]\n');
  });

  it('counts no credits for free e-mail (accountFeatures, enableemailcredits)', async () => {
    await setAccount(sandbox, { enableemailcredits: 0, emailcreditbalance: 0 });
    await put(sandbox, { size: 5000 });
    const run = await forecast();
    expect(json(run.stdout)).toMatchObject([{ size: 5000, parts: 1, credits: 0, balance: 0 }]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
  });

  it('says that e-mail is counted if the user may not read whether it costs credits', async () => {
    await setAccount(sandbox, { enableemailcredits: 0 });
    await sandbox.service.store.db.run(sql`update email_message set user_id = 2`);
    await put(sandbox, { size: 5 });
    const run = await runCli(['forecast', '-o', 'json'], { ...service, env: { SVC_USER_ID: '2' } });
    expect(json(run.stdout)).toMatchObject([{ credits: 5 }]);
    expect(run.stderr).toContain(
      'Only an admin or partner can see whether e-mail costs credits. This forecast assumes that e-mail costs credits.',
    );
  });

  it('counts one part for a message that can no longer be read, which is the minimum, and says so', async () => {
    await putSms(sandbox, { deleted: 1 });
    await put(sandbox, { channel: 'sms', size: 10 });
    const run = await forecast();
    expect(json(run.stdout)).toMatchObject([{ size: 10, parts: null, credits: 10, balance: 990 }]);
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('Task 1: message not readable')]);
  });

  it('counts nothing for an unknown size, and says so', async () => {
    await put(sandbox, { size: 10 });
    await put(sandbox, { size: 20, scheduledtime: NOW + 7200 });
    const transport: Transport = async (request, signal) => {
      const answer = await service.transport(request, signal);
      return { ...answer, body: answer.body.replace('"size":10,', '"size":null,') };
    };
    const run = await runCli(['forecast', '-o', 'json'], { transport });
    expect(json(run.stdout)).toMatchObject([
      { size: null, credits: null, balance: 1000 },
      { size: 20, credits: 20, balance: 980 },
    ]);
    expect(run.stderr).toContain('Task 1: size unknown');
  });

  it('reports an account without a balance as an error, and does not guess', async () => {
    await put(sandbox, {});
    const transport: Transport = async (request, signal) => {
      const answer = await service.transport(request, signal);
      return { ...answer, body: answer.body.replace('"emailcreditbalance":1000,', '') };
    };
    const run = await runCli(['forecast'], { transport });
    expect([run.exitCode, run.stderr]).toEqual([1, 'svc: the account shows no balance\n']);
  });

  it('notes nearly reached limits, if the account shows a count for them', async () => {
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'])
      await sandbox.put('list', { account_id: 1, name, cdate: NOW });
    await setAccount(sandbox, { list_limit: 11, user_limit: 2, subscriber_limit: null });
    const far = await forecast();
    expect(far.stderr).toBe('The account has reached a limit: 2 of 2 sub-users (user_limit).\n');
    await setAccount(sandbox, { list_limit: 10, user_limit: 3 });
    expect((await forecast()).stderr).toBe(
      'The account has nearly reached a limit: 9 of 10 lists (list_limit).\n',
    );
    expect((await forecast('--quiet')).stderr).toBe('');
  });

  it('requests each message once, whatever the number of tasks', async () => {
    await putSms(sandbox);
    await putSms(sandbox);
    for (let at = 0; at < 450; at += 1)
      await put(sandbox, { channel: 'sms', message_id: 1 + (at % 2), size: 1, scheduledtime: NOW + 60 + at });
    const run = await forecast();
    expect(json(run.stdout)).toHaveLength(450);
    expect(json(run.stdout).at(-1)).toMatchObject({ balance: 550 });
    expect([asked('/v1/smsMessage'), asked('/v1/account'), asked('/v1/task')]).toEqual([2, 1, 3]);
  });

  it('a table shows times in the zone of the company', async () => {
    await put(sandbox, {});
    await setAccount(sandbox, { timezone: 'Asia/Tokyo' });
    const run = await runCli(['forecast'], service);
    expect(run.stdout).toBe(
      'TASK_ID  CHANNEL  SCHEDULEDTIME     SIZE  PARTS  CREDITS  BALANCE\n' +
        '      1  email    2026-12-01 19:00   100      1      100      900\n',
    );
  });

  it('requires a company from a partner', async () => {
    const run = await runCli(['forecast'], { ...service, env: { ...PARTNER, SVC_COMPANY_ID: undefined } });
    expect([run.exitCode, run.stdout, service.sent]).toEqual([2, '', []]);
    expect(run.stderr).toContain('--companies all');
  });
});

describe('--companies', () => {
  let agency: PartnerProfile;
  beforeEach(async () => {
    agency = await withPartnerProfile();
    await agency.done(['company', 'import', '-'], { stdin: 'id,name\n2,Other\n1,Company\n' });
    await put(agency.sandbox, { account_id: 2, size: 1001 });
    await put(agency.sandbox, { account_id: 1, size: 1000 });
  });
  afterEach(() => agency.remove());
  const forecast = (selector: string) => agency.svc(['forecast', '--companies', selector, '-o', 'json']);

  it('prints the balances of each company, with company_id and company first, and exits with 11 if one is short', async () => {
    const run = await forecast('all');
    expect(json(run.stdout)).toMatchObject([
      { company_id: 2, company: 'Other', task_id: 1, balance: -1 },
      { company_id: 1, company: 'Company', task_id: 2, balance: 0 },
    ]);
    expect(Object.keys(json(run.stdout)[0]).slice(0, 3)).toEqual(['company_id', 'company', 'task_id']);
    expect(run.exitCode).toBe(11);
    expect(run.stderr).toContain('company 2: Too few credits: 1 e-mail credit');
  });

  it('exits 0 if no company is short', async () => {
    expect((await forecast('1')).exitCode).toBe(0);
  });

  it('exits 8 if one company is short or fails', async () => {
    expect((await forecast('2,3')).exitCode).toBe(8);
    const run = await forecast('1,3');
    expect([run.exitCode, json(run.stdout).length]).toEqual([8, 1]);
    expect(json(run.stderr.split('\n').find((line) => line.startsWith('{')) ?? '').error).toMatchObject({
      company_id: 3,
      exit: 3,
    });
  });
});
