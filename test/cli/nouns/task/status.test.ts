/** A task has one STATUS in tables. The other formats keep the attributes of the interface. */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../support/campaign.ts';
import { setAccount } from '../../../support/messages.ts';
import { runCli } from '../../../support/run-cli.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

const own = { account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: 1, list_id: 1 };
const at = (scheduledtime: number, more: object = {}) => ({
  ...own,
  size: 9000,
  cdate: NOW,
  scheduledtime,
  ...more,
});

async function withAllOfThem() {
  const made = await campaign();
  const { put } = made.sandbox;
  await put('task', at(NOW + 9000, { name: 'A' }));
  await put('task', at(NOW - 60, { name: 'B', started: 1 }));
  await put('task', at(NOW - 9000, { name: 'C', completed: 1, endtime: NOW - 60 }));
  await put('task', at(NOW - 9000, { name: 'D', cancelled: 1, endtime: NOW - 9999 }));
  await put('task', at(NOW - 9000, { name: 'E', completed: 1, endtime: NOW - 8000, rate: 100 }));
  return made;
}

const list = ['task', 'list', '--sort', 'id', '--no-header', '--fields', 'name,status'];

describe('svc task list', () => {
  it.each([40, 80, 200])('shows the status as one word at %i columns', async (columns) => {
    const { transport } = await withAllOfThem();
    const run = await runCli(list, { transport, tty: true, columns, env: { NO_COLOR: '1' } });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toBe('A  scheduled\nB  sending\nC  completed\nD  cancelled\nE  stopped\n');
  });

  it('shows it in colour with aligned columns', async () => {
    const { transport } = await withAllOfThem();
    const run = await runCli([...list.slice(0, -1), 'status,name'], { transport, tty: true });
    expect(run.stdout).toBe(
      [
        '\x1b[36mscheduled\x1b[39m  A\n',
        '\x1b[33msending\x1b[39m    B\n',
        '\x1b[32mcompleted\x1b[39m  C\n',
        '\x1b[2mcancelled\x1b[22m  D\n',
        '\x1b[31mstopped\x1b[39m    E\n',
      ].join(''),
    );
  });

  it('needs no additional request for it, and shows it in a piped table', async () => {
    const { transport, sent } = await withAllOfThem();
    const run = await runCli(['task', 'list', '--fields', 'id,status'], { transport });
    expect(run.stdout.split('\n')[0]).toBe('ID  STATUS');
    expect(sent.map(({ path }) => path)).toEqual(['/v1/task']);
  });

  it.each(['json', 'ndjson', 'csv', 'tsv', 'yaml'])(
    '%s has the attributes of the interface',
    async (format) => {
      const { transport } = await withAllOfThem();
      const whole = await runCli(['task', 'list', '-o', format], { transport });
      expect(whole.stdout).toContain('cancelled');
      expect(whole.stdout).toContain('completed');
      expect(whole.stdout).not.toContain('status');
      const asked = await runCli(['task', 'list', '-o', format, '--fields', 'id,status'], { transport });
      // Contract, "The everyday screen": `status` can be named in --fields, and is otherwise not in the JSON.
      expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
      for (const word of ['scheduled', 'sending', 'completed', 'cancelled', 'stopped'])
        expect(asked.stdout).toContain(word);
      expect(asked.stdout).not.toContain('workedOut');
    },
  );
});

describe('svc task get', () => {
  it('shows it instead of the attributes from which it is derived', async () => {
    const { transport } = await withAllOfThem();
    const run = await runCli(['task', 'get', '4'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toMatch(/^status +cancelled$/m);
    expect(run.stdout).not.toMatch(/^(cancelled|completed) /m);
  });

  it('says stopped? if the credits may have run out', async () => {
    const { sandbox, transport } = await campaign();
    await setAccount(sandbox, { smscreditbalance: 0 });
    await sandbox.put('task', at(NOW - 9000, { name: 'S', channel: 'sms', completed: 1, endtime: NOW - 60 }));
    const run = await runCli(['task', 'get', '1'], { transport, tty: true, env: { NO_COLOR: '1' } });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(/^task 1 \(S\), stopped\?$/m);
    expect(run.stderr).toContain('may have stopped early');
  });
});
