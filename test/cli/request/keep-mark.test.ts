/** Contract, "Sends and campaigns, once more": "`update --name` of a record with a mark keeps the mark". */
import { beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';

const MARK = ' [svc-aaaaaa-bbbbb-ccccccc]';
const FOLDER_MARK = ' [svc-aaaaaa-bbbbbccc]';

let demo: DemoService;
beforeEach(async () => {
  demo = await openDemoService();
});
const svc = (...argv: readonly string[]) => runCli(argv, { transport: demo.transport, env: demo.admin });

const RECORDS = [
  ['folder', 'folder', '1', '/v1/folder/1', FOLDER_MARK],
  ['an e-mail message', 'email', '5', '/v1/emailMessage/5', MARK],
  ['an SMS message', 'sms-message', '3', '/v1/smsMessage/3', MARK],
  ['a task', 'task', '5', '/v1/task/5', MARK],
  ['a rule', 'automation', 'click:1', '/v1/clickAutomation/1', MARK],
] as const;

describe.each(RECORDS)('%s', (_, noun, id, path, mark) => {
  const nameNow = async (): Promise<string> =>
    JSON.parse((await svc(noun, 'get', id, '-o', 'json')).stdout).name;
  const put = async (name: string): Promise<void> => {
    const run = await svc('api', 'PUT', path, '--data', JSON.stringify({ name }), '--yes');
    expect(run.exitCode, run.stderr).toBe(0);
  };

  it('keeps its mark under another name', async () => {
    await put(`Old${mark}`);
    const run = await svc(noun, 'update', id, '--name', 'New', '--yes');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await nameNow()).toBe(`New${mark}`);
  });

  it('gets none where it has none, and no second one', async () => {
    await put('Old');
    expect((await svc(noun, 'update', id, '--name', 'New', '--yes')).exitCode).toBe(0);
    expect(await nameNow()).toBe('New');
    expect((await svc(noun, 'update', id, '--name', `Given${mark}`, '--yes')).exitCode).toBe(0);
    expect((await svc(noun, 'update', id, '--name', `Again${mark}`, '--yes')).exitCode).toBe(0);
    expect(await nameNow()).toBe(`Again${mark}`);
  });
});

it('a folder name that has no room for its mark is refused', async () => {
  await svc('api', 'PUT', '/v1/folder/1', '--data', JSON.stringify({ name: `Old${FOLDER_MARK}` }), '--yes');
  const { exitCode, stderr } = await svc(
    'folder',
    'update',
    '1',
    '--name',
    'A name of 30 octets, all told',
    '--yes',
  );
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /cannot rename folder 1: its name is \d+ octets too long[\s\S]*takes \d+ of 40 octets/,
  );
});
