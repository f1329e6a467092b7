import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withEverything } from '../../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let state: string;

beforeEach(async () => {
  state = await makeTemporaryFolder('undo');
});
afterEach(() => rm(state, { recursive: true }));

async function service() {
  const sandbox = await withEverything();
  const { transport, sent } = serviceOf(sandbox);
  const run = (...argv: readonly string[]) => runCli(argv, { transport, env: { SVC_STATE_DIR: state } });
  return { sandbox, sent, run };
}

/** `svc undo` for changes that can be undone. */
describe('svc undo', () => {
  it.each([
    [['folder', 'update', '1', '--name', 'Archive'], 'folder'],
    [['automation', 'pause', 'click:1'], 'click_automation'],
    [['sms-message', 'update', '1', '--text', 'New', '--name', 'Newer'], 'sms_message'],
    [['subscriber-data', 'set', '1_1', '--value', 'green'], 'profile_data'],
    [['task', 'update', '1', '--at', '+3d', '--name', 'Later'], 'task'],
    [['email', 'update', 'Free', '--subject', 'New'], 'email_message'],
  ] as const)('%j', async (argv, table) => {
    const { sandbox, run } = await service();
    const plain = async () => (await sandbox.rows(table)).map(({ mdate: _, ...row }) => row);
    const before = await plain();
    expect((await run(...argv)).exitCode).toBe(0);
    expect(await plain()).not.toEqual(before);
    const undone = await run('undo', '--yes');
    expect(undone).toMatchObject({ exitCode: 0 });
    expect(undone.stderr).toContain('restored');
    expect(await plain()).toEqual(before);
  });

  it('cancels a created task', async () => {
    const { sandbox, run } = await service();
    const line = [
      'task',
      'create',
      '--name',
      'New',
      '--channel',
      'email',
      '--message',
      'Free',
      '--list',
      '1',
    ];
    await run(...line, '--at', '+1h');
    expect((await run('undo', '--yes')).stderr).toContain('cancelled task 2 (New)');
    expect((await sandbox.rows('task'))[1]).toMatchObject({ cancelled: 1 });
  });

  it('removes an entry from Do Not Contact, and the deleted subscriber stays deleted', async () => {
    const { sandbox, run } = await service();
    const people = (await sandbox.rows('subscriber')).length;
    await run('dnc', 'add', 'someone@example.com', '--yes');
    const undone = await run('undo', '--yes');
    expect(undone.exitCode).toBe(0);
    expect(undone.stderr).toContain('subscribers that the service deleted are not restored');
    const left = (await sandbox.rows('do_not_contact')).map(({ contactdata }) => contactdata);
    expect(left).toEqual(['old@example.com']);
    expect(await sandbox.rows('subscriber')).toHaveLength(people - 1);
  });

  it('adds a removed entry again, with the usual guards', async () => {
    const { sandbox, run, sent } = await service();
    await sandbox.send('admin', 'POST', '/v1/doNotContact', { contactdata: 'example.org' });
    await run('dnc', 'remove', 'example.org', '--yes');
    const writes = writesIn(sent).length;
    const refused = await run('undo', '--yes');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('needs --yes --domain-ok');
    expect(writesIn(sent)).toHaveLength(writes);
    expect((await run('undo', '--yes', '--domain-ok')).exitCode).toBe(0);
    expect(await sandbox.rows('do_not_contact')).toHaveLength(2);
  });

  it('undoes the last change, then the one before it, and any change by its number', async () => {
    const { sandbox, run } = await service();
    await run('folder', 'update', '1', '--name', 'Second');
    await run('folder', 'update', '1', '--name', 'Third');
    await run('folder', 'list');
    const name = async () => (await sandbox.rows('folder'))[0]?.['name'];
    await run('undo', '--yes');
    expect(await name()).toBe('Second');
    await run('undo', '--yes');
    expect(await name()).toBe('News');
    expect((await run('undo', '--yes')).exitCode).toBe(4);
    // An undo can be undone by its number.
    expect((await run('undo', '3', '--yes')).exitCode).toBe(5);
    expect((await run('undo', '4', '--yes')).exitCode).toBe(0);
    expect(await name()).toBe('Second');
  });
});

