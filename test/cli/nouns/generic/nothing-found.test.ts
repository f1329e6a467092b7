/** Contract, "Output": an empty list is a line on stderr in a table, and exit 0. The line says what to do next. */
import { beforeAll, expect, it } from 'vitest';
import { isGroup } from '../../../../src/cli/command/command.ts';
import { nouns } from '../../../../src/cli/registry/entries.ts';
import { type Run, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await createTestSandbox();
});
const svc = (line: string, tty = false): Promise<Run> =>
  runCli(line.split(' '), { transport: serviceOf(sandbox).transport, tty });

it.each([
  ['task list', 'No tasks yet. Create one with: svc task create (see --help)'],
  ['folder list', 'No folders yet. Create one with: svc folder create (see --help)'],
  ['email list', 'No e-mail messages yet. Create one with: svc email create (see --help)'],
  ['sms-message list', 'No SMS messages yet. Create one with: svc sms-message create (see --help)'],
  ['sms list', 'No single SMS yet. Create one with: svc sms send (see --help)'],
  ['dnc list', 'No entries of Do Not Contact yet. Create one with: svc dnc add (see --help)'],
  ['automation list', 'No rules yet. Create one with: svc automation create (see --help)'],
  [
    'link list',
    'No tracked links yet. Links are in the HTML of messages. To list the messages: svc email list',
  ],
  [
    'form list',
    'No forms yet. The interface cannot create forms yet. Create them on the website of the service.',
  ],
  ['sms-destination list', 'No SMS destinations yet. The operators of the service set up SMS destinations.'],
  ['task list --cancelled', 'No task matches the filters. To list all: svc task list'],
  ['folder list --name News', 'No folder matches the filters. To list all: svc folder list'],
  ['automation list --kind click', 'No rule matches the filters. To list all: svc automation list'],
  ['automation list --paused', 'No rule matches the filters. To list all: svc automation list'],
  ['subscriber-data list --subscriber 1', 'No subscriber-data matches the filters.'],
])('says what to type next after svc %s', async (line, words) => {
  for (const tty of [false, true])
    expect(await svc(line, tty)).toMatchObject({ exitCode: 0, stdout: '', stderr: `${words}\n` });
});

it.each(['json', 'csv', 'ndjson', 'id'])('prints no note with -o %s', async (format) => {
  const { stdout, stderr, exitCode } = await svc(`folder list -o ${format}`);
  expect([exitCode, stderr]).toEqual([0, '']);
  if (format === 'json') expect(stdout).toBe('[]\n');
});

it('names only existing commands', async () => {
  for (const noun of nouns) {
    const tree = await noun.load();
    const verbs = isGroup(tree) ? tree.commands.map(({ name }) => name) : [];
    if (!verbs.includes('list') || noun.name === 'subscriber-data' || noun.name === 'user') continue;
    const { stderr } = await svc(`${noun.name} list`);
    for (const [, named = ''] of stderr.matchAll(/svc ([a-z-]+ [a-z-]+)/g))
      expect(await svc(`${named} --help`)).toMatchObject({ exitCode: 0 });
  }
});
