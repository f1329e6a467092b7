import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putEmail, putSms } from '../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** Returns the body that a dry run shows. */
async function bodyOf(line: readonly string[], outside: Parameters<typeof runCli>[1] = {}): Promise<unknown> {
  const run = await runCli([...line, '--dry-run', '-o', 'json'], outside);
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout).body;
}

/** Returns each detail of a refusal as `attribute: reason`. */
async function faultsOf(
  line: readonly string[],
  outside: Parameters<typeof runCli>[1] = {},
): Promise<string[]> {
  const run = await runCli([...line, '-o', 'json'], outside);
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  const { details } = JSON.parse(run.stderr).error;
  return details.map((each: { attribute: string; reason: string }) => `${each.attribute}: ${each.reason}`);
}

const RULE = [
  'automation',
  'create',
  '--name',
  'R',
  '--actiontype',
  'notify',
  '--actiontarget',
  'a@example.com',
];
const SHARED = { name: 'R', actiontype: 'notify', actiontarget: 'a@example.com', summary: null };

/** Contract, "Flags for attributes". */
describe('a body from flags', () => {
  it.each([
    ['a friendly name', ['--from', 'Example', '--text', 'Hi'], { fromname: 'Example', message: 'Hi' }],
    ['the own name', ['--fromname', 'Example', '--message', 'Hi'], { fromname: 'Example', message: 'Hi' }],
    ['a bare boolean', ['--subinfo'], { subinfo: true }],
    ['a boolean with a value', ['--subinfo', 'false'], { subinfo: false }],
    ['a boolean with an equals sign', ['--subinfo=true'], { subinfo: true }],
    ['a boolean refused', ['--no-subinfo'], { subinfo: false }],
    ['data', ['--data', '{"message":"M","subinfo":true}'], { message: 'M', subinfo: true }],
    ['a flag over data', ['--data', '{"message":"M"}', '--message', 'F'], { message: 'F' }],
    ['a number normalised', ['--from', '+44 7700 900123'.replaceAll(' ', '')], { fromname: '447700900123' }],
  ])('%s', async (_, flags, body) => {
    expect(await bodyOf(['sms-message', 'update', '1', ...flags])).toEqual(body);
  });

  it.each([
    ['seconds for click', ['--kind', 'click', '--link', '3', '--after', '2d'], { actiontimediff: 172_800 }],
    [
      'minutes for subscription',
      ['--kind', 'subscription', '--list', '1', '--after', '2d'],
      { actiontimediff: 2880 },
    ],
    ['seconds for open', ['--kind', 'open', '--message', '3', '--after', '90m'], { actiontimediff: 5400 }],
    ['seconds for date', ['--kind', 'date', '--after', '1w'], { actiontimediff: 604_800 }],
    ['before a date', ['--kind', 'date', '--before', '1d'], { actiontimediff: -86_400 }],
    [
      'the raw number',
      ['--kind', 'subscription', '--list', '1', '--actiontimediff', '90'],
      { actiontimediff: 90 },
    ],
    [
      'a unit in the raw flag',
      ['--kind', 'subscription', '--list', '1', '--actiontimediff', '2h'],
      { actiontimediff: 120 },
    ],
  ])('has a duration as a number: %s', async (_, flags, part) => {
    expect(await bodyOf([...RULE, ...flags, '--actiononweekend'])).toMatchObject(part);
  });

  it('has null for a missing required attribute that may be null', async () => {
    const body = await bodyOf([...RULE, '--kind', 'click', '--link', '3']);
    expect(body).toEqual({ ...SHARED, link_id: 3, message_id: null });
  });

  it('has null for --null, which overrides everything else and may be repeated', async () => {
    const flags = ['--data', '{"name":"N","keyword":"X"}', '--null', 'keyword', '--null', 'message-id'];
    expect(await bodyOf(['automation', 'update', 'sms:1', ...flags], serviceOf(await withSmsRule()))).toEqual(
      {
        name: 'N',
        keyword: null,
        message_id: null,
      },
    );
  });

  it('has null for the attribute of list and search that a task does not use', async () => {
    expect(await bodyOf(['task', 'update', '1', '--search', '3'])).toEqual({ search_id: 3, list_id: null });
    expect(await bodyOf(['task', 'update', '1', '--list', '3'])).toEqual({ search_id: null, list_id: 3 });
  });

  it('does not show a password', async () => {
    const run = await runCli(['user', 'update', '2', '--password', 'secret12', '--dry-run', '-o', 'json']);
    expect(run.stdout).not.toContain('secret12');
  });
});

async function withSmsRule() {
  const sandbox = await createTestSandbox();
  const rule = { keyword: 'SALE', list_id: 1, name: 'R', summary: null };
  await sandbox.put('list', { account_id: 1, name: 'List', cdate: 1 });
  await sandbox.send('admin', 'POST', '/v1/smsAutomation', rule);
  return sandbox;
}

