/** Contract, "Sandbox": with a manual clock time does not pass by itself, and `sandbox queue` shows the due actions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertRow } from '../../../../src/sandbox/store/rows.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;
const STANDS =
  "The sandbox's clock is manual and stopped at 2026-12-01 09:00 (Europe/London); move the clock with svc sandbox clock advance 10m.\n";

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

const queue = (flags: readonly string[] = [], outside: Outside = {}) =>
  runCli(['sandbox', 'queue', ...flags, '--data', folder.path], outside);

it('names the commands that fill an empty queue; in JSON it is []', async () => {
  expect(await queue()).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr:
      'The queue is empty. To add entries, use svc task create, svc sms send --at or svc sandbox event.\n',
  });
  expect(await queue(['-o', 'json'])).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
});

it('shows the time, the time left by its clock, the cause and the action', async () => {
  const { api, control } = sandbox;
  const task = { channel: 'email', message_id: 1, name: 'Spring', list_id: 1, search_id: null };
  await api('POST', '/v1/task', { ...task, scheduledtime: START + 86_400 });
  await api('POST', '/v1/sms', {
    ...{ msisdn: '447700900123', fromaddress: 'Shop', message: 'Hi', senddate: START + 3600 },
  });
  await control('event click', { link: 4, subscriber: 12 });
  await control('event sms-in', { to: '447700900990', from: '447700900001', text: 'HARBOUR COFFEE' });
  const run = await queue();
  expect([run.exitCode, run.stderr]).toEqual([0, STANDS]);
  expect(`\n${run.stdout}`).toMatchInlineSnapshot(`
    "
    AT                IN      CAUSE         ACTION                                   NAME
    2026-12-01 09:00  now     rule sms:1    send SMS message 2, for subscriber 1540  Save a seat
    2026-12-01 10:00  1 hour  sms 1         send to 447700900123                     -
    2026-12-01 10:00  1 hour  rule click:1  add to list 2, for subscriber 12         Espresso readers join the club
    2026-12-02 09:00  1 day   task 5        send to 447 recipients of list 1         Spring
    "
  `);
  const json = await queue(['-o', 'json']);
  expect([json.exitCode, json.stderr]).toEqual([0, '']);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { at: START, in: 0, kind: 'rule', rule: 'sms:1', action: 'sms_autoresponder', target: '2' },
    { at: START + 3600, in: 3600, kind: 'sms', id: 1, rule: null, target: '447700900123', subscriber: null },
    { at: START + 3600, in: 3600, kind: 'rule', rule: 'click:1', action: 'addtolist', subscriber: 12 },
    { at: START + 86_400, in: 86_400, kind: 'task', id: 5, name: 'Spring', target: 'list 1', size: 447 },
  ]);
});

it('--until ends at a time, --limit at a number of rows', async () => {
  const rows = async (...flags: string[]) =>
    JSON.parse((await queue([...flags, '-o', 'json'])).stdout).length;
  expect(await rows('--until', '+1h')).toBe(3);
  expect(await rows('--until', '2026-12-01 09:59')).toBe(1);
  expect(await rows('--limit', '2')).toBe(2);
  expect(await rows('--limit', '0')).toBe(0);
  expect(await queue(['--until', '2026-12-01 08:00'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'No action is due by the given time.\n',
  });
});

it('--rule shows only the actions of that rule', async () => {
  const { stdout } = await queue(['--rule', 'click:1', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject([{ rule: 'click:1', subscriber: 12, kind: 'rule' }]);
  expect(await queue(['--rule', 'date:1'])).toMatchObject({
    ...{ exitCode: 0, stdout: '', stderr: 'The rule has no queued actions.\n' },
  });
  expect(await queue(['--rule', 'nosuch'])).toMatchObject({ exitCode: 2, stdout: '' });
});

it('continues over pages, with each row once', async () => {
  const event = JSON.stringify({
    happening: { kind: 'date', ruleId: 1, time: START },
    time: START,
    chain: [],
  });
  await sandbox.service.store.transaction(async (db) => {
    for (let subscriber_id = 1; subscriber_id <= 1002; subscriber_id += 1)
      await insertRow(db, 'queued_action', {
        ...{ account_id: 1, rule_kind: 'date', rule_id: 1, subscriber_id, due: START + 60, event },
      });
  });
  const rows = JSON.parse((await queue(['-o', 'json'])).stdout).filter(
    (row: { rule: string | null }) => row.rule === 'date:1',
  );
  expect(rows.map(({ subscriber }: { subscriber: number }) => subscriber)).toEqual(
    Array.from({ length: 1002 }, (_, each) => each + 1),
  );
  const terminal = await queue([], { tty: true });
  expect(terminal.stderr).toContain('showing the first 50 of 1000 or more; use --all to see all\n');
  expect(terminal.stderr.replace(/\s+/g, ' ').trim().endsWith(STANDS.trim())).toBe(true);
});

it.each([
  [['--until', 'soon'], '--until: "soon" is not a time'],
  [['--limit', 'x'], '--limit: x is not a whole number'],
  [['--until='], '--until is empty'],
  [['list'], 'unexpected argument'],
])('rejects %j: exit 2', async (flags, words) => {
  const run = await queue(flags);
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain(words);
});
