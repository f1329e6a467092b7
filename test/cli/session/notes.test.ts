/** Contract: "A wait of more than 2 seconds is never silent: on stderr a line says what is being waited for and how long at most." */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWaitNotices } from '../../../src/cli/session/notes.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import { startMachineTimer } from '../../../src/client/requests/ports.ts';
import { campaign } from '../../support/campaign.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';

/** Acts as if every wait were longer than 2 seconds. */
const late = (milliseconds: number, fire: () => void) => {
  if (milliseconds === 2000) fire();
  return () => undefined;
};
const FOLDERS = ['folder', 'list', '-o', 'json'];

describe('a slow response', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is announced after 2 seconds, by the machine’s own timer', async () => {
    const { transport } = await campaign();
    const within = async (milliseconds: number) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const run = await runCli(FOLDERS, {
        timer: startMachineTimer,
        transport: async (request, signal) => {
          await vi.advanceTimersByTimeAsync(milliseconds);
          vi.useRealTimers();
          return transport(request, signal);
        },
      });
      return run;
    };
    expect((await within(1999)).stderr).toBe('');
    const run = await within(2000);
    expect(run).toMatchObject({ stdout: '[]\n', exitCode: 0 });
    expect(run.stderr).toBe(
      'Waiting for GET /v1/folder (timeout in 1 minute). Ctrl-C is safe: nothing is changed.\n',
    );
  });

  // Contract, "The everyday screen": `--quiet` silences progress, waits and notes.
  it('is not announced with --quiet', async () => {
    const { transport } = await campaign();
    const run = await runCli([...FOLDERS, '--quiet'], { transport, timer: late });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is announced with the time of --timeout', async () => {
    const { transport } = await campaign();
    const run = await runCli([...FOLDERS, '--timeout', '20s'], { transport, timer: late });
    expect(run.stderr).toBe(
      'Waiting for GET /v1/folder (timeout in 20 seconds). Ctrl-C is safe: nothing is changed.\n',
    );
  });

  it('is announced for a write with the other effect of Ctrl-C', async () => {
    const { transport } = await campaign();
    const run = await runCli(['folder', 'create', '--name', 'News'], { transport, timer: late });
    expect(run.stderr).toContain('Waiting for POST /v1/folder (timeout in 1 minute)');
    expect(run.stderr).toContain('After Ctrl-C, svc waits up to 10 more seconds for the response.');
  });

  it('is not announced if it arrives soon', async () => {
    const { transport } = await campaign();
    const run = await runCli(FOLDERS, { transport });
    expect(run).toEqual({ stdout: '[]\n', stderr: '', exitCode: 0, questions: [] });
  });
});

describe('a wait before a retry', () => {
  const throttled = {
    status: 429,
    headers: { 'retry-after': '30' },
    body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
  };

  it.each([
    [
      FOLDERS,
      'GET /v1/folder: the answer was 429. Retrying in 30 seconds. Ctrl-C is safe: nothing is changed.',
    ],
    [
      ['folder', 'create', '--name', 'News'],
      'POST /v1/folder: the answer was 429. Retrying in 30 seconds. Ctrl-C is safe: nothing is changed.',
    ],
  ])('is announced for %j with its duration', async (argv, words) => {
    const { transport } = await campaign();
    let asked = 0;
    const run = await runCli(argv, {
      transport: async (request, signal) => {
        asked += 1;
        return asked === 1 ? throttled : transport(request, signal);
      },
    });
    expect(run.exitCode).toBe(0);
    // Jitter adds at most half a second.
    expect(run.stderr.replace('31 seconds', '30 seconds')).toContain(words);
  });

  it('leaves the error as one JSON object on the last line with -o json', async () => {
    const run = await runCli([...FOLDERS, '--timeout', '2m'], { transport: async () => throttled });
    expect(run).toMatchObject({ stdout: '', exitCode: 9 });
    const lines = run.stderr.trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { kind: 'throttled', exit: 9 } });
    // The line appears once a minute, not at every attempt.
    expect(lines.filter((line) => line.includes('Retrying in'))).toHaveLength(1);
  });
});

