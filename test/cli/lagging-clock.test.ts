/**
 * Wire, "Authentication, where open": except on loopback, a time is past if it is past by the machine's clock or by the service's. A
 * clock that lags must not disable the guard (M4). On loopback only the sandbox's own clock counts, because it can be moved.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { putEmail, putList } from '../support/messages.ts';
import { type Outside, runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import { createTestSandbox, NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const DAY = 86_400;
const YESTERDAY = String(NOW - DAY);

/** The sources of a time that is behind: the service's own header, or only the Date of any server in between. */
const WAYS = {
  'X-Svc-Time': (time: number) => ({ 'x-svc-time': String(time) }),
  Date: (time: number) => ({ date: new Date(time * 1000).toUTCString() }),
} as const;

async function lagging(way: keyof typeof WAYS, seconds: number) {
  let machine = NOW;
  const sandbox = await createTestSandbox({ machineNow: () => machine * 1000 });
  const list = String(await putList(sandbox));
  await putEmail(sandbox);
  const { transport, sent } = serviceOf(sandbox);
  const late: Transport = async (request, signal) => {
    const answer = await transport(request, signal);
    const { 'x-svc-time': _, ...headers } = answer.headers;
    return { ...answer, headers: { ...headers, ...WAYS[way](machine - seconds) } };
  };
  const svc = (argv: readonly string[], outside: Outside = {}) =>
    runCli(argv, { transport: late, now: machine, ...outside });
  const pass = (more: number): void => {
    machine += more;
  };
  const task = [
    'task',
    'create',
    '--name',
    'Sale',
    '--channel',
    'email',
    '--message',
    'Message',
    '--list',
    list,
  ];
  return { sandbox, sent, svc, task, pass };
}

