/** Names beside ids, if a person reads the output: `Newsletter (1)`. Scripts get and send the same as before. */
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { campaign } from '../../support/campaign.ts';
import { putEmail, putSms } from '../../support/messages.ts';
import { runCli } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';

async function withTasks(messages: number) {
  const made = await campaign();
  const own = { account_id: IDS.company, user_id: IDS.admin, list_id: 1, size: 2, cdate: NOW };
  await putSms(made.sandbox, { name: 'Text' });
  const times = { scheduledtime: NOW + 9000 };
  await made.sandbox.put('task', { ...own, ...times, name: 'By SMS', channel: 'sms', message_id: 1 });
  for (let each = 1; each <= messages; each += 1) {
    const id = await putEmail(made.sandbox, { name: `Newsletter ${each}` });
    const task = { ...own, ...times, name: `T${each}`, channel: 'email', message_id: id };
    await made.sandbox.put('task', task);
  }
  return made;
}

const asked = (sent: readonly WireRequest[]): readonly string[] =>
  sent.map(({ method, path, query }) => `${method} ${path}${query === '' ? '' : `?${query}`}`).sort();

describe('the names of messages', () => {
  it('are requested once each, in the channel of their task, and shown before the ids', async () => {
    const { transport, sent } = await withTasks(2);
    const run = await runCli(['task', 'list', '--wide', '--fields', 'id,message_id'], {
      transport,
      tty: true,
      env: { NO_COLOR: '1' },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toBe('ID  MESSAGE_ID\n 3  Newsletter 2 (3)\n 2  Newsletter 1 (2)\n 1  Text (1)\n');
    const messages = asked(sent).filter((each) => each.includes('Message'));
    expect(messages).toEqual(['GET /v1/emailMessage/2', 'GET /v1/emailMessage/3', 'GET /v1/smsMessage/1']);
  });

  it('come from one page of the newest records if there are more than ten', async () => {
    const { transport, sent } = await withTasks(12);
    const run = await runCli(['task', 'list', '--fields', 'id,message_id'], { transport, tty: true });
    expect(run.stdout).toContain('Newsletter 12 (13)');
    expect(run.stdout).toContain('Newsletter 1 (2)');
    const emails = asked(sent).filter((each) => each.includes('emailMessage'));
    expect(emails).toEqual(['GET /v1/emailMessage?sort=id&reverse=true&count=50']);
  });

  it('are not requested if the column is hidden for lack of width', async () => {
    const { transport, sent } = await withTasks(1);
    const run = await runCli(['task', 'list'], { transport, tty: true, columns: 44 });
    expect(run.stdout).not.toContain('MESSAGE_ID');
    expect(asked(sent).some((each) => each.includes('Message'))).toBe(false);
  });

  it.each([
    [['task', 'list'], false],
    [['task', 'get', '1'], false],
    [['task', 'list', '-o', 'json'], true],
    [['task', 'list', '-o', 'csv'], true],
  ])('%j, on a terminal %s, shows only ids, and sends no request', async (argv, tty) => {
    const { transport, sent } = await withTasks(1);
    const run = await runCli(argv, { transport, tty });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).not.toContain('(1)');
    expect(asked(sent).some((each) => each.includes('Message'))).toBe(false);
  });

  it('are missing without a failure if they cannot be read', async () => {
    const { transport } = await withTasks(1);
    const run = await runCli(['task', 'get', '1', '--retries', '0'], {
      tty: true,
      env: { NO_COLOR: '1' },
      transport: async (request) => {
        const answer = await transport(request);
        return request.path.includes('Message') ? { ...answer, status: 500 } : answer;
      },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toContain('Sends SMS message 1 to ');
  });

  it('are not awaited for more than 3 seconds', async () => {
    const { transport } = await withTasks(1);
    const run = await runCli(['task', 'get', '1'], {
      tty: true,
      env: { NO_COLOR: '1' },
      timer: (milliseconds, fire) => {
        if (milliseconds === 3000) setImmediate(fire);
        return () => {};
      },
      transport: (request) => (request.path.includes('Message') ? new Promise(() => {}) : transport(request)),
    });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('Sends SMS message 1 to ');
  });

  it('are escaped as text of the service', async () => {
    const { sandbox, transport } = await withTasks(0);
    await putEmail(sandbox, { name: 'Red\x1b[31m\nnews' });
    const own = { account_id: IDS.company, user_id: IDS.admin, list_id: 1, size: 2, cdate: NOW };
    const task = { name: 'E', channel: 'email', message_id: 2, scheduledtime: NOW + 60 };
    await sandbox.put('task', { ...own, ...task });
    const first = ['--limit', '1', '--sort', 'id', '--reverse'];
    const run = await runCli(['task', 'list', '--fields', 'message_id', ...first, '--no-header'], {
      transport,
      tty: true,
    });
    expect(run.stdout).toBe('Red␛[31m↵news (2)\n');
  });
});