describe('a body from files and standard input', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await makeTemporaryFolder('body');
  });
  afterEach(() => rm(folder, { recursive: true }));
  const update = ['email', 'update', '1'];

  it('has an attribute, or is the whole file', async () => {
    await writeFile(join(folder, 'sale.html'), '\ufeff<p>Sale</p>');
    await writeFile(join(folder, 'body.json'), '{"subject":"S"}');
    const flags = ['--data', '@body.json', '--html-file', 'sale.html', '--text-file', '-'];
    const body = await bodyOf([...update, ...flags], { cwd: folder, stdin: 'Sale\n' });
    expect(body).toEqual({ subject: 'S', html: '<p>Sale</p>', text: 'Sale\n' });
  });

  it.each([
    ['missing.html', 'cannot read missing.html: file or folder not found'],
    ['.', 'cannot read .: the path is a folder'],
    ['latin1.html', 'latin1.html is not UTF-8 text'],
    ['large.html', 'large.html is larger than 10 MiB'],
  ])('is rejected for %s', async (name, words) => {
    await writeFile(join(folder, 'latin1.html'), Buffer.from([0x67, 0xfc, 0x6e]));
    await writeFile(join(folder, 'large.html'), Buffer.alloc(10 * 1024 * 1024 + 1, 'a'));
    const run = await runCli([...update, '--html-file', name], { cwd: folder });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
  });

  it.each([
    ['no JSON', '{name}', '--data is not JSON'],
    ['an array', '[]', '--data must be a JSON object'],
    ['null', 'null', '--data must be a JSON object'],
    ['a name twice', '{"name":"a","text":"{\\"name\\":1}","name":"b"}', '--data has "name" twice'],
    ['an id', '{"id":7,"name":"a"}', '--data must not contain an id'],
    ['a prototype', '{"__proto__":{"name":"a"}}', '__proto__ is not an attribute of emailMessage'],
    ['a nested value', '{"name":{"a":1}}', 'name must be text'],
  ])('is rejected for %s in --data', async (_, data, words) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli([...update, '--data', '-'], { stdin: data, transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(sent).toEqual([]);
  });
});

/** Contract, "Safety": faults that the interface's rules show locally are found before sending, all at once. */
describe('local checks', () => {
  it('report all faults at once and send nothing', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const line = ['task', 'create', '--channel', 'mail', '--message', 'Sale', '--rate', '0', '--at', '+1h'];
    expect(await faultsOf(line, { transport })).toEqual([
      'channel: must be one of email, sms',
      'rate: must be 1 or more',
      'name: is required',
      'search_id: give --list or --search',
    ]);
    expect(sent).toEqual([]);
  });

  it('names two flags that exclude each other as they were typed, without a value of one of them', async () => {
    const line = ['task', 'create', '--channel', 'email', '--message', '1', '--name', 'Sale', '--at', '+1h'];
    const run = await runCli([...line, '--list-id=7', '--search-id=8']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('svc: give --list-id or --search-id, not both; nothing was sent\n');
    const json = await runCli([...line, '--list-id=7', '--search-id=8', '-o', 'json']);
    const { details } = JSON.parse(json.stderr).error;
    const reason = 'give --list-id or --search-id, not both';
    expect(details).toEqual([
      { attribute: 'search_id', flag: '--search-id', reason },
      { attribute: 'list_id', flag: '--list-id', reason },
    ]);
  });

  it.each([
    [
      ['--kind', 'click', '--link', '3', '--message', '4'],
      'give --link or --message, not both; nothing was sent',
    ],
    [['--kind', 'click', '--link', '3', '--after', '1d'], '(actiononweekend) is required'],
    [
      ['--kind', 'click', '--link', '3', '--no-actiononweekend'],
      'can be false only if --at-hour or --after is set',
    ],
    // Contract, "Flags for attributes": "Booleans are written `--paused`, `--paused false` or `--no-paused`".
    [
      ['--kind', 'click', '--link', '3', '--no-weekends'],
      '--no-weekends (actiononweekend) can be false only if',
    ],
    [
      ['--kind', 'open', '--message', '3', '--after', '1h', '--actiontimediff', '9'],
      'actiontimediff is given twice',
    ],
    [['--kind', 'subscription', '--list', '3', '--after', '90s'], 'is not a whole number of minutes'],
    [['--kind', 'date', '--after', 'soon'], 'is not a length of time'],
    [['--kind', 'date', '--paused', 'perhaps'], 'must be true or false'],
    [['--kind', 'open', '--message', '3', '--list', '3x'], 'has no --list'],
    [['--kind', 'subscription', '--list', 'News'], 'must be the id of a list'],
  ])('reject %j', async (flags, words) => {
    const run = await runCli([...RULE, ...flags]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
  });

  it('accept a duration for SMS rules in seconds, for the answer', async () => {
    const flags = ['--kind', 'sms', '--name', 'Rule', '--list', '1', '--message', '2'];
    const answer = ['--after', '1h30m', '--message-actiononweekend'];
    expect(await bodyOf(['automation', 'create', ...flags, ...answer])).toMatchObject({
      message_actiontimediff: 5400,
    });
  });

  /** Contract, "Safety": "**all faults at once**, each with the attribute, the value, the rule and what to do instead". */
  it.each([
    [
      'a rule on a list',
      ['--kind', 'subscription', '--list', '1', '--actiontype', 'copytolist', '--actiontarget', '1'],
      ['--actionhour', '09:00:00', '--after', '90m'],
      [
        '--actiontarget must differ from --list (given: "1"); give the id of another list',
        '--weekends (actiononweekend) is required with --actionhour; use true or false',
        '--after (actiontimediff) must be 0 or a multiple of 1440 when --actionhour is set (given: 90); use 0, or leave --actionhour out',
      ],
    ],
    [
      'a rule on a click',
      [
        '--kind',
        'click',
        '--link',
        '1',
        '--message',
        '1',
        '--actiontype',
        'addtolist',
        '--actiontarget',
        'x',
      ],
      ['--actionhour', '9:30', '--no-actiononweekend'],
      [
        '--actionhour must be a full hour, HH:00:00 (given: "9:30"); write 09:00:00',
        'give --link or --message, not both',
        '--actiontarget must be an id for addtolist (given: "x"); give the id of the list',
        '--after (actiontimediff) must not be 0 for addtolist (given: 0); give the time between event and action',
      ],
    ],
    [
      'a date rule',
      ['--kind', 'date', '--actiontype', 'notify', '--actiontarget', '7', '--before', '25m'],
      ['--actionhour', '09:00:00'],
      [
        '--actiontarget must be an e-mail address for notify (given: "7"); give the address to notify',
        '--weekends (actiononweekend) is required with --actionhour; use true or false',
        '--before (actiontimediff) must be 0 or a multiple of 1440 when --actionhour is set (given: -1500); use -1440, or leave --actionhour out',
      ],
    ],
  ])('of %s report each fault of a rule', async (_, flags, more, faults) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['automation', 'create', '--name', 'Rule', ...flags, ...more], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    const lines = run.stderr.trimEnd().split('\n');
    expect(lines.slice(1).map((line) => line.trim())).toEqual(expect.arrayContaining(faults));
    expect(lines).toHaveLength(1 + faults.length);
    expect(sent).toEqual([]);
  });

  it('are left to the service with --no-validate', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['folder', 'create', '--name', 'x'.repeat(41), '--no-validate'], { transport });
    expect(run.exitCode).toBe(6);
    expect(writesIn(sent)).toEqual(['POST /v1/folder']);
  });

  it('reject attributes that only partners may set', async () => {
    const run = await runCli(['account', 'create', '--name', 'N', '--contactemail', 'a@example.com']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('only a partner can send POST requests for account');
  });

  it('report an empty change before any request', async () => {
    const run = await runCli(['folder', 'update', '1']);
    expect(run.stderr).toContain('nothing to change');
    expect(run.exitCode).toBe(2);
  });
});

