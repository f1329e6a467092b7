/**
 * Contract, "Safety": an action that cannot be reverted asks on a terminal and needs `--yes` elsewhere. svc warns of the same message to
 * the same list within a day before it sends.
 */
import { describe, expect, it } from 'vitest';
import { campaign } from '../../../support/campaign.ts';
import { putEmail } from '../../../support/messages.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi', '--now'];
const WHOSE = 'Company (company 1, from the environment)?';

async function service() {
  const made = await campaign();
  await made.sandbox.send('admin', 'POST', '/v1/task', {
    channel: 'email',
    message_id: await putEmail(made.sandbox, { name: 'Other' }),
    name: 'Later',
    list_id: 1,
    search_id: null,
    scheduledtime: NOW + 7200,
  });
  return made;
}

const LINES = (create: readonly string[]): readonly (readonly [readonly string[], string, string])[] => [
  [
    [...create, '--now'],
    `Really send email 1 (Message) to list 1 (newest task: 2 people) at once, with 1,000 e-mail credits left, for ${WHOSE}`,
    'POST /v1/task',
  ],
  [
    ['task', 'update', 'Later', '--now'],
    `Really send task 1 (Later), email to 2, at once, with 1,000 e-mail credits left, for ${WHOSE}`,
    'PUT /v1/task/1',
  ],
  [
    SEND,
    `Really send an SMS to 447700900123 at once, for 1 of 1,000 SMS credits, of ${WHOSE}`,
    'POST /v1/sms',
  ],
];

describe.each([0, 1, 2])('--now, of task create, task update and sms send (%i)', (row) => {
  it('needs --yes without a terminal, and sends no request', async () => {
    const { transport, sent, create } = await service();
    const [argv = []] = LINES(create)[row] ?? [];
    for (const [more, tty] of [[[], false] as const, [['--no-input'], true] as const]) {
      const run = await runCli([...argv, ...more], { transport, tty });
      expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
      expect(run.stderr).toContain(
        `to send the ${argv[0] === 'sms' ? 'SMS' : 'task'} at once needs --yes; nothing was sent`,
      );
    }
    expect(sent).toEqual([]);
  });

  it('asks on a terminal, and sends nothing after a no, but sends after a yes or with --yes', async () => {
    const { transport, sent, create } = await service();
    const [argv = [], question, write] = LINES(create)[row] ?? [];
    const no = await runCli(argv, { transport, tty: true, answers: [false] });
    expect(no).toMatchObject({ exitCode: 2, questions: [question] });
    expect(no.stderr).toContain('at once');
    expect(writesIn(sent)).toEqual([]);
    expect((await runCli(argv, { transport, tty: true, answers: [true] })).exitCode).toBe(0);
    expect((await runCli([...argv, '--yes'], { transport })).exitCode).toBe(0);
    expect(writesIn(sent)).toEqual([write, write]);
  });

  it('--dry-run asks nothing and shows what it would send', async () => {
    const { transport, sent, create } = await service();
    const [argv = []] = LINES(create)[row] ?? [];
    expect((await runCli([...argv, '--dry-run'], { transport, tty: true })).exitCode).toBe(0);
    expect(writesIn(sent)).toEqual([]);
  });
});

it('names a search as a search', async () => {
  const { transport, create, sandbox } = await service();
  await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
  await sandbox.put('search', {
    account_id: IDS.company,
    name: 'Paris',
    field_id: 1,
    equals: 'Paris',
    cdate: NOW,
  });
  const argv = [...create.slice(0, -2), '--search', '1', '--now'];
  const run = await runCli(argv, { transport, tty: true, answers: [false] });
  expect(run.questions).toEqual([
    expect.stringContaining('to search 1 (an unknown number of people) at once'),
  ]);
});

