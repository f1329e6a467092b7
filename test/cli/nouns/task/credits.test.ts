/**
 * Interface, task: "Charging happens at send time. The sender must ensure sufficient credit, quota or overage." A task that the balance
 * could not pay for used to be created without a warning. It ended with `completed yes`, and 1 of 85 messages was sent.
 */

import { describe, expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { assignments } from '../../../../src/sandbox/store/rows.ts';
import { campaign } from '../../../support/campaign.ts';
import { advance, outbox } from '../../../support/engine.ts';
import { putSms, putSubscriber, setAccount } from '../../../support/messages.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';

async function poor(emailcreditbalance: number, subscribers = 5) {
  const made = await campaign(subscribers);
  await setAccount(made.sandbox, { emailcreditbalance });
  const count = (path: string) => made.sent.filter((request) => request.path === path).length;
  return { ...made, count };
}

const SHORT = 'Too few credits: task 1 (Sale) needs 5 e-mail credits, and the balance is 1.';

describe('svc task create', () => {
  it('warns, names the command that cancels the task, and creates it', async () => {
    const { create, transport, count } = await poor(1);
    const run = await runCli([...create, '--at', '+1h', '--quiet', '-o', 'id'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(run.stderr).toContain(SHORT);
    expect(run.stderr).toContain('To cancel the task, run svc task cancel 1.');
    // The account is already read for its zone. The features are read only if there are too few credits.
    expect([count('/v1/account'), count('/v1/accountFeatures')]).toEqual([1, 1]);
  });

  it('prints nothing if the balance is exactly enough, and sends no additional request', async () => {
    const { create, transport, count } = await poor(5);
    const run = await runCli([...create, '--at', '+1h'], { transport });
    expect(run.stderr).not.toContain('credits');
    expect([count('/v1/account'), count('/v1/accountFeatures')]).toEqual([1, 0]);
  });

  it('prints nothing if e-mail is free (accountFeatures, enableemailcredits)', async () => {
    const { create, transport, sandbox } = await poor(0);
    await setAccount(sandbox, { enableemailcredits: 0 });
    const run = await runCli([...create, '--at', '+1h', '--check-credits'], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toContain('credits');
  });

  it('counts the parts of an SMS, including the 30 bytes of subinfo', async () => {
    const { transport, sandbox } = await poor(1000, 0);
    for (const each of [1, 2, 3]) await putSubscriber(sandbox, [1], { msisdn: `44770090012${each}` });
    await putSms(sandbox, { name: 'Long', message: 'x'.repeat(150), subinfo: 1 });
    await setAccount(sandbox, { smscreditbalance: 5 });
    const argv = ['task', 'create', '--name', 'Sale', '--channel', 'sms', '--message', 'Long', '--list', '1'];
    const run = await runCli([...argv, '--at', '+1h'], { transport });
    expect(run.stderr).toContain('needs 6 SMS credits, and the balance is 5.');
  });

  it('--now reports an empty balance before the question', async () => {
    const { create, transport, sent } = await poor(0);
    const run = await runCli([...create, '--now'], { transport, tty: true, answers: [false] });
    expect(run.stderr).toContain('Warning: you have only 0 e-mail credits.');
    expect(writesIn(sent)).toEqual([]);
  });

  it('says that it cannot read the balance, and continues', async () => {
    const { create, transport, sandbox } = await poor(1);
    const blind: typeof transport = async (request, signal) => {
      const answer = await transport(request, signal);
      return request.path === '/v1/account'
        ? { ...answer, body: answer.body.replace('"emailcreditbalance":1,', '') }
        : answer;
    };
    const run = await runCli([...create, '--at', '+1h'], { transport: blind });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('cannot check whether the balance covers task 1 (Sale)');
    const checked = await runCli([...create, '--at', '+1h', '--check-credits'], { transport: blind });
    expect(checked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await sandbox.rows('task')).toMatchObject([{ cancelled: 0 }, { cancelled: 1 }]);
  });
});

describe('svc task create --check-credits', () => {
  it('cancels the task: exit 2 with both numbers, and nothing is ever sent', async () => {
    const { create, transport, sent, sandbox, tasks } = await poor(1);
    const argv = [...create, '--at', '+1h', '--check-credits', '-o', 'json'];
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      kind: 'too-few-credits',
      message: 'task 1 (Sale) needs 5 e-mail credits, and the balance is 1; it is cancelled',
    });
    expect(writesIn(sent)).toEqual(['POST /v1/task', 'PUT /v1/task/1']);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
    await advance(sandbox, 86_400);
    expect(await outbox(sandbox)).toEqual([]);
  });

  it.each([
    [['--now', '--yes'], 'cannot combine --check-credits with --now: svc needs time to cancel the task'],
    [['--at', '+4m'], 'is less than 5 minutes ahead'],
    [['--hold', '3m'], 'with --check-credits, svc needs more time to cancel the task'],
  ])('%j is rejected, because cancelling needs time', async (flags, words) => {
    const { create, transport, sent } = await poor(1);
    const run = await runCli([...create, ...flags, '--check-credits'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(writesIn(sent)).toEqual([]);
  });

  it('checks in the second run, by its --key, if the first one ended before the check', async () => {
    const { create, transport, tasks } = await poor(1);
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli(line, { transport });
    expect((await runCli([...line, '--check-credits'], { transport })).exitCode).toBe(2);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('reports a failed cancellation as the error: exit 10', async () => {
    const { create, transport } = await poor(1);
    const run = await runCli([...create, '--at', '+1h', '--check-credits', '--retries', '0'], {
      transport: async (request, signal) =>
        request.method === 'PUT' ? { status: 500, headers: {}, body: '' } : transport(request, signal),
    });
    expect(run).toMatchObject({ exitCode: 10, stdout: '' });
    expect(run.stderr).toContain('IS NOT CANCELLED and will be sent');
  });
});

describe('svc task update', () => {
  it.each([
    ['another time', ['--at', '+2h']],
    ['another list', ['--list', '1']],
  ])('%s warns after the change', async (_, flags) => {
    const { create, transport, sandbox } = await poor(5);
    await runCli([...create, '--at', '+1h'], { transport });
    await setAccount(sandbox, { emailcreditbalance: 1 });
    const run = await runCli(['task', 'update', '1', ...flags], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(SHORT);
    const renamed = await runCli(['task', 'update', '1', '--name', 'Sale'], { transport });
    expect(renamed.stderr).not.toContain('credits');
  });

  it('--check-credits refuses before the change with exit 2, unless a new list has an unknown size', async () => {
    const { create, transport, sandbox, sent } = await poor(5);
    await runCli([...create, '--at', '+1h'], { transport });
    await setAccount(sandbox, { emailcreditbalance: 1 });
    const before = writesIn(sent).length;
    const update = ['task', 'update', '1', '--check-credits'];
    const timed = await runCli([...update, '--at', '+2h'], { transport });
    expect(timed.exitCode).toBe(2);
    expect(timed.stderr).toContain('needs 5 e-mail credits, and the balance is 1; nothing was sent');
    const moved = await runCli([...update, '--list', '1'], { transport });
    expect(moved.exitCode).toBe(2);
    expect(moved.stderr).toContain('the size of the new list or search is unknown');
    expect(writesIn(sent)).toHaveLength(before);
  });
});

describe('a completed task for which the credits ran out', () => {
  /**
   * Sends to a list whose credits pay for 3 of 5 recipients.
   * @param meanwhile runs while the wait sleeps
   */
  async function sendFor(credits: number, subscribers = 5) {
    const made = await poor(credits, subscribers);
    await runCli([...made.create, '--at', '+1h'], { transport: made.transport });
    return made;
  }
  const whileAsleep = (sandbox: TestSandbox) => {
    let isDone = false;
    return async <T>(answer: Promise<T>): Promise<T> => {
      const given = await answer;
      if (!isDone) {
        isDone = true;
        await advance(sandbox, 7200);
      }
      return given;
    };
  };

  it('task wait exits with 8 and reports the maximum sent, if it saw the balance before', async () => {
    const { transport, sandbox } = await sendFor(3);
    const run = await runCli(['task', 'wait', '1', '-o', 'json'], {
      transport: afterAccount(transport, whileAsleep(sandbox)),
    });
    expect(run).toMatchObject({ exitCode: 8, stdout: '' });
    const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      kind: 'out-of-credits',
      message: 'task 1 (Sale) ran out of credits after at most 3 of 5 messages: the balance went from 3 to 0',
    });
    expect(await outbox(sandbox)).toHaveLength(3);
  });

  it('task wait exits with 10 afterwards, because the credits may have run out', async () => {
    const { transport, sandbox } = await sendFor(3);
    await advance(sandbox, 7200);
    const run = await runCli(['task', 'wait', '1'], { transport });
    expect(run).toMatchObject({ exitCode: 10, stdout: '' });
    expect(run.stderr).toContain('task 1 (Sale) may have stopped early: 0 e-mail');
  });

  it.each([
    ['report', false, 0],
    ['watch', false, 0],
    ['get', true, 0],
  ])('task %s says so on stderr', async (verb, tty, exitCode) => {
    const { transport, sandbox } = await sendFor(3);
    await advance(sandbox, 7200);
    const run = await runCli(['task', verb, '1'], { transport, tty });
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain('task 1 (Sale) may have stopped early');
  });

  it('task watch reports the maximum sent, if it saw the balance before', async () => {
    const { transport, sandbox } = await sendFor(3);
    const run = await runCli(['task', 'watch', '1'], {
      transport: afterAccount(transport, whileAsleep(sandbox)),
    });
    expect(run.stderr).toContain('ran out of credits after at most 3 of 5 messages');
  });

  it.each([
    ['credits are left', 6, { enableemailcredits: 1 }],
    ['a balance below 0 shows that something else pays', 3, { emailcreditbalance: -2 }],
    ['e-mail costs nothing', 3, { enableemailcredits: 0 }],
  ])('prints nothing if %s', async (_, credits, set) => {
    const { transport, sandbox } = await sendFor(credits);
    await advance(sandbox, 7200);
    await setAccount(sandbox, set);
    for (const verb of ['wait', 'report']) {
      const run = await runCli(['task', verb, '1'], { transport });
      expect(run.exitCode).toBe(0);
      expect(run.stderr).not.toContain('credits');
    }
  });

  it('prints nothing if the balance fell by the cost of all recipients', async () => {
    const { transport, sandbox } = await sendFor(5);
    const run = await runCli(['task', 'wait', '1', '-o', 'id'], {
      transport: afterAccount(transport, whileAsleep(sandbox)),
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(await outbox(sandbox)).toHaveLength(5);
  });

  it('prints nothing if the statistics show that every recipient got it', async () => {
    const { transport, sandbox } = await sendFor(1, 1);
    await advance(sandbox, 7200);
    expect((await runCli(['task', 'wait', '1'], { transport })).exitCode).toBe(10);
    const task = { emailuniqueopens: 1 };
    await sandbox.service.store.db.run(sql`update task set ${assignments(task)} where id = 1`);
    expect((await runCli(['task', 'wait', '1'], { transport })).exitCode).toBe(0);
  });
});

type Service = Awaited<ReturnType<typeof campaign>>['transport'];

/** Lets time pass after the first read of the account. */
function afterAccount(transport: Service, pass: <T>(answer: Promise<T>) => Promise<T>): Service {
  return (request, signal) => {
    const answer = transport(request, signal);
    return request.path === '/v1/account' && request.method === 'GET' ? pass(answer) : answer;
  };
}

describe('svc sms send', () => {
  const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'x'.repeat(200)];

  it.each([
    ['--at', ['--at', '+1h']],
    ['--now', ['--now', '--yes']],
  ])('%s warns before it sends, but with --check-credits it sends nothing: exit 2', async (_, flags) => {
    const { transport, sandbox, sent } = await poor(1000);
    await setAccount(sandbox, { smscreditbalance: 1 });
    const words = 'the SMS needs 2 SMS credits, and the balance is 1';
    const refused = await runCli([...SEND, ...flags, '--check-credits'], { transport });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`${words}; nothing was sent`);
    expect(writesIn(sent)).toEqual([]);
    const warned = await runCli([...SEND, ...flags], { transport });
    expect(warned.exitCode).toBe(0);
    expect(warned.stderr).toContain(`Too few credits: ${words}.`);
    await setAccount(sandbox, { smscreditbalance: 2 });
    expect((await runCli([...SEND, ...flags], { transport })).stderr).not.toContain('Too few credits');
  });
});