describe('a reference by name', () => {
  const create = ['task', 'create', '--name', 'Sale', '--list', '1', '--at', '+1h', '--message'];

  it('is looked up in the channel of the task', async () => {
    const sandbox = await createTestSandbox();
    await putEmail(sandbox, { name: 'Other' });
    await putEmail(sandbox, { name: 'Both' });
    await putSms(sandbox, { name: 'Both' });
    const { transport } = serviceOf(sandbox);
    for (const [channel, id] of [
      ['email', 2],
      ['sms', 1],
    ] as const) {
      const run = await runCli([...create, 'Both', '--channel', channel, '--dry-run', '-o', 'json'], {
        transport,
      });
      expect(JSON.parse(run.stdout).body).toMatchObject({ message_id: id });
    }
  });

  it('exits with 4 for an unknown name, and says where to look', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli([...create, 'Nobody', '--channel', 'email'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(run.stderr).toBe('svc: email "Nobody" not found\nHint: run svc email list to see the ids\n');
  });

  it('exits with 2 for a name that two records have, with both ids', async () => {
    const sandbox = await createTestSandbox();
    await putEmail(sandbox, { name: 'Twice' });
    await putEmail(sandbox, { name: 'Twice' });
    const { transport, sent } = serviceOf(sandbox);
    for (const line of [
      [...create, 'Twice', '--channel', 'email'],
      ['email', 'get', 'Twice'],
    ]) {
      const run = await runCli(line, { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('2 records have the name "Twice": ids 1, 2');
    }
    expect(writesIn(sent)).toEqual([]);
  });
});

/** Contract, "Safety": a job that runs again finds the record of its first run, and does not make a second one. */
describe('--key', () => {
  it('creates the record once, with a short mark in its name', async () => {
    const sandbox = await createTestSandbox();
    const { transport, sent } = serviceOf(sandbox);
    const line = ['folder', 'create', '--name', 'News', '--key', 'build-7', '-o', 'json'];
    const first = await runCli(line, { transport });
    const again = await runCli(line, { transport });
    expect(JSON.parse(first.stdout).name).toMatch(/^News \[svc-[0-9a-f]{8}\]$/);
    expect(again.stdout).toBe(first.stdout);
    expect(again.stderr).toContain('an earlier run with this --key created folder 1');
    expect(writesIn(sent)).toEqual(['POST /v1/folder']);
    await runCli([...line.slice(0, -4), '--key', 'build-8'], { transport });
    expect(writesIn(sent)).toHaveLength(2);
  });
});
