/** Contract, "Sends and campaigns, once more": "`update --name` of a record with a mark keeps the mark". */
import { beforeEach, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';

const MARK = ' [svc-aaaaaa-bbbbb-ccccccc]';
const FOLDER_MARK = ' [svc-aaaaaa-bbbbbccc]';

let demo: DemoService;
beforeEach(async () => {
  demo = await openDemoService();
});
const svc = (...argv: readonly string[]) => runCli(argv, { transport: demo.transport, env: demo.admin });

const RECORDS = [
  ['folder', '/v1/folder', FOLDER_MARK, () => ({})],
  [
    'email',
    '/v1/emailMessage',
    MARK,
    () => ({
      fromname: 'Company',
      fromemail: null,
      replyemail: 'office@example.com',
      subject: 'Hello',
      html: '<p>Hello</p>',
      text: 'Hello',
    }),
  ],
  ['sms-message', '/v1/smsMessage', MARK, () => ({ fromname: 'Company', message: 'Hello' })],
  [
    'task',
    '/v1/task',
    MARK,
    () => ({ channel: 'email', message_id: 5, list_id: 1, search_id: null, scheduledtime: NOW + 86_400 }),
  ],
  [
    'automation',
    '/v1/dateAutomation',
    MARK,
    () => ({ actiontype: 'notify', actiontarget: 'office@example.com', summary: null }),
  ],
] as const;

describe.each(RECORDS)('%s', (noun, path, mark, bodyOf) => {
  let id: string;
  const nameNow = async (): Promise<string> =>
    JSON.parse((await svc(noun, 'get', id, '-o', 'json')).stdout).name;
  beforeEach(async () => {
    const data = JSON.stringify({ ...bodyOf(), name: `Old${mark}` });
    const run = await svc('api', 'POST', path, '--data', data, '--yes');
    expect(run.exitCode, run.stdout + run.stderr).toBe(0);
    const rows: { id: number; name: string }[] = JSON.parse((await svc(noun, 'list', '-o', 'json')).stdout);
    const made = rows.find(({ name }) => name === `Old${mark}`);
    id = `${noun === 'automation' ? 'date:' : ''}${made?.id}`;
  });

  it('keeps its mark under another name', async () => {
    const run = await svc(noun, 'update', id, '--name', 'New', '--yes');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await nameNow()).toBe(`New${mark}`);
  });

  it('does not get a second mark', async () => {
    expect((await svc(noun, 'update', id, '--name', `Again${mark}`, '--yes')).exitCode).toBe(0);
    expect(await nameNow()).toBe(`Again${mark}`);
  });
});

it('adds no mark to a record without one', async () => {
  expect((await svc('folder', 'update', '1', '--name', 'New', '--yes')).exitCode).toBe(0);
  expect(JSON.parse((await svc('folder', 'get', '1', '-o', 'json')).stdout).name).toBe('New');
});

it('rejects a folder name that leaves no room for its mark', async () => {
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
    /cannot rename folder 1: the name is \d+ bytes too long[\s\S]*takes \d+ of 40 bytes/,
  );
});
