/** Contract, "Safety": `task cancel` of several tasks asks once, names all, and cancels each (interface, "States and transitions"). */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../support/campaign.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';

async function world() {
  const made = await campaign();
  for (const day of ['20', '21', '22'])
    await runCli(
      [
        ...made.create.map((word) => (word === 'Sale' ? `Sale ${day}` : word)),
        '--at',
        `2026-12-${day}T10:00Z`,
      ],
      {
        transport: made.transport,
      },
    );
  const states = async () => (await made.tasks()).map(({ cancelled }) => cancelled);
  return { ...made, states };
}

describe('svc task cancel with several tasks', () => {
  it('asks one question that names all of them, and cancels each', async () => {
    const { transport, states } = await world();
    const run = await runCli(['task', 'cancel', '1', 'Sale 22', '1'], {
      transport,
      tty: true,
      answers: [true],
    });
    expect(run.exitCode).toBe(0);
    expect(run.questions).toEqual([
      expect.stringMatching(/cancel 2 tasks: task 1 \(Sale 20\), task 3 \(Sale 22\)/i),
    ]);
    expect(await states()).toEqual([1, 0, 1]);
  });

  it('needs --yes off a terminal: exit 2, and nothing is cancelled', async () => {
    const { transport, states, sent } = await world();
    const before = writesIn(sent).length;
    expect((await runCli(['task', 'cancel', '1', '2'], { transport })).exitCode).toBe(2);
    expect(await states()).toEqual([0, 0, 0]);
    expect(writesIn(sent)).toHaveLength(before);
  });

  it('cancels none if one is not found: exit 4', async () => {
    const { transport, states } = await world();
    const run = await runCli(['task', 'cancel', '1', '99', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await states()).toEqual([0, 0, 0]);
  });

  it('reports a task that the service refuses to cancel, and cancels the others: exit 8', async () => {
    const { transport, states, sandbox } = await world();
    await sandbox.send('admin', 'PUT', '/v1/task/2', { cancelled: true });
    const run = await runCli(['task', 'cancel', '1', '2', '3', '--yes', '-o', 'json'], { transport });
    expect(run.exitCode).toBe(8);
    expect(run.stderr).toContain('cannot cancel task 2 (Sale 21)');
    expect(JSON.parse(run.stdout)).toMatchObject([
      { id: 1, cancelled: true },
      { id: 3, cancelled: true },
    ]);
    expect(await states()).toEqual([1, 1, 1]);
  });

  it('lists each change of a dry run, and sends nothing', async () => {
    const { transport, states } = await world();
    const run = await runCli(['task', 'cancel', '1', '2', '--yes', '--dry-run', '-o', 'json'], { transport });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject([{ path: '/v1/task/1' }, { path: '/v1/task/2' }]);
    expect(await states()).toEqual([0, 0, 0]);
  });
});