describe('the warning of the same message to the same list', () => {
  const AGAIN = 'email message 1 already goes to list 1 within a day of this task';

  it.each([
    ['an hour later', '2026-12-01 12:00', true],
    ['23 hours earlier', '2026-12-02 10:00', true],
    ['a day and more apart', '2026-12-03 12:00', false],
  ])('%s', async (_, at, isTold) => {
    const { transport, create, sent } = await campaign();
    await runCli([...create, '--at', '2026-12-01 11:00'], { transport });
    const before = sent.length;
    const run = await runCli([...create, '--at', at, '-o', 'id'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stdout: '2\n' });
    expect(run.stderr.includes(AGAIN)).toBe(isTold);
    const first = 'task 1 (Sale), scheduled Tue 2026-12-01 11:00:00 +00:00 (Europe/London)';
    expect(run.stderr.includes(first)).toBe(isTold);
    const looks = sent.slice(before).filter(({ method, query }) => method === 'GET' && query !== '');
    expect(looks.filter(({ query }) => query.includes('cancelled=false'))).toHaveLength(1);
  });

  it.each([
    ['to the time of another task', ['--at', '2026-12-01 11:00'], true],
    ['to another time', ['--at', '2026-12-09 11:00'], false],
    ['of the name', ['--name', 'Other'], false],
    ['to the time of another task, with --no-validate', ['--at', '2026-12-01 11:00', '--no-validate'], false],
  ])('is printed for a change %s', async (_, change, isTold) => {
    const { transport, create } = await campaign();
    await runCli([...create, '--at', '2026-12-01 11:00'], { transport });
    await runCli([...create, '--at', '2026-12-07 11:00'], { transport });
    const run = await runCli(['task', 'update', '2', ...change], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr.includes(`${AGAIN}:\n      task 1 (Sale), scheduled`)).toBe(isTold);
    expect(run.stderr).not.toContain('      task 2 ');
  });

  it('is printed before the question of --now', async () => {
    const { transport, create, sent } = await campaign();
    await runCli([...create, '--now', '--yes'], { transport });
    const run = await runCli([...create, '--now'], { transport, tty: true, answers: [false] });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(AGAIN);
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
  });

  it('is not printed for a cancelled task, another message, or with --no-validate', async () => {
    const { transport, create, sandbox } = await service();
    await putEmail(sandbox, { name: 'Third', subject: 'Another subject' });
    await runCli([...create, '--at', '+1h'], { transport });
    for (const argv of [
      create.map((word) => (word === 'Message' ? 'Third' : word)),
      [...create, '--no-validate'],
    ]) {
      const run = await runCli([...argv, '--at', '+1h'], { transport });
      expect(run.exitCode).toBe(0);
      expect(run.stderr).not.toContain('within a day');
    }
    for (const task of await sandbox.rows('task'))
      await sandbox.send('admin', 'PUT', `/v1/task/${task['id']}`, { cancelled: true });
    expect((await runCli([...create, '--at', '+1h'], { transport })).stderr).not.toContain('within a day');
  });

  it('is printed for another message record with the same content', async () => {
    const { transport, create, sandbox } = await service();
    await putEmail(sandbox, { name: 'Third' });
    await runCli([...create, '--at', '+1h'], { transport });
    const third = create.map((word) => (word === 'Message' ? 'Third' : word));
    const run = await runCli([...third, '--at', '+1h'], { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(
      'a message with the same content as email message 3 already goes to list 1 within a day of this task',
    );
  });

  it("is not printed for the job's own task when the job runs again with its --key", async () => {
    const { transport, create } = await campaign();
    const line = [...create, '--at', '+1h', '--key', 'build-7'];
    await runCli(line, { transport });
    expect((await runCli(line, { transport })).stderr).not.toContain('within a day');
  });

  it('says that the answer is unknown if the request fails, and continues', async () => {
    const { transport, create } = await campaign();
    const run = await runCli([...create, '--at', '+1h'], {
      transport: async (request, signal) =>
        request.query.includes('scheduledtime') && request.query.includes('cancelled')
          ? { status: 500, headers: {}, body: '' }
          : transport(request, signal),
    });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(
      'cannot check whether the same message goes to list 1 within a day of this task: ',
    );
  });
});