describe('a refusal of svc undo', () => {
  it.each([
    [
      ['sms', 'send', '--to', '447700900123', '--from', 'Me', '--text', 'Hi', '--now', '--yes'],
      'an SMS cannot be recalled',
    ],
    [['folder', 'create', '--name', 'Other'], 'svc folder delete 2 deletes the record'],
    [['sms-message', 'delete', '1', '--yes'], 'a deleted sms-message cannot be restored'],
    // Interface, subscriberProfileData: a PUT writes a value again, so "cannot be restored" would be wrong.
    [['subscriber-data', 'delete', '1_1', '--yes'], 'write it again with svc subscriber-data set'],
    [
      ['email', 'update', 'Free', '--html', '<p>New</p>'],
      'html cannot be restored: the service rewrote its links',
    ],
    [['task', 'cancel', '1', '--yes'], 'a cancelled task stays cancelled'],
    [['user', 'update', '2', '--data', '{"password":"correct7horse"}'], 'password is write-only'],
    [['api', 'PUT', '/v1/folder/1', '--data', '{"name":"Raw"}'], 'the change is a request of svc api'],
  ])('%j', async (argv, words) => {
    const { run, sent } = await service();
    expect((await run(...argv)).exitCode).toBe(0);
    const writes = writesIn(sent).length;
    const undone = await run('undo', '--yes');
    expect(undone).toMatchObject({ exitCode: 2, stdout: '' });
    expect(undone.stderr).toContain(words);
    expect(writesIn(sent)).toHaveLength(writes);
  });

  it('of a cancel has the command that creates the task again, which works', async () => {
    const { run, sandbox } = await service();
    const before = (await sandbox.rows('task'))[0];
    expect((await run('task', 'update', '1', '--name', "Spring's sale [svc-0123abcd]")).exitCode).toBe(0);
    expect((await run('task', 'cancel', '1', '--yes')).exitCode).toBe(0);
    const { stderr } = await run('undo', '--yes');
    const [, command = ''] = /to create the task again: svc (.*)\n/.exec(stderr) ?? [];
    expect(command, stderr).toContain(`--channel ${String(before?.['channel'])} --message `);
    expect(command).toContain(`--name 'Spring'\\''s sale' `);
    const words = command.replace(`'Spring'\\''s sale'`, 'Again').split(' ');
    const made = await run(...words);
    expect([made.stderr, made.exitCode]).toEqual([expect.any(String), 0]);
    const [old, again] = await sandbox.rows('task');
    for (const name of ['channel', 'message_id', 'list_id', 'search_id', 'rate', 'scheduledtime'])
      expect([name, again?.[name]]).toEqual([name, old?.[name]]);
  });

  it('of a cancel asks for a time if that of the task is past', async () => {
    const { run, sandbox } = await service();
    expect((await run('task', 'cancel', '1', '--yes')).exitCode).toBe(0);
    await sandbox.at(10 * 86_400);
    expect((await run('undo', '--yes')).stderr).toContain(' --at TIME\n');
  });

  it('is given for a change that was modified since: exit 5, with both values', async () => {
    const { run, sandbox, sent } = await service();
    await run('folder', 'update', '1', '--name', 'Archive');
    await sandbox.send('admin', 'PUT', '/v1/folder/1', { name: 'By hand' });
    const writes = writesIn(sent).length;
    const undone = await run('undo', '--yes');
    expect(undone).toMatchObject({ exitCode: 5, stdout: '' });
    expect(undone.stderr).toContain('name was "Archive" after that change, and is "By hand" now');
    expect(writesIn(sent)).toHaveLength(writes);
  });

  it('is given for a time that has passed, because the service would send at once', async () => {
    const { run, sandbox, sent } = await service();
    await sandbox.send('admin', 'PUT', '/v1/task/1', { scheduledtime: NOW + 1800 });
    await run('task', 'update', '1', '--at', '+3d');
    await sandbox.at(3600);
    const writes = writesIn(sent).length;
    const undone = await run('undo', '--yes');
    expect(undone).toMatchObject({ exitCode: 2, stdout: '' });
    expect(undone.stderr).toContain('was 30 minutes ago');
    expect(writesIn(sent)).toHaveLength(writes);
    expect((await sandbox.rows('task'))[0]).toMatchObject({ scheduledtime: NOW + 3 * 86_400 });
  });

  it('is given without --yes, and --dry-run changes nothing', async () => {
    const { run, sent } = await service();
    await run('folder', 'update', '1', '--name', 'Archive');
    const writes = writesIn(sent).length;
    expect((await run('undo')).exitCode).toBe(2);
    const dry = await run('undo', '--dry-run', '-o', 'json');
    expect(JSON.parse(dry.stdout)).toEqual({ method: 'PUT', path: '/v1/folder/1', body: { name: 'News' } });
    expect(writesIn(sent)).toHaveLength(writes);
  });

  it("is given for another user's change, an unknown number, and a failed change", async () => {
    const { run, sandbox } = await service();
    await run('folder', 'update', '1', '--name', 'Archive');
    await run('sms-message', 'update', '99', '--text', 'x');
    expect((await run('undo', '2', '--yes')).stderr).toContain('the request failed, so no change was made');
    expect((await run('undo', '9', '--yes')).exitCode).toBe(4);
    expect((await run('undo', 'last', '--yes')).exitCode).toBe(2);
    const { transport } = serviceOf(sandbox);
    const other = { SVC_STATE_DIR: state, SVC_USER_ID: '2' };
    expect((await runCli(['undo', '1', '--yes'], { transport, env: other })).stderr).toContain(
      'another profile',
    );
    expect((await runCli(['undo', '--yes'], { transport, env: other })).exitCode).toBe(4);
  });
});

