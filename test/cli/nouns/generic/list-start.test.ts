/** Contract, "List verbs": `list --start` begins at a value of the sort attribute, as `start` of a request does (wire, "Requests"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { putEmail, putList } from '../../../support/messages.ts';
import { type Run, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
});

const list = (...argv: readonly string[]): Promise<Run> => runCli(argv, serviceOf(sandbox));
const ids = async (...argv: readonly string[]): Promise<readonly string[]> => {
  const { stdout, stderr, exitCode } = await list(...argv, '-o', 'id');
  expect(exitCode, stderr).toBe(0);
  return stdout.split('\n').filter((line) => line !== '');
};

describe('list --start', () => {
  beforeEach(async () => {
    for (const name of ['Delta', 'Alpha', 'Charlie', 'Bravo']) await putEmail(sandbox, { name });
  });

  it.each([
    ['in the order of the list, newest first', ['--start', '2'], ['2', '1']],
    ['by ascending id', ['--sort', 'id', '--start', '3'], ['3', '4']],
    ['between two names', ['--sort', 'name', '--start', 'Beta'], ['4', '3', '1']],
    ['at a name, reversed', ['--sort', 'name', '--reverse', '--start', 'Bravo'], ['4', '2']],
    ['with a limit', ['--sort', 'id', '--start', '2', '--limit', '2'], ['2', '3']],
    ['after the last record', ['--sort', 'id', '--start', '5'], []],
  ])('%s', async (_, flags, expected) => {
    expect(await ids('email', 'list', ...flags)).toEqual(expected);
  });

  it('combines with the times of tasks, whichever is the later', async () => {
    const listId = await putList(sandbox);
    for (const hours of [1, 2, 3, 4])
      await sandbox.put('task', {
        ...{ account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: 1, list_id: listId },
        ...{ name: `Task ${hours}`, scheduledtime: NOW + hours * 3600, size: 0, cdate: NOW },
      });
    const span = ['--since', '+90m', '--until', '+210m'];
    const from = (hours: number) => ['--start', String(NOW + hours * 3600)];
    const up = ['task', 'list', '--sort', 'scheduledtime', ...span];
    expect(await ids(...up)).toEqual(['2', '3']);
    expect(await ids(...up, ...from(1))).toEqual(['2', '3']);
    expect(await ids(...up, ...from(3))).toEqual(['3']);
    expect(await ids('task', 'list', ...span, ...from(2))).toEqual(['2']);
    expect(await ids('task', 'list', ...span, ...from(4))).toEqual(['3', '2']);
  });

  it.each([
    [['email', 'list', '--start', 'x'], /--start x: id is a number/],
    [['sms-destination', 'list', '--sort', 'isshortcode', '--start', '2'], /isshortcode is true or false/],
    [['subscriber-data', 'list', '--subscriberprofilefield-id', '1', '--start', '2'], /--start needs --sort/],
  ])('refuses %j', async (argv, said) => {
    const { exitCode, stderr } = await list(...argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(said)]);
  });
});
