import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { campaign } from '../../../support/campaign.ts';
import { PARTNER, runCli, writesIn } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let env: { readonly SVC_STATE_DIR: string };

beforeEach(async () => {
  env = { SVC_STATE_DIR: await makeTemporaryFolder('undo') };
});
afterEach(() => rm(env.SVC_STATE_DIR, { recursive: true }));

/** `task undo` cancels the last task that this profile made, if that is possible. */
describe('svc task undo', () => {
  it('cancels the last task, and nothing is sent', async () => {
    const { create, transport, tasks, deliveries } = await campaign();
    await runCli([...create, '--at', '+1h', '--name', 'First'], { transport, env });
    await runCli([...create, '--at', '+1h', '--name', 'Second'], { transport, env });
    const run = await runCli(['task', 'undo', '--yes'], { transport, env });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toContain('cancelled task 2 (Second)');
    expect(await tasks()).toMatchObject([{ cancelled: 0 }, { cancelled: 1 }]);
    const again = await runCli(['task', 'undo', '--yes'], { transport, env });
    expect(again.stderr).toContain('task 2 (Second) was cancelled before');
    expect(await deliveries()).toHaveLength(2);
  });

  it('asks, needs --yes elsewhere, and shows what it would do with --dry-run', async () => {
    const { create, transport, tasks, sent } = await campaign();
    await runCli([...create, '--at', '+1h'], { transport, env });
    expect((await runCli(['task', 'undo'], { transport, env })).exitCode).toBe(2);
    const asked = await runCli(['task', 'undo'], { transport, env, tty: true, answers: [false] });
    expect(asked.questions).toEqual([
      'Really cancel task 1 (Sale) permanently (channel: email, recipients: 2), of Company (company 1, from the environment)?',
    ]);
    await runCli(['task', 'undo', '--dry-run'], { transport, env });
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
    expect(await tasks()).toMatchObject([{ cancelled: 0 }]);
  });

  it('exits with 5 if the task is completed', async () => {
    const { create, transport, deliveries } = await campaign();
    await runCli([...create, '--at', '+1h'], { transport, env });
    expect(await deliveries()).toHaveLength(2);
    const run = await runCli(['task', 'undo', '--yes'], { transport, env });
    expect(run).toMatchObject({ exitCode: 5, stdout: '' });
    expect(run.stderr).toContain('task 1 (Sale) is completed and cannot be cancelled');
  });

  it('exits with 4 without a task of this user in the journal', async () => {
    const { create, transport, tasks } = await campaign();
    expect((await runCli(['task', 'undo', '--yes'], { transport, env })).exitCode).toBe(4);
    await runCli([...create, '--at', '+1h'], { transport, env });
    const other = await runCli(['task', 'undo', '--yes'], { transport, env: { ...env, SVC_USER_ID: '2' } });
    expect(other.exitCode).toBe(4);
    expect(await tasks()).toMatchObject([{ cancelled: 0 }]);
  });
});

/** Contract, "Safety": "A command that svc names, and that acts without a question, has the flags that chose the account". */
describe('a command that svc names', () => {
  const partner = () => ({ ...PARTNER, ...env, SVC_COMPANY_ID: undefined });
  const as = (words: string) => words.split(' ');

  it.each(['--company 1', '--companies 1 --write'])(
    'cancels the task in the same account: %s',
    async (flags) => {
      const { create, transport } = await campaign();
      const run = await runCli([...create, '--at', '+1h', '--expect-size', '9..9', ...as(flags), '--yes'], {
        transport,
        env: partner(),
      });
      expect(run.exitCode).not.toBe(0);
      expect(run.stderr).toContain('if this is interrupted: svc task cancel 1 --company 1 --yes');
    },
  );

  it('creates a cancelled task again in the same account', async () => {
    const { create, transport } = await campaign();
    const account = { transport, env: partner() };
    await runCli([...create, '--at', '+1h', '--company', '1'], account);
    await runCli(as('task cancel 1 --company 1 --yes'), account);
    const run = await runCli(as('undo --company 1 --yes'), account);
    expect(run.stderr).toMatch(/to create the task again: svc task create .* --company 1\n/);
  });

  it('looks for a record whose creation has an unknown outcome in the same account', async () => {
    const { transport } = await campaign();
    const run = await runCli(
      as('sms send --to 447700900123 --from Example --text Hi --at +1h --company 1 --settle 1s'),
      {
        env: partner(),
        transport: (request, signal) =>
          request.method === 'POST'
            ? Promise.reject(new TransportError('unknown', 'the connection was cut'))
            : transport(request, signal),
      },
    );
    expect(run.exitCode).toBe(10);
    expect(run.stderr).toMatch(/To check, run svc sms list .* --company 1\n/);
  });
});