/** Contract, "Sends and campaigns, once more": `undo` reverts the last command with all its changes, newest first. */
describe('a command that changed several things', () => {
  const paused = async (sandbox: Awaited<ReturnType<typeof service>>['sandbox']) => {
    const tables = ['click_automation', 'open_automation', 'subscription_automation'] as const;
    const rows = await Promise.all(tables.map((table) => sandbox.rows(table)));
    return rows.map(([row]) => row?.['paused']);
  };

  it('undoes all of them, the newest first', async () => {
    const { sandbox, run, sent } = await service();
    await run('folder', 'update', '1', '--name', 'Before');
    expect((await run('automation', 'pause', '--all', '--yes')).exitCode).toBe(0);
    expect(await paused(sandbox)).toEqual([1, 1, 1]);
    const before = writesIn(sent).length;
    const undone = await run('undo', '--yes', '-o', 'json');
    expect(undone.exitCode, undone.stderr).toBe(0);
    expect(await paused(sandbox)).toEqual([0, 0, 0]);
    const numbers = JSON.parse(undone.stdout).map(({ n }: { n: number }) => n);
    for (const n of numbers) expect(undone.stderr).toContain(`${n} will be undone: `);
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    expect(writesIn(sent).length - before).toBe(numbers.length);
    // The command before it stays until the next undo.
    expect((await sandbox.rows('folder'))[0]?.['name']).toBe('Before');
    expect((await run('undo', '--yes')).exitCode).toBe(0);
    expect((await sandbox.rows('folder'))[0]?.['name']).toBe('News');
  });

  it('--dry-run shows every change, and sends nothing', async () => {
    const { run, sent } = await service();
    await run('automation', 'pause', '--all', '--yes');
    const before = writesIn(sent).length;
    const shown = await run('undo', '--dry-run', '-o', 'json');
    expect(shown.exitCode, shown.stderr).toBe(0);
    expect(JSON.parse(shown.stdout).map(({ path }: { path: string }) => path)).toEqual([
      ...['/v1/smsAutomation/1', '/v1/dateAutomation/1', '/v1/subscriptionAutomation/1'],
      ...['/v1/openAutomation/1', '/v1/clickAutomation/1'],
    ]);
    expect(writesIn(sent)).toHaveLength(before);
  });

  it('undoes only one change for a number', async () => {
    const { sandbox, run } = await service();
    await run('automation', 'pause', '--all', '--yes');
    expect((await run('undo', '1', '--yes')).exitCode).toBe(0);
    expect(await paused(sandbox)).toEqual([0, 1, 1]);
  });

  it('skips changes that someone has modified since, and undoes the others: exit 8', async () => {
    const { sandbox, run } = await service();
    await run('automation', 'pause', '--all', '--yes');
    await sandbox.send('admin', 'PUT', '/v1/openAutomation/1', { paused: false });
    const undone = await run('undo', '--yes', '-o', 'json');
    expect(undone.exitCode).toBe(8);
    const rows = JSON.parse(undone.stdout) as readonly { what: string; undone: boolean }[];
    expect(rows.filter((row) => !row.undone).map(({ what }) => what)).toEqual(['automation open:1 (Rule)']);
    expect(undone.stderr).toContain('the record has changed since');
    expect(await paused(sandbox)).toEqual([0, 0, 0]);
  });

  it('needs --yes without a terminal, and names the number of changes', async () => {
    const { run } = await service();
    await run('automation', 'pause', '--all', '--yes');
    const asked = await run('undo');
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain('to undo 5 changes of the last command needs --yes');
  });
});
