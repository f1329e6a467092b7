/** Runs each `svc sandbox …` command once, through the command line, against a sandbox with a socket. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJsonError } from '../support/json-error.ts';
import { NOBODY, type Outside, runCli } from '../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, {
    clock: 'manual',
    seed: 'demo',
    machineNow: () => 1_796_115_600_000,
  });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const cli = (line: readonly string[], outside: Outside = {}) =>
  runCli(['sandbox', ...line, '--data', folder.path], { env: NOBODY, ...outside });

/** Returns the output of the command with `-o json`, and expects exit code 0 and an empty stderr. */
async function json(...line: string[]) {
  const { stdout, stderr, exitCode } = await cli([...line, '-o', 'json']);
  expect([line.join(' '), stderr, exitCode]).toEqual([line.join(' '), '', 0]);
  return JSON.parse(stdout);
}

describe('commands for records', () => {
  it('manage lists', async () => {
    const made = await json('list', 'create', '--name', 'Winter', '--folder', '2', '--permanent');
    expect(made).toMatchObject({ name: 'Winter', folder_id: 2, permanent: true });
    expect(await json('list', 'list')).toHaveLength(4);
    const other = await json('list', 'create', '--name', 'Gone');
    expect(await json('list', 'delete', String(other.id), '--yes')).toEqual({ id: other.id });
    const held = await cli(['list', 'delete', String(made.id), '--yes', '-o', 'json']);
    expect([held.exitCode, readJsonError(held.stderr).kind]).toEqual([5, 'conflict']);
  });

  it('manage subscribers, one by one and from a file', async () => {
    const made = await json('subscriber', 'create', '--list', '1', '--list', '3', '--email', 'a@example.com');
    expect(made.lists).toEqual([1, 3]);
    const file = join(dirname(folder.path), 'people.csv');
    const rows = Array.from({ length: 1200 }, (_, n) => `p${n}@example.net,,Bath`);
    await writeFile(file, `\ufeffEmail,MSISDN,City\n${rows.join('\n')}\n,bad,\n\nq@rivals.example,,\n`);
    const list = await json('list', 'create', '--name', 'Imported');
    const run = await cli(['subscriber', 'import', '--list', String(list.id), file, '-o', 'json']);
    expect(JSON.parse(run.stdout)).toEqual({ rows: 1202, made: 1200, subscribed: 1200, rejected: 2 });
    expect(run.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^line 1202: msisdn/),
      expect.stringMatching(/^line 1204: q@rivals\.example is on Do Not Contact$/),
    ]);
    expect(run.exitCode).toBe(8);
    expect(await json('subscriber', 'list', '--list', String(list.id))).toHaveLength(1200);
    expect(await json('subscriber', 'list', '--limit', '3')).toHaveLength(3);
  });

  it('import from standard input', async () => {
    const line = ['subscriber', 'import', '-', '--list', '1', '-o', 'json'];
    const run = await cli(line, { stdin: 'email\nstdin@example.com\n' });
    expect([JSON.parse(run.stdout).made, run.exitCode]).toEqual([1, 0]);
    const broken = await cli(line, { stdin: 'email,msisdn\n"x' });
    expect([broken.stdout, broken.exitCode]).toEqual(['', 2]);
    expect(broken.stderr).toContain('line 2: a quote is never closed');
    const short = await cli(line, { stdin: 'email,msisdn\nx@example.com\n' });
    expect([short.exitCode, short.stderr]).toEqual([
      2,
      expect.stringContaining('line 2 of standard input has 1 cell'),
    ]);
    const none = await cli(['subscriber', 'import', 'none.csv', '--list', '1']);
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('none.csv')]);
  });

  it('manage fields, searches, destinations, forms and senders', async () => {
    const field = await json('field', 'create', '--name', 'Shoe');
    expect((await json('field', 'list')).length).toBe(5);
    const search = await json(
      'search',
      'create',
      '--name',
      'S',
      '--field',
      String(field.id),
      '--equals',
      '42',
    );
    expect(search.equals).toBe('42');
    expect(await json('search', 'list')).toHaveLength(2);
    expect((await json('destination', 'create', '--destination', '60222', '--shortcode')).isshortcode).toBe(
      true,
    );
    expect((await json('form', 'create', '--name', 'F')).user_id).toBe(1);
    expect((await json('form', 'create', '--name', 'F', '--user', '2')).user_id).toBe(2);
    expect(await json('sender', 'add', 'x@example.com')).toEqual({ email: 'x@example.com' });
    expect(await json('sender', 'list')).toHaveLength(3);
  });

  it('manage companies, keys, credits and restrictions', async () => {
    expect(await json('company', 'list')).toHaveLength(3);
    expect((await json('company', 'key', '1')).apiKey).toBe(sandbox.ready.company.apiKey);
    expect(await json('credits', 'set', '--email', '7', '--company', '3')).toMatchObject({
      id: 3,
      emailcreditbalance: 7,
    });
    expect((await json('user', 'restrict', '3', '--folder', '1', '--folder', '2')).folders).toEqual([1, 2]);
  });
});

