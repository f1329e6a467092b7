/** `task guard` watches a task and cancels it if too many messages bounce or cause complaints. */

import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { SqlRow } from '../../../../src/sandbox/store/rows.ts';
import { assignments } from '../../../../src/sandbox/store/rows.ts';
import { campaign } from '../../../support/campaign.ts';
import { putSms } from '../../../support/messages.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';

const GUARD = ['task', 'guard', '1', '--max-bounce', '5%', '--max-complaint', '0.1%'];

/** Makes a task to 1,000 recipients that is being sent at 3,600 an hour. `changes` gives its changes by the number of the check. */
async function beingSent(changes: Readonly<Record<number, SqlRow>>, more: SqlRow = {}) {
  const made = await campaign();
  const row = { name: 'Sale', message_id: 1, list_id: 1, size: 1000, rate: 3600, started: 1, due: null };
  const counts = { emailuniquebounces: 0, emailuniquecomplaints: 0, emailuniqueunsubscriptions: 0 };
  const times = { scheduledtime: NOW - 200, cdate: NOW - 900 };
  const own = { account_id: 1, user_id: 1, channel: 'email' };
  await made.sandbox.put('task', { ...own, ...row, ...counts, ...times, ...more });
  let looked = 0;
  const transport: typeof made.transport = async (request, signal) => {
    if (request.method === 'GET' && request.path === '/v1/task/1') {
      const change = changes[++looked];
      if (change) await made.sandbox.service.store.db.run(sql`update task set ${assignments(change)}`);
    }
    return made.transport(request, signal);
  };
  return { ...made, transport, looked: () => looked };
}

