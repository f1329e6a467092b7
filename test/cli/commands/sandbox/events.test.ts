/** Contract, "Sandbox": actions of recipients, and the rules that they trigger (interface, "Events"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, {
    clock: 'manual',
    seed: 'demo',
    machineNow: () => START * 1000,
  });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const event = (...line: string[]) => runCli(['sandbox', 'event', ...line, '--data', folder.path]);
const HERE = 'at 2026-12-01 09:00 (Europe/London)';

describe('an event as text', () => {
  it('shows for a click the rule, its action, its time, and how to move a manual clock there', async () => {
    expect(await event('click', '--link', '4', '--subscriber', '12')).toMatchObject({
      exitCode: 0,
      stdout:
        `Subscriber 12 clicked link 4 ${HERE}, not counted for a task, because no task sent the message to this subscriber.\n` +
        'Rules that the event triggered:\n' +
        '  click:1 (Espresso readers join the club): add to list 2, queued for 2026-12-01 10:00 (in 1 hour)\n',
      stderr: "The sandbox's clock is manual: run svc sandbox clock advance 1h to run the queued actions.\n",
    });
  });

  it.each([
    [
      'click --link 1 --subscriber 12 --task 2',
      `Subscriber 12 clicked link 1 ${HERE}, counted for task 2.`,
      'No rule was triggered.',
      'Rules of the same kind that the event did not trigger:',
      '  click:1 (Espresso readers join the club): waits for link 4',
    ],
    [
      'open --message 3 --subscriber 12',
      `Subscriber 12 opened e-mail message 3 ${HERE}, not counted for a task, because no task sent the message to this subscriber.`,
      'No rule was triggered.',
      'Rules of the same kind that the event did not trigger:',
      '  open:1 (Notify the shop of opens): paused',
    ],
    [
      'subscribe --list 1 --subscriber 12',
      `Subscriber 12 subscribed to list 1 ${HERE}.`,
      'No rule was triggered: subscriber 12 was already on list 1.',
    ],
    [
      'bounce --task 2 --subscriber 13',
      `The message of task 2 to subscriber 13 bounced ${HERE}.`,
      'No rule was triggered: a bounce never triggers a rule.',
    ],
    [
      'complaint --task 2 --subscriber 13',
      `Subscriber 13 reported the message of task 2 as unwanted ${HERE}.`,
      'No rule was triggered: a complaint never triggers a rule.',
    ],
    [
      'unsubscribe --task 2 --subscriber 13',
      `Subscriber 13 unsubscribed through a message of task 2 ${HERE}, and is now on Do Not Contact.`,
      'No rule was triggered: an unsubscription never triggers a rule.',
    ],
    [
      'sms-in --to 447700900991 --from 447700900001 --text COFFEE',
      `447700900001 sent an SMS to 447700900991 ${HERE}.`,
      'No rule was triggered: no destination matches.',
    ],
    [
      'failed-login --username tom',
      'User tom failed to log in once.',
      'No rule was triggered: a failed login never triggers a rule.',
    ],
  ])('%s shows that no rule was triggered, and why', async (line, ...expected) => {
    const run = await event(...line.split(' '));
    expect(run).toMatchObject({ exitCode: 0, stdout: `${expected.join('\n')}\n`, stderr: '' });
  });

  it('shows a date event, and an inbound SMS with several effects', async () => {
    const date = await event('date', '--rule', '1', '--subscriber', '12', '--at', '2026-12-24 07:00');
    expect(date).toMatchObject({
      exitCode: 0,
      stdout:
        'Subscriber 12 now has the date 2026-12-24 07:00 (Europe/London). Rule date:1 acts before, on or after this date.\n' +
        'Rules that the event triggered:\n' +
        '  date:1 (Birthday bag): send e-mail message 4, queued for 2026-12-24 09:00 (in 23 days)\n',
      stderr: "The sandbox's clock is manual: run svc sandbox clock advance 23d to run the queued actions.\n",
    });
    const text = 'HARBOUR COFFEE new@example.com';
    const sms = await event('sms-in', '--to', '447700900990', '--from', '447700900001', '--text', text);
    expect(sms).toMatchObject({
      exitCode: 0,
      stdout:
        `447700900001 sent an SMS to 447700900990 ${HERE}.\n` +
        'Rules that the event triggered:\n' +
        '  sms:1 (Save a seat): add to list 3, done\n' +
        '  sms:1 (Save a seat): add to list 1, done\n' +
        '  subscription:1 (Welcome newcomers): send e-mail message 3, queued for 2026-12-01 09:10 (in 10 minutes)\n' +
        '  sms:1 (Save a seat): send SMS message 2, queued for now\n' +
        '  sms:1 (Save a seat): forward the SMS to shop@harbourcoffee.example, done\n',
      stderr: "The sandbox's clock is manual: run svc sandbox clock advance 10m to run the queued actions.\n",
    });
  });

  it('escapes a name with control sequences', async () => {
    await sandbox.api('PUT', '/v1/clickAutomation/1', { name: 'Red \u001b[31m' });
    const { stdout } = await event('click', '--link', '1', '--subscriber', '12');
    expect(stdout).toContain('click:1 (Red ␛[31m): waits for link 4');
    await sandbox.api('PUT', '/v1/clickAutomation/1', { name: 'Espresso readers join the club' });
  });
});

describe('an event as data', () => {
  it('keeps the earlier members and adds the rules, with times in Unix seconds', async () => {
    const run = await event('click', '--link', '4', '--subscriber', '12', '-o', 'json');
    expect([run.stderr, run.exitCode]).toEqual(['', 0]);
    expect(JSON.parse(run.stdout)).toEqual({
      event: 'click',
      subscriber: 12,
      time: START,
      link: 4,
      task: null,
      why: null,
      automations: [
        {
          rule: 'click:1',
          name: 'Espresso readers join the club',
          matched: true,
          action: 'addtolist',
          target: '2',
          queued: START + 3600,
          done: false,
          why: null,
        },
      ],
    });
  });

  it('says why rules did not match', async () => {
    const run = await event('click', '--link', '1', '--subscriber', '12', '--query', 'automations[].why');
    expect(run).toMatchObject({ exitCode: 0, stdout: 'waits for link 4\n', stderr: '' });
  });
});

describe('event click --task', () => {
  it.each([
    ['99', 4, 'svc: Task 99 not found\n'],
    // Task 1 sent another message.
    ['1', 4, 'svc: Message 1 in task 1 not found\n'],
    ['0', 2, 'svc: --task: 0 is not a whole number of at least 1\n'],
    ['x', 4, 'svc: Task "x" not found\n'],
    ['', 2, '--task'],
  ])('%j exits with %i and counts nothing', async (task, exit, words) => {
    const count = async () => (await sandbox.api('GET', '/v1/task/2')).json.response.data.emailuniqueclicks;
    const before = await count();
    const run = await event('click', '--link', '1', '--subscriber', '20', `--task=${task}`);
    expect(run).toMatchObject({ exitCode: exit, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(await count()).toBe(before);
  });
});

/**
 * Contract, "The everyday screen": `--task T --share P% [--over DURATION] [--seed N]`, and names and addresses instead
 * of ids.
 */