describe('commands for events', () => {
  it('manage events, the clock and the outbox', async () => {
    expect(await json('clock', 'show')).toMatchObject({ clock: 'manual', zone: 'Europe/London' });
    await json('event', 'open', '--message', '1', '--subscriber', '1', '--task', '2');
    await json('event', 'click', '--link', '1', '--subscriber', '1');
    await json('event', 'bounce', '--task', '2', '--subscriber', '2');
    await json('event', 'complaint', '--task', '2', '--subscriber', '3');
    const newcomer = await json('subscriber', 'create', '--list', '2', '--email', 'new@example.com');
    await json('event', 'subscribe', '--list', '1', '--subscriber', String(newcomer.id));
    await json('event', 'date', '--rule', '1', '--subscriber', '5', '--at', '2026-12-02 07:00');
    const inbound = ['--to', '447700900990', '--from', '447700900850', '--text', 'Harbour coffee'];
    expect((await json('event', 'sms-in', ...inbound)).rules).toEqual([1]);
    expect((await json('event', 'failed-login', '--username', 'tom')).failed).toBe(1);
    expect((await json('clock', 'advance', '2d')).time).toBe(1_796_115_600 + 2 * 86_400);
    // 09:00 in London is 09:00 UTC in December.
    expect((await json('clock', 'set', '2026-12-04 09:00')).time).toBe(1_796_115_600 + 3 * 86_400);
    await json('clock', 'run');
    const newest = await json('outbox', 'list', '--limit', '10');
    const welcome = newest.find((entry: { to: string }) => entry.to === 'new@example.com');
    expect(welcome.subject).toBe('Welcome aboard');
    expect((await json('outbox', 'show', welcome.id)).text).toContain('Hello there, good to have you');
    const all = await json('outbox', 'list');
    expect(all.length).toBeGreaterThan(700);
    expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(all.length);
    expect(all.slice(0, 10)).toEqual(newest);
    expect(await json('log', 'list')).toEqual(expect.any(Array));
    await json('event', 'unsubscribe', '--task', '2', '--subscriber', '1');
  });

  it('manage faults', async () => {
    const line = [
      '--kind',
      'slow',
      '--rate',
      '0.5',
      '--times',
      '3',
      '--match',
      'POST /v1/task',
      '--delay',
      '10ms',
    ];
    const set = { kind: 'slow', rate: 0.5, times: 3, match: 'POST /v1/task', delay: 10 };
    expect(await json('fault', 'set', ...line)).toEqual(set);
    expect(await json('fault', 'list')).toEqual([set]);
    expect(await json('fault', 'clear')).toEqual({ cleared: 1 });
  });
});

