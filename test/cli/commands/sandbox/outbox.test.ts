/** Contract, "Sandbox": the outbox has every delivered message, with its text, state and cause. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;
const LONG = `Two parts: ${'the spring roast is here. '.repeat(8)}Bye`;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, {
    clock: 'manual',
    seed: 'demo',
    machineNow: () => START * 1000,
  });
  const { api, control } = sandbox;
  await api('POST', '/v1/sms', { msisdn: '447700900123', fromaddress: 'Shop', message: LONG });
  await control('event sms-in', { to: '447700900990', from: '447700900001', text: 'HARBOUR COFFEE' });
  await control('clock advance', { seconds: 60 });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const outbox = (line: readonly string[], outside: Outside = {}) =>
  runCli(['sandbox', 'outbox', ...line, '--data', folder.path], outside);
const ids = async (...flags: string[]) => {
  const run = await outbox(['list', ...flags, '-o', 'id']);
  expect([run.stderr, run.exitCode]).toEqual(['', 0]);
  return run.stdout.split('\n').filter((id) => id !== '');
};

describe('filters', () => {
  it.each([
    [['--to', '+44 7700 900123'], ['d2']],
    [['--to', 'SHOP@harbourcoffee.example'], ['d1']],
    [
      ['--rule', 'sms:1'],
      ['d3', 'd1'],
    ],
    [['--rule', 'sms:1', '--channel', 'sms'], ['d3']],
    [['--rule', 'click:1'], []],
    [['--search', 'two parts: THE SPRING'], ['d2']],
    [
      ['--search', 'Save a seat', '--rule', 'sms:1'],
      ['d3', 'd1'],
    ],
    [['--search', '4477009001234'], []],
    [['--search', 'spring roast', '--channel', 'email'], []],
  ])('%j: %j', async (flags, expected) => {
    // Answered SMS appear in the order in which the engine processes them: single SMS before rules.
    expect(await ids(...flags)).toEqual(expected);
  });

  // Contract, "Output": "`--reverse` alone reverses the default order".
  it('prints the oldest first with --reverse', async () => {
    const all = await ids('--all');
    expect(await ids('--reverse')).toEqual(all.toReversed());
    expect(await ids('--reverse', '--limit', '2')).toEqual(all.toReversed().slice(0, 2));
  });

  it('prints the newest for --task with --limit, and all of them with --all', async () => {
    const all = await ids('--task', '2', '--all');
    expect(all.length).toBeGreaterThan(400);
    expect(all.every((id) => id.startsWith('t2-'))).toBe(true);
    expect(await ids('--task', '2', '--limit', '3')).toEqual(all.slice(0, 3));
    expect(await ids('--task', '2', '--channel', 'sms')).toEqual([]);
  });

  it('says that nothing matches; in JSON it prints []', async () => {
    const none = ['list', '--task', '999'];
    expect(await outbox(none)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'No delivered message matches the filters.\n',
    });
    expect(await outbox([...none, '-o', 'json'])).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it.each([
    [['--to', 'nobody'], '--to: nobody is not an e-mail address, a phone number or a URL'],
    [['--rule', '12'], '--rule: 12 is not the kind and the id of a rule\nHint: write click:12'],
    [['--rule', 'clik:12'], 'is not the kind and the id of a rule'],
    [['--channel', 'fax'], '--channel: unknown channel fax'],
    [['--task', 'x'], '--task: x is not a whole number of at least 1'],
  ])('rejects %j: exit 2', async (flags, words) => {
    const run = await outbox(['list', ...flags]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
  });

  it('the sandbox also validates a request that did not come from the command line', async () => {
    for (const args of [{ to: 'nobody' }, { rule: '12' }, { channel: 'fax' }, { task: 'x' }])
      expect((await sandbox.control('outbox list', args)).status).toBe(400);
  });
});

describe('a table', () => {
  it('shows the text of an SMS, a state, and the cause as kind:id', async () => {
    const run = await outbox(['list', '--to', '447700900001']);
    expect([run.stderr, run.exitCode]).toEqual(['', 0]);
    const [heading, row] = run.stdout.split('\n');
    expect(heading).toMatch(/^ID +TIME +CHANNEL +TO +SUBJECT OR TEXT +STATE +CAUSE +FROM$/);
    expect(row).toMatch(/^d3 .* Your seat is saved\. .* delivered +rule sms:1 +HarbourCafe$/);
  });

  it('outbox show has the full text of an SMS, also at 80 columns', async () => {
    const run = await outbox(['show', 'd2'], { tty: true, columns: 80 });
    expect(run.exitCode).toBe(0);
    expect(run.stdout.replaceAll(/\s+/g, ' ')).toContain(LONG);
    expect(run.stdout).toMatch(/^cause +sms 1$/m);
    expect(run.stdout).toMatch(/^state +delivered$/m);
    const json = JSON.parse((await outbox(['show', 'd2', '-o', 'json'])).stdout);
    expect(json).toMatchObject({ text: LONG, subject: null, cause: { kind: 'sms', id: 1, rule_kind: null } });
  });
});