describe('a share of the recipients', () => {
  const START_OF_TASK = START + 300;
  const run = (...line: string[]) => runCli(['sandbox', ...line, '--data', folder.path]);
  const statistics = async (id: number) =>
    (await sandbox.api('GET', `/v1/task/${id}`)).json.response.data as Record<string, number>;
  let task: number;
  let recipients: number;
  beforeAll(async () => {
    const body = { channel: 'email', message_id: 1, name: 'To a share', list_id: 2, search_id: null };
    const made = await sandbox.api('POST', '/v1/task', { ...body, scheduledtime: START_OF_TASK });
    task = made.json.response.data.id;
    expect(await event('open', '--task', String(task), '--share', '35%')).toMatchObject({ exitCode: 5 });
    await sandbox.control('clock advance', { seconds: 600 });
    recipients = (await sandbox.control('task show', { id: task })).json.data.sent;
  });

  it('opens exactly that share, by the name of the task, and not twice for the same seed', async () => {
    const opened = Math.round(recipients * 0.35);
    for (let times = 0; times < 2; times += 1) {
      const said = await event('open', '--task', 'To a share', '--share', '35%');
      expect(said).toMatchObject({ exitCode: 0, stderr: '' });
      expect(said.stdout).toContain(
        `${opened} of the ${recipients} recipients opened task ${task} (To a share).\n`,
      );
      expect((await statistics(task))['emailuniqueopens']).toBe(opened);
    }
    await event('open', '--task', 'To a share', '--share', '35%', '--seed', '2');
    expect((await statistics(task))['emailuniqueopens']).toBeGreaterThan(opened);
  });

  it('also counts clicks, bounces, complaints and unsubscriptions', async () => {
    for (const [kind, share, statistic] of [
      ['click', 0.1, 'emailuniqueclicks'],
      ['bounce', 0.05, 'emailuniquebounces'],
      ['complaint', 0.02, 'emailuniquecomplaints'],
      ['unsubscribe', 0.03, 'emailuniqueunsubscriptions'],
    ] as const) {
      expect((await event(kind, '--task', String(task), '--share', `${share * 100}%`)).exitCode).toBe(0);
      expect((await statistics(task))[statistic]).toBe(Math.round(recipients * share));
    }
  });

  it('performs no event at once with --over 2d, and all events within two days', async () => {
    const before = (await statistics(task))['emailuniqueclicks'];
    const said = await event(
      'click',
      '--task',
      String(task),
      '--share',
      '60%',
      '--seed',
      '9',
      '--over',
      '2d',
    );
    expect(said.stdout).toMatch(
      /recipients will click a link of task \d+ \(To a share\) until 2026-12-0[23]/,
    );
    expect(said.stderr).toMatch(/svc sandbox clock advance \S+ to let the recipients react/);
    expect((await statistics(task))['emailuniqueclicks']).toBe(before);
    await sandbox.control('clock advance', { seconds: 2 * 86_400 });
    expect((await statistics(task))['emailuniqueclicks']).toBeGreaterThanOrEqual(
      Math.round(recipients * 0.6),
    );
  });

  it('prints the counts as JSON', async () => {
    const said = await event('open', '--task', String(task), '--share', '10%', '-o', 'json');
    expect(JSON.parse(said.stdout)).toMatchObject({
      event: 'open',
      task,
      recipients,
      count: Math.round(recipients * 0.1),
      until: null,
      subscriber: null,
    });
  });

  it('rejects ambiguous arguments before it asks the sandbox', async () => {
    for (const [line, said] of [
      ['open --task 2 --share 0.35', 'write 35%'],
      ['open --task 2 --share 35', 'write 35%'],
      ['open --task 2 --share 35% --subscriber 1', 'cannot combine --share with --subscriber'],
      ['open --share 35%', '--share needs a task'],
      ['open --task 2', '--subscriber or --share must be given'],
      ['open --subscriber 1', '--task or --message must be given'],
      ['click --subscriber 1', '--task or --link must be given'],
      ['bounce --task 2 --subscriber 13 --over 2d', '--over needs --share'],
    ] as const) {
      const { exitCode, stderr } = await event(...line.split(' '));
      expect([line, exitCode, stderr]).toEqual([line, 2, expect.stringContaining(said)]);
    }
    expect((await event('open', '--task', 'Nosuch', '--share', '5%')).stderr).toContain(
      'Task "Nosuch" not found',
    );
  });

  it('takes one subscriber by address, and derives the message from the task', async () => {
    const [someone] = (await sandbox.control('subscriber list', { list: 2, limit: 1, after: 40 })).json.data;
    const said = await event('open', '--task', 'To a share', '--subscriber', someone.email);
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toContain(`Subscriber ${someone.id} opened e-mail message 1`);
    const clicked = await event('click', '--task', 'To a share', '--subscriber', someone.email.toUpperCase());
    expect(clicked.stdout).toContain(`Subscriber ${someone.id} clicked link`);
    for (const nobody of ['nobody@example.org', '999999'])
      expect(await event('open', '--task', String(task), '--subscriber', nobody)).toMatchObject({
        exitCode: 4,
        stderr: expect.stringMatching(new RegExp(`^svc: Subscriber ${nobody} not found\n`)),
      });
    expect(
      (await run('event', 'subscribe', '--list', 'Newsletter', '--subscriber', someone.email)).exitCode,
    ).toBe(0);
  });
});