describe('arguments', () => {
  it("a table shows times in the company's zone, whatever the profile has", async () => {
    const { stdout, stderr, exitCode } = await cli(['list', 'list', '--limit', '1'].slice(0, 2));
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout.split('\n')[1]).toMatch(/^ 1 {2}Newsletter +1 {2}no +[0-9]+ {2}2025-11-16 09:00$/);
  });

  it('shows 50 rows on a terminal, and all with --all', async () => {
    const lines = async (...flags: string[]) =>
      (await cli(['subscriber', 'list', ...flags], { tty: true, env: { ...NOBODY, NO_COLOR: '1' } })).stdout
        .trim()
        .split('\n').length;
    expect(await lines()).toBe(51);
    expect(await lines('--all')).toBeGreaterThan(480);
  });

  it.each([
    [['list', 'create'], 2, '--name must be given'],
    [['list', 'create', '--name='], 2, '--name is empty'],
    [['list', 'create', '--name', 'x', '--folder', '0'], 2, '0 is not a whole number of at least 1'],
    [['subscriber', 'create', '--list', '1', '--list', 'x'], 2, '--list: "x" is not the name of a list'],
    [['credits', 'set', '--email', '1.5'], 2, '--email: 1.5 is not a number from 0 to 1000000000'],
    [['log', 'list', '--limit', '10001'], 2, '--limit: 10001 is not a number from 1 to 10000'],
    [['subscriber', 'list', '--limit', 'x'], 2, '--limit: x is not a whole number'],
    [['outbox', 'export', '--dir='], 2, '--dir is empty'],
    [['start', '--port', '65536'], 2, '--port: 65536 is not a number from 0 to 65535'],
    [['start', '--clock', 'fast'], 2, '--clock: unknown mode fast'],
    [['start', '--seed='], 2, '--seed'],
    [['list', 'delete', 'x'], 2, 'not a whole number'],
    [['clock', 'advance', 'soon'], 2, 'not a length of time'],
    [['clock', 'advance', '1'], 2, 'write 1d, 1h or 1m'],
    [['clock', 'advance', '-1d'], 2, "the sandbox's clock cannot go back"],
    [['clock', 'set', 'soon'], 2, 'not a time'],
    [['clock', 'set', '2020-01-01 09:00'], 5, 'cannot go back'],
    [['list', 'create', '--name', 'x', '--company', 'y'], 2, '--company'],
    [['list', 'create', '--name', 'x', '--company', '99'], 4, 'Company 99'],
    [['fault', 'set', '--kind', 'gremlins'], 2, '--kind: unknown kind gremlins'],
    [['fault', 'set', '--kind', 'error', '--rate', '1.5'], 2, '1.5 is not a number from 0 to 1'],
    [['fault', 'set', '--kind', 'slow', '--delay', '11m'], 2, '11m is too long: the maximum is 10m'],
    [['outbox', 'show', 'd99999'], 4, 'd99999'],
    [['subscriber', 'create', '--list', '1', '--email', 'former.customer@example.com'], 5, 'Do Not Contact'],
  ])('%j exits with %i', async (line, exit, words) => {
    const { stdout, stderr, exitCode } = await cli(line);
    expect([stdout, exitCode]).toEqual(['', exit]);
    expect(stderr).toContain(words);
  });

  // Contract: arguments that svc can check here are checked before it asks a question, all faults at once.
  it('reports all missing and wrong arguments together, without a running sandbox', async () => {
    const line = ['sandbox', 'search', 'create', '--field', 'x', '--data', join(folder.path, 'none')];
    const { stdout, stderr, exitCode } = await runCli([...line, '-o', 'json'], { env: NOBODY });
    expect([stdout, exitCode]).toEqual(['', 2]);
    expect(readJsonError(stderr).details).toMatchObject([
      { attribute: '--name', reason: 'must be given' },
      { attribute: '--field', value: 'x' },
      { attribute: '--equals', reason: 'must be given' },
    ]);
  });

  it('--dry-run changes nothing', async () => {
    const before = await json('list', 'list');
    const { stdout, stderr, exitCode } = await cli(['list', 'create', '--name', 'Dry', '--dry-run']);
    expect([stdout, exitCode]).toEqual(['', 0]);
    expect(stderr).toBe('Would ask the sandbox: list create {"name":"Dry"}\n');
    expect(await json('list', 'list')).toEqual(before);
  });

  it('status works without a running sandbox', async () => {
    expect(await json('status')).toMatchObject({ running: true, clock: 'manual', companies: 3, faults: 0 });
    const elsewhere = ['--data', join(folder.path, 'none')];
    const status = await runCli(['sandbox', 'status', '-o', 'json', ...elsewhere], { env: NOBODY });
    expect([JSON.parse(status.stdout).running, status.exitCode]).toEqual([false, 0]);
    const list = await runCli(['sandbox', 'list', 'list', ...elsewhere], { env: NOBODY });
    expect([list.exitCode, list.stderr]).toEqual([7, expect.stringContaining('svc sandbox start')]);
    const stop = await runCli(['sandbox', 'stop', ...elsewhere], { env: NOBODY });
    expect(stop.exitCode).toBe(0);
  });
});
