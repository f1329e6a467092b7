/** Contract, "Safety": `task create --hold 10m` counts down on stderr, and Ctrl-C cancels the task. */

import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { campaign } from '../../../support/campaign.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';

describe('--hold', () => {
  it('schedules no earlier than its duration, and exactly then without --at', async () => {
    const { create, transport, deliveries, tasks } = await campaign();
    const run = await runCli([...create, '--hold', '10m', '-o', 'json'], { transport });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ scheduledtime: NOW + 600, cancelled: false });
    expect(run.stderr).toContain('Countdown for task 1 (Sale): 10 minutes. Ctrl-C cancels the task.');
    expect(run.stderr).toContain('the countdown is over');
    expect(await tasks()).toMatchObject([{ scheduledtime: NOW + 600, cancelled: 0 }]);
    expect(await deliveries()).toHaveLength(2);
  });

  it.each([
    ['+3m', NOW + 600, '--hold delays it by 420 seconds'],
    ['+1h', NOW + 3600, ': 10 minutes. Ctrl-C cancels the task'],
  ])('--at %s is sent at %i', async (at, time, words) => {
    const { create, transport, tasks } = await campaign();
    const run = await runCli([...create, '--at', at, '--hold', '10m'], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(words);
    expect(await tasks()).toMatchObject([{ scheduledtime: time, cancelled: 0 }]);
  });

  it('cancels at Ctrl-C with exit 130, and nothing is ever sent', async () => {
    const { create, transport, deliveries, tasks, sent } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m'], {
      transport,
      tty: true,
      signal: interrupt.signal,
      onSleep: (passed) => passed > 5000 && interrupt.abort(),
    });
    expect(run).toMatchObject({ exitCode: 130, stdout: '' });
    expect(run.stderr).toContain('9:54 left to cancel with Ctrl-C: task 1 (Sale)');
    expect(run.stderr).toContain('if this is interrupted: svc task cancel 1 --yes');
    expect(run.stderr).toContain('task 1 (Sale) is cancelled; nothing was sent');
    expect(writesIn(sent)).toEqual(['POST /v1/task', 'PUT /v1/task/1']);
    expect(await tasks()).toMatchObject([{ cancelled: 1, completed: 0 }]);
    expect(await deliveries()).toEqual([]);
  });

  it('also cancels at Ctrl-C during the creation of the task', async () => {
    const { create, transport, tasks } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m'], {
      signal: interrupt.signal,
      transport: async (request, signal) => {
        if (request.method === 'POST') interrupt.abort();
        return transport(request, signal);
      },
    });
    expect(run).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('warns clearly if it cannot confirm the cancellation: exit 10', async () => {
    const { create, transport } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m', '-o', 'json'], {
      signal: interrupt.signal,
      transport: cutOff(transport, (method) => method === 'PUT'),
      onSleep: (passed) => passed === 0 && interrupt.abort(),
    });
    expect(run).toMatchObject({ exitCode: 10, stdout: '' });
    const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ kind: 'not-cancelled', exit: 10 });
    expect(error.message).toContain('task 1 (Sale) IS NOT CANCELLED and will be sent');
    expect(error.hint).toContain('svc task cancel 1 --yes');
  });

  it('cancels the task if the countdown can no longer be seen', async () => {
    const { create, transport, tasks } = await campaign();
    let isGone = false;
    const gone = Object.assign(new Error('write EIO'), { code: 'EIO', syscall: 'write' });
    const run = await runCli([...create, '--hold', '10m'], {
      transport,
      tty: true,
      stderr: { isTTY: true, columns: 80, write: async () => (isGone ? Promise.reject(gone) : undefined) },
      onSleep: (passed) => {
        isGone = passed > 5000;
      },
    });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it.each(['EIO', 'EPIPE'])(
    'cancels if the terminal is closed before the first line of the countdown: %s',
    async (code) => {
      const { create, transport, tasks } = await campaign();
      const gone = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' });
      let isGone = false;
      const run = await runCli([...create, '--hold', '10m', '--key', 'build-7'], {
        transport: async (request, signal) => {
          isGone ||= request.method === 'POST';
          return transport(request, signal);
        },
        tty: true,
        stderr: { isTTY: true, columns: 80, write: async () => (isGone ? Promise.reject(gone) : undefined) },
      });
      expect(run).toMatchObject({ exitCode: 1, stdout: '' });
      expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
    },
  );

  it('keeps cancelling until the task is due, even if no one can read its messages', async () => {
    const { create, transport, tasks } = await campaign();
    const gone = Object.assign(new Error('write EIO'), { code: 'EIO', syscall: 'write' });
    let isGone = false;
    let downUntil = Number.POSITIVE_INFINITY;
    let now = 0;
    const run = await runCli([...create, '--hold', '10m'], {
      transport: async (request, signal) => {
        isGone ||= request.method === 'POST';
        if (request.method !== 'POST' && isGone && now < downUntil)
          throw new TransportError('not-sent', 'the network is gone too');
        return transport(request, signal);
      },
      tty: true,
      stderr: { isTTY: true, columns: 80, write: async () => (isGone ? Promise.reject(gone) : undefined) },
      onSleep: (passed) => {
        now = passed;
        downUntil = 300_000;
      },
    });
    expect(run.exitCode).toBe(1);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('looks up a task whose response was lost during Ctrl-C, and cancels it', async () => {
    const { create, transport, tasks, sent } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m'], {
      signal: interrupt.signal,
      transport: async (request, signal) => {
        const answer = await transport(request, signal);
        if (request.method !== 'POST') return answer;
        interrupt.abort();
        throw new TransportError('unknown', 'the connection broke');
      },
    });
    expect(run).toMatchObject({ exitCode: 130, stdout: '' });
    expect(writesIn(sent)).toEqual(['POST /v1/task', 'PUT /v1/task/1']);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });

  it('sends nothing after Ctrl-C before the request', async () => {
    const { create, transport, sent } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m'], {
      signal: interrupt.signal,
      transport: async (request, signal) => {
        if (request.path === '/v1/task') interrupt.abort();
        return transport(request, signal);
      },
    });
    expect(run).toMatchObject({ exitCode: 130, stdout: '' });
    expect(writesIn(sent)).toEqual([]);
  });

  it('exits with 5 if it is too late to cancel', async () => {
    const { create, transport, sandbox, tasks } = await campaign();
    const interrupt = new AbortController();
    const run = await runCli([...create, '--hold', '10m'], {
      signal: interrupt.signal,
      transport: async (request, signal) => {
        if (request.method === 'PUT') await sandbox.service.store.db.run(sql`update task set completed = 1`);
        return transport(request, signal);
      },
      onSleep: (passed) => passed === 0 && interrupt.abort(),
    });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('task 1 (Sale) was completed before it could be cancelled');
    expect(await tasks()).toMatchObject([{ cancelled: 0, completed: 1 }]);
  });

  it.each([
    [['--hold', '1m'], '1m is too short'],
    [['--hold', '2d'], '2d is too long'],
    [['--hold', 'soon'], 'soon is not a length of time'],
    [['--hold', '10m', '--now'], 'cannot combine --hold with --now'],
    [['--hold', '10m', '--at', '2026-12-01 08:00'], 'was 1 hour ago'],
    [['--hold', '10m', '--at', String(NOW * 1000)], 'looks like milliseconds'],
    [['--hold', '3m', '--expect-size', '0..9'], 'with --expect-size, svc needs more time to cancel the task'],
    [['--hold', '10m', '--expect-size', '2..'], '--expect-size: 2.. must be one number, or two numbers'],
    [['--hold', '10m', '--expect-size='], '--expect-size must be one number, or two numbers'],
    [['--hold', 'soon', '--expect-size', 'many'], '2 problems; nothing was sent'],
  ])('%j is rejected before anything is sent', async (flags, words) => {
    const { create, transport, sent, tasks } = await campaign();
    const run = await runCli([...create, ...flags], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(writesIn(sent)).toEqual([]);
    expect(await tasks()).toEqual([]);
  });
});

