/** On a terminal svc asks for the required values of a new record. Elsewhere it lists the missing flags. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { type Outside, runCli } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';
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

  it('prints the command with the answers if the service refuses the message, so that none is lost', async () => {
    await writeFile(join(cwd, 'sale.html'), HTML.replace('Hello', 'Hello {{ firstname }}'));
    const run = await onTerminal(
      ['email', 'create', ...FLAGS],
      ['Harbour', 'sale.html', 'Our sale', 'hello@harbourcoffee.example', "It's on", true],
    );
    expect(run.exitCode).toBe(6);
    const words = run.stderr.replaceAll(/ \\\n +|\s+/g, ' ');
    expect(words).toContain('names neither email, msisdn nor field.NAME, as in {{ field.firstname }}');
    expect(words).toContain(
      "Hint: the command with your answers: svc email create --from hello@harbourcoffee.example --from-name Harbour --html-file sale.html --name 'Our sale' --reply-to hello@harbourcoffee.example --subject 'It'\\''s on' --text-from-html",
    );
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

describe('svc automation create', () => {
  it('asks for the kind, and then for what this kind and the answers require', async () => {
    const run = await onTerminal(
      ['automation', 'create'],
      [
        'open: Acts when a subscriber opens a message',
        '1',
        'addtolist',
        'no list',
        '2',
        'Follow-up',
        '0s',
        '1d',
        true,
      ],
    );
    expect([run.exitCode, run.stdout]).toEqual([
      0,
      'Created automation open:2 "Follow-up". Next: svc automation get open:2\n',
    ]);
    expect(run.questions).toEqual([
      'Kind of rule (--kind)',
      'Message that triggers the rule when someone opens it (--message)',
      'Action of the rule, such as add-to-list or autoresponder (--action)',
      ...Array.from({ length: 2 }, () => 'Target of the action: list id, message id or address (--target)'),
      'Name of the rule (--name)',
      ...Array.from({ length: 2 }, () => 'Time between the event and the action, in seconds (--after)'),
      'The rule also acts at weekends (--weekends)?',
    ]);
    expect(run.stderr).toContain('must be an id for addtolist');
    expect(run.stderr).toContain('must not be 0 for addtolist');
  });

  it('asks for a message by its name, also if only the target is given', async () => {
    const FLAGS = ['automation', 'create', '--kind', 'open', '--message', '1', '--name', 'Follow-up'];
    const asked = await onTerminal(FLAGS, ['email_autoresponder', 'No such message', 'November news']);
    expect([asked.exitCode, asked.questions.length]).toEqual([0, 3]);
    expect(asked.stderr).toContain('"No such message" not found');
    const given = await onTerminal([...FLAGS, '--target', 'November news'], ['email_autoresponder']);
    expect([given.exitCode, given.questions.length]).toEqual([0, 1]);
    for (const rule of await listed('automation'))
      if (rule.name === 'Follow-up') expect(rule).toMatchObject({ actiontarget: '1' });
  });

  it('asks for no target of a removal, and for the message of a click', async () => {
    const removal = await onTerminal(
      ['automation', 'create', '--kind', 'subscription', '--list', '1', '--name', 'Leave'],
      ['removefromlist', '1d', false],
    );
    expect([removal.exitCode, removal.questions]).toEqual([
      0,
      [
        'Action of the rule, such as add-to-list or autoresponder (--action)',
        'Time between the event and the action, in minutes (--after)',
        'The rule also acts at weekends (--weekends)?',
      ],
    ]);
    const click = await onTerminal(
      ['automation', 'create', '--kind', 'click', '--name', 'C', '--after', '0s'],
      ['notify', '5', 'ada@example.com', '1'],
    );
    expect([click.exitCode, click.questions.at(-1)]).toEqual([
      0,
      'Message in which a click on any link triggers the rule (--message)',
    ]);
  });

  it('lists the missing flags without a terminal', async () => {
    const kindless = await svc(['automation', 'create']);
    expect([kindless.exitCode, kindless.stderr]).toEqual([2, expect.stringContaining('--kind is required')]);
    const run = await svc(['automation', 'create', '--kind', 'open']);
    expect([run.exitCode, run.questions]).toEqual([2, []]);
    for (const flag of ['--message', '--target', '--action', '--name']) expect(run.stderr).toContain(flag);
  });
});

describe('svc sms send', () => {
  const SMS = ['sms', 'send', '--to', '447700900123', '--from', 'Example'];

  it('asks for the text and the time, and never takes an answer as a send at once', async () => {
    const run = await onTerminal(SMS, ['Your table is ready', 'now', 'null', 'yesterday', 'tomorrow 09:00']);
    expect([run.stderr, run.exitCode]).toEqual([expect.stringContaining('--now'), 0]);
    expect(run.questions).toEqual([
      'Text of the SMS; a long text is sent in parts, and each part costs 1 credit (--text)',
      ...Array.from({ length: 4 }, () => 'Time to send, such as "tomorrow 09:00" (--at)'),
    ]);
    const [made] = await listed('sms');
    expect(made).toMatchObject({ message: 'Your table is ready', dispatched: false });
    expect(made.senddate).toBeGreaterThan(NOW);
  });

  it('asks for no time with --now, and still confirms the send', async () => {
    const run = await onTerminal([...SMS, '--now'], ['Your table is ready', false]);
    expect([run.exitCode, run.questions.length]).toEqual([2, 2]);
    expect(run.questions[1]).toContain('Really send an SMS to 447700900123 at once');
    expect(await listed('sms')).toEqual([]);
  });

  it('lists the missing flags without a terminal', async () => {
    const run = await svc(SMS);
    expect([run.exitCode, run.questions]).toEqual([2, []]);
    for (const flag of ['--at', '--now', '--text']) expect(run.stderr).toContain(flag);
  });
});
