/** Contract, "Sandbox": what recipients would do, and what it sets off (interface, "Events"). */
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

describe('in words', () => {
  it('a click: the rule, what it does, when, and how a manual clock gets there', async () => {
    expect(await event('click', '--link', '4', '--subscriber', '12')).toMatchObject({
      exitCode: 0,
      stdout:
        `Subscriber 12 clicked link 4 ${HERE}, counted for no task, since none has sent it to them.\n` +
        'Rules that it set off:\n' +
        '  click:1 (Espresso readers join the club): add to list 2, queued for 2026-12-01 10:00 (in 1 hour)\n',
      stderr: "The sandbox's clock is manual: svc sandbox clock advance 1h does what is queued.\n",
    });
  });

  it.each([
    [
      'click --link 1 --subscriber 12 --task 2',
      `Subscriber 12 clicked link 1 ${HERE}, counted for task 2.`,
      'No rule was set off.',
      'Rules of the same kind that it did not set off:',
      '  click:1 (Espresso readers join the club): waits for link 4',
    ],
    [
      'open --message 3 --subscriber 12',
      `Subscriber 12 opened e-mail message 3 ${HERE}, counted for no task, since none has sent it to them.`,
      'No rule was set off.',
      'Rules of the same kind that it did not set off:',
      '  open:1 (Tell the shop who opens the welcome): paused',
    ],
    [
      'subscribe --list 1 --subscriber 12',
      `Subscriber 12 subscribed to list 1 ${HERE}.`,
      'No rule was set off: subscriber 12 is on list 1 already.',
    ],
    [
      'bounce --task 2 --subscriber 13',
      `The message of task 2 to subscriber 13 bounced ${HERE}.`,
      'No rule was set off: no kind of rule is set off by a bounce.',
    ],
    [
      'complaint --task 2 --subscriber 13',
      `Subscriber 13 reported the message of task 2 as unwanted ${HERE}.`,
      'No rule was set off: no kind of rule is set off by a complaint.',
    ],
    [
      'unsubscribe --task 2 --subscriber 13',
      `Subscriber 13 unsubscribed from task 2 ${HERE}, and is on Do Not Contact now.`,
      'No rule was set off: no kind of rule is set off by an unsubscription.',
    ],
    [
      'sms-in --to 447700900991 --from 447700900001 --text COFFEE',
      `447700900001 sent an SMS to 447700900991 ${HERE}.`,
      'No rule was set off: no destination takes it.',
    ],
    [
      'failed-login --username tom',
      'User tom failed to log in once.',
      'No rule was set off: no kind of rule is set off by a failed login.',
    ],
  ])('%s: nothing is set off, and why', async (line, ...expected) => {
    const run = await event(...line.split(' '));
    expect(run).toMatchObject({ exitCode: 0, stdout: `${expected.join('\n')}\n`, stderr: '' });
  });

  it('a date, and an inbound SMS that does several things', async () => {
    const date = await event('date', '--rule', '1', '--subscriber', '12', '--at', '2026-12-24 07:00');
    expect(date).toMatchObject({
      exitCode: 0,
      stdout:
        'Subscriber 12 has the date 2026-12-24 07:00 (Europe/London) for rule date:1.\n' +
        'Rules that it set off:\n' +
        '  date:1 (Birthday bag): send e-mail message 4, queued for 2026-12-24 09:00 (in 23 days)\n',
      stderr: "The sandbox's clock is manual: svc sandbox clock advance 23d does what is queued.\n",
    });
    const text = 'HARBOUR COFFEE new@example.com';
    const sms = await event('sms-in', '--to', '447700900990', '--from', '447700900001', '--text', text);
    expect(sms).toMatchObject({
      exitCode: 0,
      stdout:
        `447700900001 sent an SMS to 447700900990 ${HERE}.\n` +
        'Rules that it set off:\n' +
        '  sms:1 (Save a seat): add to list 3, done\n' +
        '  sms:1 (Save a seat): add to list 1, done\n' +
        '  subscription:1 (Welcome newcomers): send e-mail message 3, queued for 2026-12-01 09:10 (in 10 minutes)\n' +
        '  sms:1 (Save a seat): send SMS message 2, queued for now\n' +
        '  sms:1 (Save a seat): forward the SMS to shop@harbourcoffee.example, done\n',
      stderr: "The sandbox's clock is manual: svc sandbox clock advance 10m does what is queued.\n",
    });
  });

  it('a name that a terminal would obey is shown, not obeyed', async () => {
    await sandbox.api('PUT', '/v1/clickAutomation/1', { name: 'Red \u001b[31m' });
    const { stdout } = await event('click', '--link', '1', '--subscriber', '12');
    expect(stdout).toContain('click:1 (Red ␛[31m): waits for link 4');
    await sandbox.api('PUT', '/v1/clickAutomation/1', { name: 'Espresso readers join the club' });
  });
});

describe('as data', () => {
  it('what was there before, and the rules beside it; times are Unix seconds', async () => {
    const run = await event('click', '--link', '4', '--subscriber', '12', '-o', 'json');
    expect([run.stderr, run.exitCode]).toEqual(['', 0]);
    expect(JSON.parse(run.stdout)).toEqual({
      event: 'click',
      subscriber: 12,
      time: START,
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

  it('rules that did not match say why', async () => {
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
    ['x', 2, 'svc: --task: x is not a whole number of at least 1\n'],
    ['', 2, '--task'],
  ])('%j: exit %i, and nothing is counted', async (task, exit, words) => {
    const count = async () => (await sandbox.api('GET', '/v1/task/2')).json.response.data.emailuniqueclicks;
    const before = await count();
    const run = await event('click', '--link', '1', '--subscriber', '20', `--task=${task}`);
    expect(run).toMatchObject({ exitCode: exit, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(await count()).toBe(before);
  });
});
