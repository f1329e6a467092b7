/** Acceptance, Y6: two CI runners with one --key; 20 in parallel leave one task that is not cancelled. */
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { createChance } from '../../../client/simulation-world.ts';
import { campaign } from '../../../support/campaign.ts';
import { depth, SEED, tried } from '../../../support/depth.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';

const JOBS = depth('SVC_CI_JOBS', { few: 4, full: 100 });

describe('--key of task create', () => {
  it('returns the first task when it runs again, and sends nothing', async () => {
    const { create, transport, sent } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7', '-o', 'id'];
    for (let each = 0; each < 3; each += 1)
      expect(await runCli(line, { transport })).toMatchObject({ exitCode: 0, stdout: '1\n' });
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
  });

  // Every second job loses the network at a random request. The service may have performed the first lost request.
  it(`Y6: ${JOBS} jobs in a row make one task (SVC_SEED=${SEED})`, async () => {
    const { create, transport, sent, tasks, deliveries } = await campaign();
    const chance = createChance(SEED);
    const line = [...create, '--at', '+1h', '--key', 'build-7', '-o', 'id'];
    for (let job = 1; job <= JOBS; job += 1) {
      const cutAt = job % 2 === 1 && job < JOBS ? Math.ceil(chance.between(0, 5)) : Number.POSITIVE_INFINITY;
      const isCarriedOut = chance.is(0.5);
      let requests = 0;
      const run = await runCli(line, {
        transport: async (request, signal) => {
          requests += 1;
          if (requests < cutAt) return transport(request, signal);
          if (requests === cutAt && isCarriedOut) await transport(request, signal);
          throw new TransportError('unknown', 'cut');
        },
      });
      if (requests < cutAt) expect([job, run]).toMatchObject([job, { exitCode: 0, stdout: '1\n' }]);
      else expect([job, run.exitCode, run.stdout]).not.toEqual([job, 0, '']);
    }
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
    expect(await tasks()).toHaveLength(1);
    expect(await deliveries()).toHaveLength(2);
    tried('Y6', JOBS);
  });

  it('creates one task in twenty runs at once, and all name it', async () => {
    const { create, transport, tasks, deliveries } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7', '-o', 'id'];
    // Each run has looked for a task before any of them creates one.
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

  it('cancels neither of two with less than 10 minutes left, and says so: exit 5', async () => {
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

  it('does not create a cancelled task again, and reports no success: exit 5', async () => {
    const { create, transport, sent } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli([...line, '--expect-size', '9..11'], { transport });
    const run = await runCli(line, { transport });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('which is now cancelled');
    expect(writesIn(sent)).toEqual(['POST /v1/task', 'PUT /v1/task/1']);
  });

  it('checks the size in the second run if the first one ended before it could', async () => {
    const { create, transport, tasks } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli(line, { transport });
    const run = await runCli([...line, '--expect-size', '9..11'], { transport });
    expect(run.exitCode).toBe(2);
    expect(await tasks()).toMatchObject([{ cancelled: 1 }]);
  });
});
