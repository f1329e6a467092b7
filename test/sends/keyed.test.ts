/**
 * Contract, "Safety", `--key`: a repeated job finds the record of its first run. Second attack H1, second attack M5 and second attack M6: twins under one key, and a key that is
 * used for other content.
 */
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { campaign } from '../support/campaign.ts';
import { putEmail, putList, putSubscriber } from '../support/messages.ts';
import { runCli, writesIn } from '../support/run-cli.ts';
import { NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const AT = ['--at', '2026-12-20T10:00Z', '--key', 'b7'];
/** Seconds of 2026-12-20T10:00Z. */
const DUE = 1_797_760_800;

/** A service with two lists and two messages that differ. */
async function world() {
  const made = await campaign();
  await putSubscriber(made.sandbox, [await putList(made.sandbox)], { email: 'third@example.com' });
  await putEmail(made.sandbox, { name: 'Other', subject: 'Another subject' });
  const live = async () =>
    (await made.tasks()).filter(({ cancelled }) => cancelled === 0).map(({ id }) => id);
  /** Creates a task as another client does, under any name. */
  const post = (name: unknown, more = {}) =>
    made.sandbox.send('admin', 'POST', '/v1/task', {
      ...{ channel: 'email', message_id: 1, name, list_id: 1, search_id: null, scheduledtime: DUE, ...more },
    });
  return { ...made, live, post };
}

/** A run that is killed right after the service has carried out its POST. */
const killedAfterPost =
  (transport: Transport): Transport =>
  async (request, signal) => {
    const answer = await transport(request, signal);
    if (request.method === 'POST') throw new DOMException('killed', 'AbortError');
    return answer;
  };

describe('second attack H1: a second task under one key', () => {
  it('is cancelled by the next run, which keeps the lowest id', async () => {
    const { create, transport, live, post, tasks, deliveries } = await world();
    await runCli([...create, ...AT], { transport });
    await post((await tasks())[0]?.['name']);
    expect(await live()).toEqual([1, 2]);
    const run = await runCli([...create, ...AT, '-o', 'id'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(run.stderr).toContain('task 2 (Sale [svc-');
    expect(await live()).toEqual([1]);
    expect((await deliveries()).length).toBeLessThanOrEqual(2);
  });

  it('is cancelled after a run that was killed between its POST and its look', async () => {
    const { create, transport, live } = await world();
    const line = [...create, ...AT];
    let raced = false;
    const racing: Transport = async (request, signal) => {
      if (request.method === 'POST' && !raced) {
        raced = true;
        await runCli(line, { transport });
      }
      return killedAfterPost(transport)(request, signal);
    };
    expect((await runCli(line, { transport: racing })).exitCode).not.toBe(0);
    expect(await live()).toEqual([1, 2]);
    expect(await runCli([...line, '-o', 'id'], { transport })).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(await live()).toEqual([1]);
  });

  it('is named together with the first if there is no time to cancel it: exit 5', async () => {
    const { create, transport, live, post, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    await post((await sandbox.rows('task'))[0]?.['name']);
    await sandbox.at(DUE - 5 * 60 - NOW);
    const late = await runCli([...create, ...AT], { transport });
    expect(late.exitCode).toBe(5);
    expect(late.stderr).toMatch(/task 1 .*task 2 .*BOTH WILL BE SENT/s);
    expect(await live()).toEqual([1, 2]);
  });

  it('is named with each further one if someone cancelled the first one and there is no time: exit 5', async () => {
    const { create, transport, live, post, tasks, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    const name = (await tasks())[0]?.['name'];
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    await sandbox.at(1);
    await post(name);
    await post(name);
    await sandbox.at(DUE - 5 * 60 - NOW);
    const late = await runCli([...create, ...AT], { transport });
    expect(late.exitCode).toBe(5);
    expect(late.stderr).toMatch(
      /task 1 .* was cancelled before, and task 2 .* and task 3 .*BOTH WILL BE SENT/,
    );
    expect(late.stderr).toContain('svc task cancel 2 --yes and svc task cancel 3 --yes');
    expect(await live()).toEqual([2, 3]);
  });

  // The POST of a killed run can reach the service after another run has given way to the same send of another key.
  it('is named with the same send of another key if there is no time: exit 5', async () => {
    const { create, transport, live, post, tasks, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    const name = (await tasks())[0]?.['name'];
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    await sandbox.at(1);
    await runCli([...create, '--at', '2026-12-20T10:00Z', '--key', 'other'], { transport });
    await post(name);
    expect(await live()).toEqual([2, 3]);
    await sandbox.at(DUE - 5 * 60 - NOW);
    const late = await runCli([...create, ...AT], { transport });
    expect(late.exitCode).toBe(5);
    expect(late.stderr).toMatch(/task 1 .* was cancelled before, task 2 .* and task 3 .*BOTH WILL BE SENT/);
    expect(late.stderr).toContain('Cancel it now: svc task cancel 3 --yes');
    expect(await live()).toEqual([2, 3]);
  });

  it('is not kept if someone cancelled the first one: exit 5, and nothing is written', async () => {
    const { create, transport, sent, live, post, tasks, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    await post((await tasks())[0]?.['name']);
    await sandbox.at(1);
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    const before = writesIn(sent).length;
    const run = await runCli([...create, ...AT], { transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('svc task get 2 shows whether it is scheduled');
    expect(writesIn(sent)).toHaveLength(before);
    expect(await live()).toEqual([2]);
  });

  it('is cancelled if it is the third, and someone cancelled the first one: exit 5', async () => {
    const { create, transport, live, post, tasks, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    const name = (await tasks())[0]?.['name'];
    await post(name);
    await post(name);
    await sandbox.at(1);
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    const run = await runCli([...create, ...AT], { transport });
    expect(run.exitCode).toBe(5);
    expect(run.stderr).toMatch(/task 2 .* exists under the same --key; task 3 .* is cancelled/);
    expect(await live()).toEqual([2]);
  });

  it('is cancelled if it was created after someone had cancelled the first one: exit 5', async () => {
    const { create, transport, live, post, tasks, sandbox } = await world();
    await runCli([...create, ...AT], { transport });
    await sandbox.send('admin', 'PUT', '/v1/task/1', { cancelled: true });
    await sandbox.at(1);
    await post((await tasks())[0]?.['name']);
    expect((await runCli([...create, ...AT], { transport })).exitCode).toBe(5);
    expect(await live()).toEqual([]);
  });

  it('a look that fails after the POST is exit 10, never success', async () => {
    const { create, transport, live } = await world();
    let posted = false;
    const run = await runCli([...create, ...AT], {
      transport: async (request, signal) => {
        if (posted) throw new TransportError('not-sent', 'the network is gone');
        const answer = await transport(request, signal);
        posted = request.method === 'POST';
        return answer;
      },
    });
    expect(run.exitCode).toBe(10);
    expect(run.stderr).toMatch(/task 1 .* is scheduled, but svc cannot check/);
    expect(await live()).toEqual([1]);
  });
});

describe('second attack M6: the same key with other content', () => {
  it.each([
    ['--list', ['--list', '2'], 'list_id 1, and this command asks for 2'],
    ['--message', ['--message', 'Other'], 'message_id 1, and this command asks for 2'],
    ['--rate', ['--rate', '100'], 'rate null, and this command asks for 100'],
    ['--at', ['--at', '2026-12-24T18:00Z'], 'and this command asks for 2026-12-24 18:00'],
    ['--now', ['--now', '--yes'], 'scheduledtime'],
    ['other words of a time', ['--at', '+3h'], 'scheduledtime'],
  ])('%s is exit 5 with both values, and nothing is written', async (_, more, words) => {
    const { create, transport, sent } = await world();
    await runCli([...create, ...AT], { transport });
    const before = writesIn(sent).length;
    const [flag = ''] = more;
    const at = create.indexOf(flag);
    const base = at < 0 ? create : create.toSpliced(at, 2);
    const when = flag === '--at' || flag === '--now' ? AT.slice(2) : AT;
    const run = await runCli([...base, ...more, ...when], { transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(run.stderr).toContain('task 1 (Sale');
    expect(writesIn(sent)).toHaveLength(before);
  });

  it.each([
    ['+2h', 3600, 0],
    ['+2h', 3600, 0],
    ['tomorrow 09:00', 7200, 0],
    ['+3h', 3600, 0],
  ])('the same words %s later are the same send', async (words, later) => {
    const { create, transport, sandbox } = await world();
    const line = [...create, '--at', words, '--key', 'b7', '-o', 'id'];
    expect(await runCli(line, { transport })).toMatchObject({ exitCode: 0, stdout: '1\n' });
    await sandbox.at(later);
    expect(await runCli(line, { transport })).toMatchObject({ exitCode: 0, stdout: '1\n' });
  });

  it('of a rule or a message is exit 5, too', async () => {
    const { transport, sent } = await world();
    const rule = (delay: string) => [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', delay, '--weekends'],
    ];
    const email = (subject: string) => [
      ...['email', 'create', '--name', 'News', '--null', 'fromemail', '--fromname', 'Us', '--key', 'k'],
      ...['--replyemail', 'news@example.com', '--subject', subject, '--html', '<p>Hi</p>', '--text', 'Hi'],
    ];
    for (const [line, other, words] of [
      [rule('2h'), rule('3h'), 'actiontimediff 120, and this command asks for 180'],
      [email('One'), email('Two'), 'subject One, and this command asks for Two'],
    ] as const) {
      const first = await runCli(line, { transport });
      expect([first.stderr, first.exitCode]).toEqual([expect.anything(), 0]);
      expect((await runCli(line, { transport })).exitCode).toBe(0);
      const before = writesIn(sent).length;
      const run = await runCli(other, { transport });
      expect([run.exitCode, run.stderr]).toEqual([5, expect.stringContaining(words)]);
      expect(writesIn(sent)).toHaveLength(before);
    }
  });
});

describe('second attack M5: two runs at once under one key', () => {
  /** Runs the command twice, the second one between the looks and the POST of the first. */
  async function race(line: readonly string[], transport: Transport) {
    let second: Awaited<ReturnType<typeof runCli>> | undefined;
    let isRaced = false;
    const first = await runCli(line, {
      transport: async (request, signal) => {
        if (request.method === 'POST' && !isRaced) {
          isRaced = true;
          second = await runCli(line, { transport });
        }
        return transport(request, signal);
      },
    });
    return [second, first];
  }

  it('leave one active rule, which both name', async () => {
    const { transport, sandbox } = await world();
    const line = [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', '2h', '--weekends', '-o', 'id'],
    ];
    const runs = await race(line, transport);
    expect(runs).toMatchObject([
      { exitCode: 0, stdout: 'subscription:1\n' },
      { exitCode: 0, stdout: 'subscription:1\n' },
    ]);
    const rules = await sandbox.rows('subscription_automation');
    expect(rules).toMatchObject([{ id: 1, paused: 0 }]);
    expect(rules[0]?.['name']).toMatch(/^Hi \[svc-[0-9a-f]{8}\]$/);
  });

  it('leave one folder and one message', async () => {
    const { transport, sandbox } = await world();
    const runs = await race(['folder', 'create', '--name', 'News', '--key', 'k', '-o', 'id'], transport);
    expect(runs.map((run) => [run?.exitCode, run?.stdout])).toEqual([
      [0, '1\n'],
      [0, '1\n'],
    ]);
    expect(await sandbox.rows('folder')).toMatchObject([{ id: 1 }]);
  });

  it('a rule whose run was killed before it was resumed is resumed by the next run', async () => {
    const { transport, sandbox } = await world();
    const line = [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', '2h', '--weekends', '-o', 'id'],
    ];
    await runCli(line, { transport: killedAfterPost(transport) });
    expect(await sandbox.rows('subscription_automation')).toMatchObject([{ paused: 1 }]);
    expect(await runCli(line, { transport })).toMatchObject({ exitCode: 0, stdout: 'subscription:1\n' });
    expect(await sandbox.rows('subscription_automation')).toMatchObject([{ id: 1, paused: 0 }]);
  });

  it('a rule that another run resumed meanwhile, and someone paused, stays paused', async () => {
    const { transport, sandbox } = await world();
    const line = [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', '2h', '--weekends', '-o', 'id'],
    ];
    await runCli(line, { transport: killedAfterPost(transport) });
    let isFirst = true;
    const meanwhile: Transport = async (request, signal) => {
      const answer = await transport(request, signal);
      if (isFirst && request.method === 'GET' && request.path === '/v1/subscriptionAutomation/1') {
        isFirst = false;
        await runCli(line, { transport });
        await sandbox.send('admin', 'PUT', '/v1/subscriptionAutomation/1', { paused: true });
      }
      return answer;
    };
    expect((await runCli(line, { transport: meanwhile })).exitCode).toBe(0);
    expect(isFirst).toBe(false);
    expect(await sandbox.rows('subscription_automation')).toMatchObject([{ id: 1, paused: 1 }]);
  });

  it('of three rules, one stays active if someone paused the first one: exit 5', async () => {
    const { transport, sandbox } = await world();
    const line = [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', '2h', '--weekends', '-o', 'id'],
    ];
    await runCli(line, { transport });
    const [first] = await sandbox.rows('subscription_automation');
    const { list_id, actiontype, actiontarget, actiontimediff, name } = first ?? {};
    const body = { list_id, actiontype, actiontarget, actiontimediff, name };
    for (let each = 0; each < 2; each += 1)
      await sandbox.send('admin', 'POST', '/v1/subscriptionAutomation', {
        ...body,
        actiononweekend: true,
        summary: null,
      });
    await sandbox.at(1);
    await sandbox.send('admin', 'PUT', '/v1/subscriptionAutomation/1', { paused: true });
    const run = await runCli(line, { transport });
    expect(run.exitCode).toBe(5);
    expect(run.stderr).toMatch(
      /subscription:2 .* exists under the same --key; automation subscription:3 .* is paused/,
    );
    expect(await sandbox.rows('subscription_automation')).toMatchObject([
      { id: 1, paused: 1 },
      { id: 2, paused: 0 },
      { id: 3, paused: 1 },
    ]);
  });

  it('a rule that someone paused stays paused', async () => {
    const { transport, sandbox } = await world();
    const line = [
      ...['automation', 'create', '--kind', 'subscription', '--name', 'Hi', '--list', '1', '--key', 'k'],
      ...['--action', 'autoresponder', '--target', '1', '--after', '2h', '--weekends', '-o', 'id'],
    ];
    await runCli(line, { transport });
    await sandbox.send('admin', 'PUT', '/v1/subscriptionAutomation/1', { paused: true });
    expect((await runCli(line, { transport })).exitCode).toBe(0);
    expect(await sandbox.rows('subscription_automation')).toMatchObject([{ id: 1, paused: 1 }]);
  });
});

describe('the same send under another key', () => {
  it('is exit 5 and names the existing task, unless --both is given', async () => {
    const { create, transport, live, sent } = await world();
    await runCli([...create, ...AT], { transport });
    const other = [...create, ...AT.slice(0, 2), '--key', 'b8'];
    const before = writesIn(sent).length;
    const run = await runCli(other, { transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('task 1 (Sale [svc-');
    expect(writesIn(sent)).toHaveLength(before);
    expect((await runCli([...other, '--both'], { transport })).exitCode).toBe(0);
    expect(await live()).toEqual([1, 2]);
  });

  it('is also the task of a person; without --key, svc only warns', async () => {
    const { create, transport, post, live } = await world();
    await post('By hand');
    const run = await runCli([...create, ...AT], { transport });
    expect([run.exitCode, run.stderr]).toEqual([
      5,
      expect.stringContaining('task 1 (By hand) sends the same'),
    ]);
    const plain = await runCli([...create, ...AT.slice(0, 2)], { transport });
    expect([plain.exitCode, plain.stderr]).toEqual([0, expect.stringContaining('Careful: email message 1')]);
    expect(await live()).toEqual([1, 2]);
  });

  it('is reported by every later run of both keys, until the higher id has given way', async () => {
    const { create, transport, live } = await world();
    const other = [...create, ...AT.slice(0, 2), '--key', 'b8'];
    await runCli([...create, ...AT], { transport });
    await runCli([...other, '--both'], { transport });
    expect((await runCli([...create, ...AT], { transport })).exitCode).toBe(5);
    expect(await live()).toEqual([1, 2]);
    expect((await runCli([...other, '--both'], { transport })).exitCode).toBe(0);
    expect((await runCli(other, { transport })).exitCode).toBe(5);
    expect(await live()).toEqual([1]);
    expect((await runCli([...create, ...AT], { transport })).exitCode).toBe(0);
  });

  it('gives way if both runs create it at once', async () => {
    const { create, transport, live } = await world();
    let isRaced = false;
    const run = await runCli([...create, ...AT], {
      transport: async (request, signal) => {
        if (request.method === 'POST' && !isRaced) {
          isRaced = true;
          await runCli([...create, ...AT.slice(0, 2), '--key', 'b8'], { transport });
        }
        return transport(request, signal);
      },
    });
    expect(run.exitCode).toBe(5);
    expect(run.stderr).toMatch(/task 1 .* sends the same message .* svc has cancelled the task of this run/);
    expect(await live()).toEqual([1]);
  });
});

describe('a service whose lists lag', () => {
  /** Answers collections of tasks as they were before the first POST. GET by id is right. */
  const lagging = (transport: Transport): Transport => {
    let isPosted = false;
    return async (request, signal) => {
      const isList = request.method === 'GET' && request.path === '/v1/task';
      if (isList && isPosted) return transport({ ...request, query: 'name=nothing' }, signal);
      if (request.method === 'POST') isPosted = true;
      return transport(request, signal);
    };
  };

  it('cannot hide a task that this machine has just created', async () => {
    const { create, transport, sent } = await world();
    const state = await makeTemporaryFolder('state');
    const env = { SVC_STATE_DIR: state };
    const slow = lagging(transport);
    for (let each = 0; each < 3; each += 1)
      expect(await runCli([...create, ...AT, '-o', 'id'], { transport: slow, env })).toMatchObject({
        exitCode: 0,
        stdout: '1\n',
      });
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
  });
});
