/** Acceptance, Y6: two CI runners with one --key; 20 in parallel leave one task that is not cancelled. */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../support/campaign.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';

describe('--key of task create', () => {
  it('run again: the first one is the result, and nothing is sent', async () => {
    const { create, transport, sent } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7', '-o', 'id'];
    for (let each = 0; each < 3; each += 1)
      expect(await runCli(line, { transport })).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
  });

  it('twenty at once: one goes out, all name it', async () => {
    const { create, transport, tasks, deliveries } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7', '-o', 'id'];
    // Each has looked before any of them makes one.
    let waiting = 0;
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const runs = await Promise.all(
      Array.from({ length: 20 }, () =>
        runCli(line, {
          transport: async (request, signal) => {
            if (request.method === 'POST') {
              waiting += 1;
              if (waiting === 20) open();
              await all;
            }
            return transport(request, signal);
          },
        }),
      ),
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(20).fill(0));
    const rows = await tasks();
    expect(rows).toHaveLength(20);
    expect(rows.filter(({ cancelled }) => cancelled === 0)).toMatchObject([{ id: 1 }]);
    expect(new Set(runs.map(({ stdout }) => stdout))).toEqual(new Set(['1\n']));
    expect(await deliveries()).toHaveLength(2);
  });

  it('with less than 10 minutes ahead cancels neither, and says so: exit 5', async () => {
    const { create, transport, tasks } = await campaign();
    const line = [...create, '--at', '+5m', '--key', 'build-7'];
    let raced = false;
    const run = await runCli(line, {
      transport: async (request, signal) => {
        if (request.method === 'POST' && !raced) {
          raced = true;
          await runCli(line, { transport });
        }
        return transport(request, signal);
      },
    });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('BOTH WILL BE SENT');
    expect(run.stderr).toContain('svc task cancel 2 --yes');
    expect(await tasks()).toMatchObject([{ cancelled: 0 }, { cancelled: 0 }]);
  });

  it('does not create a task again that was cancelled, and reports no success: exit 5', async () => {
    const { create, transport, sent } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli([...line, '--expect-size', '9..11'], { transport });
    const run = await runCli(line, { transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('which is now cancelled');
    expect(writesIn(sent)).toEqual(['POST /v1/task', 'PUT /v1/task/1']);
  });

  it('a first run that ended before it could check the size: the second one does', async () => {
    const { create, transport, tasks } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli(line, { transport });
    const run = await runCli([...line, '--expect-size', '9..11'], { transport });
    expect(run.exitCode).toBe(2);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });
});