/** Contract, "Safety": a task outside the range is cancelled. */
describe('--expect-size', () => {
  it.each([
    ['0..1', 2],
    ['3..9', 2],
    ['2..2', 0],
    ['0..9', 0],
    // A single number means exactly that size.
    ['2', 0],
    ['1', 2],
    ['3', 2],
  ])('a list of two with %s exits with %i', async (range, exitCode) => {
    const { create, transport, tasks, deliveries } = await campaign(2);
    const run = await runCli([...create, '--at', '+5m', '--expect-size', range], { transport });
    expect(run.exitCode).toBe(exitCode);
    expect(await tasks()).toMatchObject([{ cancelled: exitCode === 0 ? 0 : 1 }]);
    expect(await deliveries()).toHaveLength(exitCode === 0 ? 2 : 0);
  });

  it('names both numbers if it cannot cancel, and that the task will be sent: exit 10', async () => {
    const { create, transport } = await campaign(2);
    const run = await runCli([...create, '--at', '+1h', '--expect-size', '5..9'], {
      transport: cutOff(transport, (method) => method === 'PUT'),
    });
    expect(run).toMatchObject({ exitCode: 10, stdout: '' });
    expect(run.stderr).toContain('task 1 has 2 subscriptions, expected 5 to 9, but');
    expect(run.stderr).toContain('IS NOT CANCELLED and will be sent');
  });

  it('creates nothing if the first attempt is so late that no time is left to cancel', async () => {
    const { create, transport, sandbox, tasks } = await campaign(2);
    const run = await runCli([...create, '--at', '+5m', '--expect-size', '0..9'], {
      transport: async (request, signal) => {
        if (request.method !== 'POST') return transport(request, signal);
        await sandbox.at(150);
        const headers = { 'retry-after': '1', 'x-svc-time': String(NOW + 150) };
        return {
          status: 429,
          headers,
          body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
        };
      },
    });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('is less than 3 minutes from now');
    expect(await tasks()).toEqual([]);
  });

  it('checks the size before the countdown', async () => {
    const { create, transport, tasks } = await campaign(2);
    const run = await runCli([...create, '--hold', '10m', '--expect-size', '5..9'], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).not.toContain('is held');
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });
});

/** Breaks the connection of requests that `isCut` selects after they were sent. The service does not perform them. */
function cutOff(transport: Transport, isCut: (method: string) => boolean): Transport {
  return (request, signal) =>
    isCut(request.method)
      ? Promise.reject(new TransportError('unknown', 'the connection broke'))
      : transport(request, signal);
}