describe('a lost response', () => {
  const cut = () => Promise.reject(new TransportError('unknown', 'the connection broke'));

  it('is announced with the subject of the look-up, its longest duration, and the effect of Ctrl-C', async () => {
    const { create, transport } = await campaign();
    const run = await runCli([...create, '--at', '+1h'], {
      transport: (request, signal) => (request.method === 'POST' ? cut() : transport(request, signal)),
    });
    expect(run.exitCode).toBe(10);
    expect(run.stderr).toContain(
      'No response to POST /v1/task. Looking for the record (timeout in 1 minute 2 seconds). ' +
        'After Ctrl-C, the outcome is unknown.\n',
    );
  });

  it('says with --hold that Ctrl-C leaves nothing behind', async () => {
    const { create, transport } = await campaign();
    const run = await runCli([...create, '--hold', '10m'], {
      transport: (request, signal) => (request.method === 'POST' ? cut() : transport(request, signal)),
    });
    expect(run.stderr).toContain(
      'Ctrl-C cannot stop this step: svc waits for the response, then checks the task, and cancels the task if a check fails\n',
    );
  });

  it('prints nothing with a short --settle', async () => {
    const { create, transport } = await campaign();
    const run = await runCli([...create, '--at', '+1h', '--settle', '2s'], {
      transport: (request, signal) => (request.method === 'POST' ? cut() : transport(request, signal)),
    });
    expect(run.stderr).not.toContain('Looking for the record');
  });
});

describe('a wait for a task', () => {
  const scheduled = async () => {
    const made = await campaign();
    await runCli([...made.create, '--at', '+1h'], { transport: made.transport });
    return made;
  };

  it.each([
    [
      ['task', 'wait', '1', '--timeout', '90s'],
      'Waiting until task 1 is completed (at most 1 minute 30 seconds). Ctrl-C is safe: nothing is changed.\n',
    ],
    [
      ['task', 'guard', '1', '--max-bounce', '5%'],
      'Checking whether task 1 stays within your limits, until it is completed or cancelled. ',
    ],
    [
      ['task', 'watch', '1'],
      'Watching task 1 until it is completed or cancelled. Ctrl-C is safe: nothing is changed.\n',
    ],
  ])('is announced once by %j', async (argv, words) => {
    const { transport } = await scheduled();
    const stop = new AbortController();
    const run = await runCli(argv, {
      transport,
      signal: stop.signal,
      onSleep: (passed) => passed > 30_000 && stop.abort(),
    });
    expect(run.stderr.split(words)).toHaveLength(2);
  });

  it('is part of a drawn view', async () => {
    const { transport } = await scheduled();
    const stop = new AbortController();
    const run = await runCli(['task', 'watch', '1'], {
      transport,
      tty: true,
      timer: late,
      signal: stop.signal,
      onSleep: (passed) => passed > 30_000 && stop.abort(),
    });
    expect(run.stderr).toContain('starts in');
    expect(run.stderr).not.toMatch(/waiting|watching/);
  });
});

describe('other work', () => {
  const outside = (lines: string[]) => ({
    clock: { now: () => NOW * 1000 },
    timer: late,
    say: async (line: string) => {
      lines.push(line);
    },
  });

  it('is named in the line', async () => {
    const lines: string[] = [];
    const waitNotices = createWaitNotices(outside(lines));
    expect(await waitNotices.runWithNotice('at most the sandbox, for 20 seconds', async () => 7)).toBe(7);
    await waitNotices.written();
    expect(lines).toEqual(['waiting at most the sandbox, for 20 seconds']);
  });

  it('continues if no one can read the line', async () => {
    const waitNotices = createWaitNotices({
      ...outside([]),
      say: () => Promise.reject(new Error('write EIO')),
    });
    expect(await waitNotices.runWithNotice('for it', async () => 7)).toBe(7);
    await waitNotices.written();
  });
});