const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi'];
const WORDS = 'was 1 day ago, so the service would send at once, measured by this machine';

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('a service whose %s is 30 days behind', (way) => {
  it('task create and sms send reject yesterday, and say that the clocks differ', async () => {
    const { svc, sent, task } = await lagging(way, 30 * DAY);
    for (const argv of [task, SEND]) {
      const run = await svc([...argv, '--at', YESTERDAY]);
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(WORDS);
      expect(run.stderr).toContain("the service's clock is 30 days behind this machine's");
    }
    expect(writesIn(sent)).toEqual([]);
  });

  it('task update and undo also reject it', async () => {
    const { svc, sent, task, sandbox, pass } = await lagging(way, 30 * DAY);
    const home = await makeTemporaryFolder('lag');
    try {
      const env = { SVC_STATE_DIR: home };
      expect((await svc([...task, '--at', String(NOW + DAY)], { env })).exitCode).toBe(0);
      expect((await svc(['task', 'update', '1', '--at', YESTERDAY], { env })).stderr).toContain(WORDS);
      expect((await svc(['task', 'update', '1', '--at', String(NOW + 3 * DAY)], { env })).exitCode).toBe(0);
      const before = writesIn(sent).length;
      // Restores a time that is now past.
      pass(2 * DAY);
      const late = await svc(['undo', '--yes'], { env });
      expect(late).toMatchObject({ exitCode: 2 });
      expect(late.stderr).toContain('was 1 day ago');
      expect(writesIn(sent)).toHaveLength(before);
      expect(await sandbox.rows('task')).toMatchObject([{ scheduledtime: NOW + 3 * DAY }]);
    } finally {
      await rm(home, { recursive: true });
    }
  });

  it('sms send --file rejects each such row', async () => {
    const { svc, sent } = await lagging(way, 30 * DAY);
    const cwd = await makeTemporaryFolder('lag');
    try {
      const rows = [`447700900123,Hi,${YESTERDAY}`, `447700900124,Hi,${NOW + DAY}`];
      await writeFile(join(cwd, 'to.csv'), `to,message,senddate\n${rows.join('\n')}\n`);
      const run = await svc(['sms', 'send', '--file', 'to.csv', '--from', 'Example', '--yes'], { cwd });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(WORDS);
      expect(run.stderr).toContain("the service's clock is 30 days behind this machine's");
      expect(writesIn(sent)).toEqual([]);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });

  it('--hold takes its full time by both clocks', async () => {
    const { svc, sent, task } = await lagging(way, 30 * DAY);
    const run = await svc([...task, '--hold', '10m', '-o', 'json']);
    expect(run.exitCode).toBe(0);
    const post = sent.find(({ method }) => method === 'POST');
    expect(JSON.parse(post?.body ?? '').scheduledtime).toBeGreaterThanOrEqual(NOW + 600);
  });

  it('--hold postpones a time that is too near by either clock', async () => {
    const { svc, sent, task } = await lagging(way, 30 * DAY);
    const run = await svc([...task, '--hold', '10m', '--at', String(NOW + 120)]);
    expect(run.exitCode).toBe(0);
    const post = sent.find(({ method }) => method === 'POST');
    expect(JSON.parse(post?.body ?? '').scheduledtime).toBeGreaterThanOrEqual(NOW + 600);
  });
});

describe('the minimum time ahead', () => {
  it.each([
    [119, [], 'is less than 2 minutes ahead'],
    [299, ['--expect-size', '0..9'], 'is less than 5 minutes ahead'],
  ])('rejects %i seconds by this machine, whatever the service says', async (ahead, flags, words) => {
    const { svc, sent, task } = await lagging('X-Svc-Time', 240);
    const run = await svc([...task, ...flags, '--at', String(NOW + ahead)]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    // svc does not mention a difference of up to 5 minutes.
    expect(run.stderr).not.toContain("behind this machine's;");
    expect(writesIn(sent)).toEqual([]);
  });

  it("does not send a retry that is too late by this machine's clock", async () => {
    const { svc, sent, task, sandbox } = await lagging('X-Svc-Time', 30 * DAY);
    let posts = 0;
    const run = await svc([...task, '--at', String(NOW + 150), '--timeout', '10m'], {
      transport: async (request) => {
        if (request.method !== 'POST') {
          const answer = await sandbox.service.handle(request);
          return { ...answer, headers: { ...answer.headers, 'x-svc-time': String(NOW - 30 * DAY) } };
        }
        posts += 1;
        const headers = { 'retry-after': '120', 'x-svc-time': String(NOW - 30 * DAY) };
        return {
          status: 429,
          headers,
          body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
        };
      },
    });
    expect(posts).toBe(1);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('is less than a minute from now');
    expect(writesIn(sent)).toEqual([]);
  });

  it("does not send a row of a file that is too late by this machine's clock", async () => {
    const { svc, sandbox } = await lagging('X-Svc-Time', 30 * DAY);
    const cwd = await makeTemporaryFolder('lag');
    try {
      await writeFile(join(cwd, 'to.csv'), `to,message,senddate\n447700900123,Hi,${NOW + 150}\n`);
      let posts = 0;
      const run = await svc(
        ['sms', 'send', '--file', 'to.csv', '--from', 'Example', '--yes', '--timeout', '10m'],
        {
          cwd,
          transport: async (request) => {
            if (request.method === 'POST') posts += 1;
            const answer =
              request.method === 'POST' && posts === 1
                ? {
                    status: 429,
                    headers: { 'retry-after': '120' },
                    body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
                  }
                : await sandbox.service.handle(request);
            return { ...answer, headers: { ...answer.headers, 'x-svc-time': String(NOW - 30 * DAY) } };
          },
        },
      );
      expect(posts).toBe(1);
      expect(run.exitCode).toBe(8);
      expect(run.stderr).toContain('is less than a minute from now');
      expect(await sandbox.rows('sms')).toEqual([]);
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});

describe('on loopback', () => {
  it("counts only the sandbox's clock, without a note", async () => {
    const { svc, sandbox, task } = await lagging('X-Svc-Time', 30 * DAY);
    const run = await svc([...task, '--at', YESTERDAY], { env: { SVC_BASE_URL: 'http://127.0.0.1:4010' } });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('in 29 days');
    expect(run.stderr).not.toContain("behind this machine's");
    expect(await sandbox.rows('task')).toHaveLength(1);
  });
});

it('trusts a service that is ahead, and says so', async () => {
  const { svc, sent, task } = await lagging('X-Svc-Time', -2 * DAY);
  const run = await svc([...task, '--at', String(NOW + DAY)]);
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain('was 1 day ago, so the service would send at once');
  expect(run.stderr).toContain("the service's clock is 2 days ahead of this machine's");
  expect(writesIn(sent)).toEqual([]);
});