describe('svc task guard', () => {
  it('exits with 0 and changes nothing if a task ends within its limits', async () => {
    const { transport, sent, tasks } = await beingSent({
      3: { emailuniquebounces: 10 },
      5: { completed: 1, endtime: NOW },
    });
    const run = await runCli([...GUARD, '--then', 'cancel', '-o', 'json'], { transport });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ completed: true });
    expect(writesIn(sent)).toEqual([]);
    expect(await tasks()).toMatchObject([{ cancelled: 0 }]);
  });

  it('cancels at a limit of the sends that its rate allows: exit 1', async () => {
    const { transport, sent, tasks } = await beingSent({ 3: { emailuniquebounces: 60 } });
    const run = await runCli([...GUARD, '--then', 'cancel'], { transport });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toMatch(
      /60 of 2\d\d recipients of task 1 bounced: 2\d\.\d\d%; the limit is 5%; the task is cancelled/,
    );
    expect(writesIn(sent)).toEqual(['PUT /v1/task/1']);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('counts one complaint in 500 as more than 0.1%', async () => {
    const { transport, tasks } = await beingSent(
      { 1: { emailuniquecomplaints: 1 } },
      { rate: null, size: 500 },
    );
    const run = await runCli([...GUARD, '--then', 'cancel'], { transport });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('1 of 500 recipients of task 1 complained: 0.20%; the limit is 0.1%');
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('does not judge before --min-sent', async () => {
    const early = { scheduledtime: NOW - 20 };
    const { transport, tasks } = await beingSent(
      { 1: { emailuniquebounces: 2 }, 4: { completed: 1, endtime: NOW, emailuniquebounces: 2 } },
      early,
    );
    const run = await runCli([...GUARD, '--then', 'cancel', '--interval', '5s'], { transport });
    expect(run.exitCode).toBe(0);
    expect(await tasks()).toMatchObject([{ cancelled: 0 }]);
    const strict = await beingSent({ 1: { emailuniquebounces: 2 } }, early);
    const line = [...GUARD, '--then', 'cancel', '--min-sent', '10'];
    expect((await runCli(line, { transport: strict.transport })).exitCode).toBe(1);
    expect(await strict.tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it.each([
    [['--then', 'fail'], 1, 'the task continues'],
    [[], 1, 'the task continues'],
    [['--then', 'cancel', '--dry-run'], 0, ''],
  ])('%j cancels nothing', async (flags, exitCode, words) => {
    const { transport, sent } = await beingSent({ 1: { emailuniquebounces: 60 } });
    const run = await runCli([...GUARD, ...flags], { transport });
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain(words);
    expect(writesIn(sent)).toEqual([]);
  });

  it('exits with 5 if the task completed before the cancellation, and with 1 if someone else cancelled it', async () => {
    const late = await beingSent({ 1: { emailuniquebounces: 60, completed: 1, endtime: NOW } });
    const run = await runCli([...GUARD, '--then', 'cancel'], { transport: late.transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('was completed before it could be cancelled');
    const other = await beingSent({ 2: { cancelled: 1, endtime: NOW } });
    const second = await runCli([...GUARD, '--then', 'cancel'], { transport: other.transport });
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toContain('task 1 was cancelled by someone else');
  });

  it('continues if checks fail for a while, and gives up in the end: exit 7', async () => {
    const { transport, tasks } = await beingSent({ 3: { emailuniquebounces: 60 } });
    let asked = 0;
    const shaky: typeof transport = (request, signal) => {
      if (request.method === 'GET') asked += 1;
      const isDown = request.method === 'GET' && asked > 2 && asked < 20;
      return isDown ? Promise.reject(new TransportError('not-sent', 'down')) : transport(request, signal);
    };
    const run = await runCli([...GUARD, '--then', 'cancel'], { transport: shaky });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('Retrying: ');
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
    let looks = 0;
    const gone = await runCli(GUARD, {
      transport: (request, signal) => {
        looks += 1;
        return looks > 2
          ? Promise.reject(new TransportError('not-sent', 'down'))
          : transport(request, signal);
      },
    });
    expect(gone.exitCode).not.toBe(0);
  });

  it('checks once more when it is stopped, and cancels a task over its limits', async () => {
    const { transport, tasks } = await beingSent({ 2: { emailuniquebounces: 60 } });
    const stop = new AbortController();
    const run = await runCli([...GUARD, '--then', 'cancel', '--interval', '1h'], {
      transport,
      signal: stop.signal,
      onSleep: () => stop.abort(),
    });
    expect(run).toMatchObject({ exitCode: 130, stdout: '' });
    expect(run.stderr).toContain('bounced');
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it.each([
    [[], 0, 'svc no longer watches task 1 (Sale)'],
    [['--if-stopped', 'cancel'], 1, 'cancelled task 1 (Sale) because svc task guard was stopped'],
    [['--if-stopped', 'cancel', '--dry-run'], 0, ''],
  ])('stopped within the limits with %j cancels %i', async (flags, cancelled, words) => {
    const { transport, tasks } = await beingSent({});
    const stop = new AbortController();
    const run = await runCli([...GUARD, '--then', 'cancel', ...flags], {
      transport,
      signal: stop.signal,
      onSleep: () => stop.abort(),
    });
    expect(run.exitCode).toBe(130);
    expect(run.stderr).toContain(words);
    expect(await tasks()).toMatchObject([{ cancelled }]);
  });

  it('is stopped by a closed terminal and by an unreachable service', async () => {
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    const { transport, tasks } = await beingSent({});
    let [asked, isDown] = [0, false];
    const run = await runCli([...GUARD, '--then', 'cancel', '--if-stopped', 'cancel'], {
      transport: (request, signal) => {
        if (request.method === 'GET') asked += 1;
        isDown = asked > 3 && asked < 40;
        return isDown ? Promise.reject(new TransportError('not-sent', 'down')) : transport(request, signal);
      },
      stderr: { isTTY: true, columns: 80, write: () => Promise.reject(gone) },
    });
    expect(run.exitCode).toBe(7);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('rejects an SMS task, which has no complaints', async () => {
    const { transport, sandbox } = await beingSent(
      {},
      { channel: 'sms', smsuniquebounces: 0, emailuniquebounces: null, emailuniquecomplaints: null },
    );
    await putSms(sandbox);
    const run = await runCli(GUARD, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('--max-complaint: a task of channel sms counts none that complained');
  });

  it.each([
    [['--then', 'cancel'], 'svc task guard needs a limit'],
    [['--max-bounce', '5'], '5 is not a share'],
    [['--max-bounce', '101%'], '101% is not a share'],
    [['--max-bounce', '5%', '--then', 'pause'], 'unknown action pause'],
    [['--max-bounce', '5%', '--if-stopped', 'cancel'], '--if-stopped cancel needs --then cancel'],
    [['--max-bounce', '5%', '--min-sent', 'many'], 'many is not a whole number'],
    [
      ['--max-bounce', '5', '--then', 'pause', '--if-stopped', 'go', '--interval', '0'],
      '4 problems; nothing was sent',
    ],
  ])('%j is rejected', async (flags, words) => {
    const run = await runCli(['task', 'guard', '1', ...flags]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
  });
});
