import { describe, expect, it } from 'vitest';
import { withEverything } from '../../support/everything.ts';
import { setAccount } from '../../support/messages.ts';
import { PARTNER, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW } from '../../support/sandbox.ts';

/** Contract, "Safety": every delete, `task cancel`, `dnc add` and `dnc import`, `dnc remove`. */
const DESTRUCTIVE: readonly (readonly [string, string])[] = [
  ['folder delete News', 'DELETE /v1/folder/1'],
  ['email delete 1', 'DELETE /v1/emailMessage/1'],
  ['sms-message delete Free', 'DELETE /v1/smsMessage/1'],
  ['user delete sub2', 'DELETE /v1/user/3'],
  ['automation delete open:1', 'DELETE /v1/openAutomation/1'],
  ['task cancel Sale', 'PUT /v1/task/1'],
  ['dnc add new@example.com', 'POST /v1/doNotContact'],
  ['dnc remove old@example.com', 'DELETE /v1/doNotContact'],
  ['dnc remove --id 1', 'DELETE /v1/doNotContact/1'],
  ['api DELETE /v1/folder/1', 'DELETE /v1/folder/1'],
];

describe.each(DESTRUCTIVE)('svc %s', (line, write) => {
  it('elsewhere than on a terminal needs --yes, and nothing is sent', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    for (const more of [[], ['--no-input']]) {
      const run = await runCli([...line.split(' '), ...more], { transport, tty: more.length > 0 });
      expect(run).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
      expect(run.stderr.replace(/\s+/g, ' ')).toContain('needs --yes; nothing was sent');
    }
    expect(sent).toEqual([]);
  });

  it('on a terminal asks, and a no sends nothing', async () => {
    const { transport, sent } = serviceOf(await withEverything());
    const run = await runCli(line.split(' '), { transport, tty: true, answers: [false] });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.questions).toHaveLength(1);
    expect(run.stderr).toContain('not confirmed; nothing was sent');
    expect(writesIn(sent)).toEqual([]);
  });

  it('is done after a yes, or with --yes, and only shown with --dry-run', async () => {
    const asked = serviceOf(await withEverything());
    const run = await runCli(line.split(' '), { transport: asked.transport, tty: true, answers: [true] });
    expect(run.exitCode).toBe(0);
    expect(writesIn(asked.sent)).toEqual([write]);

    const told = serviceOf(await withEverything());
    const rehearsed = await runCli([...line.split(' '), '--dry-run', '-o', 'json'], told);
    const { method, path } = JSON.parse(rehearsed.stdout);
    expect(`${method} ${path}`).toBe(write);
    expect(writesIn(told.sent)).toEqual([]);
    expect((await runCli([...line.split(' '), '--yes'], told)).exitCode).toBe(0);
    expect(writesIn(told.sent)).toEqual([write]);
  });
});

describe('a whole domain on Do Not Contact', () => {
  const add = ['dnc', 'add', 'Example.COM'];

  it.each([
    ['no flags', add, 'needs --yes --domain-ok'],
    ['--yes alone', [...add, '--yes'], 'needs --yes --domain-ok'],
    ['--domain-ok alone', [...add, '--domain-ok'], 'needs --yes --domain-ok'],
  ])('elsewhere %s is not enough', async (_, argv, words) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(argv, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(sent).toEqual([]);
  });

  it('is added with --yes --domain-ok', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli([...add, '--yes', '--domain-ok', '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ contactdata: 'example.com' });
  });

  it('on a terminal has to be typed', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const wrong = await runCli(add, { transport, tty: true, answers: ['yes'] });
    expect(wrong.exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
    const right = await runCli(add, { transport, tty: true, answers: ['example.com'] });
    expect(right.exitCode).toBe(0);
    expect(right.questions).toEqual([
      'To add all of example.com to Do Not Contact and delete its subscribers, of Company (company 1, from the ' +
        'environment), type example.com:',
    ]);
  });
});

// Interface, accountFeatures, locked: "users cannot access the account or make API calls".
describe('svc features set --locked', () => {
  const lock = ['features', 'set', '--locked'];
  const env = PARTNER;

  it.each([
    ['no flags', lock],
    ['--yes alone', [...lock, '--yes']],
    ['--lock-ok alone', [...lock, '--lock-ok']],
  ])('elsewhere %s is not enough, since it locks everybody out', async (_, argv) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(argv, { transport, env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('to lock all users out needs --yes --lock-ok; nothing was sent');
    expect(sent).toEqual([]);
  });

  it('--yes --lock-ok says it', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    expect((await runCli([...lock, '--yes', '--lock-ok'], { transport, env })).exitCode).toBe(0);
    expect(writesIn(sent)).toEqual(['PUT /v1/accountFeatures/1']);
  });

  it('in a body too', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const argv = ['features', 'set', '--data', '{"locked":true}', '--yes'];
    expect((await runCli(argv, { transport, env })).exitCode).toBe(2);
    expect(sent).toEqual([]);
  });

  it('on a terminal asks for the name of the company to be typed', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    for (const wrong of ['1', 'yes', 'Other'])
      expect((await runCli(lock, { transport, env, tty: true, answers: [wrong] })).exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
    const right = await runCli(lock, { transport, env, tty: true, answers: ['Company'] });
    expect(right.exitCode).toBe(0);
    expect(right.questions).toEqual([
      'To lock all users out of Company (company 1, from the environment), type Company:',
    ]);
    expect(writesIn(sent)).toEqual(['PUT /v1/accountFeatures/1']);
  });

  it('a name in other code points than a keyboard makes can be typed; what cannot be typed is named by its id', async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    await setAccount(sandbox, { name: 'Cafe\u0301' });
    expect((await runCli(lock, { transport, env, tty: true, answers: ['Caf\u00e9'] })).exitCode).toBe(0);
    await setAccount(sandbox, { name: 'A\u0007B' });
    const odd = await runCli(lock, { transport, env, tty: true, answers: ['1'] });
    expect(odd.questions).toEqual([expect.stringContaining('type 1:')]);
  });
});

it('a question carries no control sequences from the service', async () => {
  const sandbox = await createTestSandbox();
  const folder = { account_id: IDS.company, name: 'a\u001b]0;owned\u0007b', cdate: NOW, mdate: NOW };
  await sandbox.put('folder', folder);
  const { transport } = serviceOf(sandbox);
  const run = await runCli(['folder', 'delete', '1'], { transport, tty: true, answers: [false] });
  expect(run.questions).toEqual([expect.stringContaining('Really delete folder 1 (a␛]0;owned\\x07b), ')]);
});
