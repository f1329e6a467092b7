/** On a terminal svc asks for the required values of a new record. Elsewhere it lists the missing flags. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { type Outside, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let demo: DemoService;
let cwd: string;
beforeEach(async () => {
  demo = await openDemoService();
  cwd = await makeTemporaryFolder('ask-missing');
});
afterEach(() => rm(cwd, { recursive: true }));

const svc = (argv: readonly string[], outside: Outside = {}) =>
  runCli(argv, {
    cwd,
    transport: demo.transport,
    env: { ...demo.admin, NO_COLOR: '1' },
    columns: 100,
    ...outside,
  });
const onTerminal = (argv: readonly string[], answers: readonly (string | boolean)[]) =>
  svc(argv, { tty: true, answers });
const listed = async (noun: string) => JSON.parse((await svc([noun, 'list', '-o', 'json'])).stdout);

const HTML =
  '<!doctype html><html lang="en"><head><title>T</title></head><body><p>Hello there</p></body></html>';

describe('svc email create', () => {
  const FLAGS = ['--from', 'hello@harbourcoffee.example'];

  it('asks for each required value, and derives the text from the HTML after a yes', async () => {
    await writeFile(join(cwd, 'sale.html'), HTML);
    const run = await onTerminal(
      ['email', 'create', ...FLAGS],
      ['Harbour', 'sale.html', 'Sale', 'hello@harbourcoffee.example', 'Our sale', true],
    );
    expect([run.exitCode, run.stdout]).toEqual([0, 'Created email 7 "Sale". Next: svc email preview 7\n']);
    expect(run.questions).toEqual([
      'Name of the sender (--from-name)',
      'File with the html (--html-file)',
      'Internal name that recipients do not see (--name)',
      'Address for replies (--reply-to)',
      'Subject of the message (--subject)',
      'Create the text part from the HTML (--text-from-html)?',
    ]);
    const [made] = await listed('email');
    expect(made).toMatchObject({ name: 'Sale', subject: 'Our sale', fromname: 'Harbour' });
    expect(made.text).toContain('Hello there');
  });

  it('asks again after an answer that cannot be read, and says why', async () => {
    await writeFile(join(cwd, 'sale.html'), HTML);
    await writeFile(join(cwd, 'sale.txt'), 'Hello');
    const run = await onTerminal(
      ['email', 'create', ...FLAGS, '--name', 'Sale', '--from-name', 'Harbour', '--subject', 'Our sale'],
      ['sail.html', 'sale.html', 'nobody', 'hello@harbourcoffee.example', false, 'sale.txt'],
    );
    expect([run.exitCode, run.questions.length]).toEqual([0, 6]);
    expect(run.stderr).toContain('sail.html');
    expect(run.stderr).toContain('must be an e-mail address');
    expect((await listed('email'))[0]).toMatchObject({
      text: 'Hello',
      replyemail: 'hello@harbourcoffee.example',
    });
  });

  it('lists the missing flags without a terminal, and if prompts are off', async () => {
    for (const outside of [{}, { tty: true, env: { ...demo.admin, CI: '1' } }]) {
      const run = await svc(['email', 'create'], outside);
      expect([run.exitCode, run.questions]).toEqual([2, []]);
      for (const flag of [
        '--from-name',
        '--html',
        '--html-file',
        '--name',
        '--reply-to',
        '--subject',
        '--text-file',
      ])
        expect(run.stderr).toContain(flag);
    }
    for (const flag of ['--yes', '--dry-run', '--no-input'])
      expect((await svc(['email', 'create', flag], { tty: true })).questions).toEqual([]);
  });

  it('reports faults of the given values first', async () => {
    const run = await onTerminal(['email', 'create', '--reply-to', ''], []);
    expect([run.exitCode, run.questions]).toEqual([2, []]);
    expect(run.stderr).toContain('--reply-to');
  });
});

describe('svc task create', () => {
  it('asks for channel, message, name, time and list, and understands names and local times', async () => {
    const run = await onTerminal(
      ['task', 'create'],
      [
        'email',
        'No such message',
        'November news',
        'Winter',
        'yesterday',
        'tomorrow 09:00',
        'Newsletter',
        '1',
      ],
    );
    expect([run.stderr, run.exitCode]).toEqual([expect.any(String), 0]);
    expect(run.stdout).toContain('Scheduled task 5 "Winter": e-mail to 447, ');
    expect(run.questions).toEqual([
      'Channel of the message (--channel)',
      ...['Message that the task sends (--message)', 'Message that the task sends (--message)'],
      'Name of the task (--name)',
      ...['Start time, such as "tomorrow 09:00" (--at)', 'Start time, such as "tomorrow 09:00" (--at)'],
      ...['List that the task sends to (--list)', 'List that the task sends to (--list)'],
    ]);
    expect(run.stderr).toContain('"No such message" not found');
    expect(run.stderr).toContain('must be the id of a list');
  });

  it('asks neither for a time with --now nor for a list with --search', async () => {
    const run = await onTerminal(
      ['task', 'create', '--now', '--search', '1', '--channel', 'email', '--message', '1'],
      ['Winter', false],
    );
    expect(run.questions[0]).toBe('Name of the task (--name)');
    expect(run.questions[1]).toContain('Really send');
  });
});

it('svc folder create asks for the name', async () => {
  const run = await onTerminal(['folder', 'create'], ['News']);
  expect([run.exitCode, run.questions]).toEqual([0, ['Name, 1 to 40 bytes (--name)']]);
});
