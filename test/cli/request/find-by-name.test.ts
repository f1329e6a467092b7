/**
 * Contract, "Flags for attributes": references take an id or an exact name; if several records have the name, the error lists them. "People
 * see a short sign instead of the mark of a campaign": a name works as it is in the file, as tables show it, and whole.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';

const MARK = '[svc-aaaaaa-bbbbb-ccccccc]';
const OTHER_MARK = '[svc-dddddd-eeeee-fffffff]';
const KEY_MARK = '[svc-7f3a9c12]';

const email = {
  fromname: 'Company',
  replyemail: 'office@example.com',
  subject: 'Hello',
  html: '<p>Hello</p>',
};
const sms = { fromname: 'Company', message: 'Hello' };
const task = { channel: 'email', message_id: 5, list_id: 1, search_id: null, scheduledtime: NOW + 86_400 };
const rule = { actiontype: 'notify', actiontarget: 'office@example.com', summary: null };

let demo: DemoService;
let requests: WireRequest[];
beforeEach(async () => {
  demo = await openDemoService();
  requests = [];
});

function svc(...argv: readonly string[]) {
  const transport = (request: WireRequest) => {
    requests.push(request);
    return demo.transport(request);
  };
  return runCli(argv, { transport, env: demo.admin });
}

async function post(path: string, record: object): Promise<number> {
  const run = await svc('api', 'POST', path, '--data', JSON.stringify(record), '--yes');
  expect(run.exitCode, run.stdout + run.stderr).toBe(0);
  return JSON.parse(run.stdout).response.data.id;
}

const read = async (...argv: readonly string[]) => {
  const run = await svc(...argv, '-o', 'json');
  expect(run.exitCode, run.stderr).toBe(0);
  return JSON.parse(run.stdout);
};

describe.each([
  ['folder', '/v1/folder', '[svc-aaaaaa-bbbbbccc]', {}],
  ['email', '/v1/emailMessage', MARK, { ...email, fromemail: null, text: 'Hello' }],
  ['sms-message', '/v1/smsMessage', MARK, sms],
  ['task', '/v1/task', MARK, task],
  ['task', '/v1/task', '[svc-aaaaaa-bbbbb-wwww-ccccccc]', task],
  ['automation', '/v1/dateAutomation', MARK, rule],
])('%s', (noun, path, mark, record) => {
  it.each([
    ['without its mark', 'Spring sale'],
    ['with its tag', 'Spring sale ⟨aaaaaa⟩'],
    ['whole', `Spring sale ${mark}`],
  ])('is found by its name %s', async (_, name) => {
    const id = await post(path, { ...record, name: `Spring sale ${mark}` });
    expect((await read(noun, 'get', name)).id).toBe(id);
  });
});

it.each([
  ['an exact name', 'Spring sale', 'Spring sale'],
  ['a replaced record', `Spring sale ${MARK}`, 'Spring sale [svc-aaaaaa-bbbbb-x]'],
  ['a cancelled duplicate', `Spring sale ${MARK}`, 'Spring sale [svc-aaaaaa-bbbbb-w]'],
])('chooses one of two tasks: %s', async (_, name, other) => {
  const wanted = await post('/v1/task', { ...task, name });
  await post('/v1/task', { ...task, name: other === name ? `Spring sale ${MARK}` : other });
  expect((await read('task', 'get', 'Spring sale')).id).toBe(wanted);
});

it('finds the name of a record that was created under a key', async () => {
  const id = await post('/v1/task', { ...task, name: `Spring sale ${KEY_MARK}` });
  expect((await read('task', 'get', 'Spring sale')).id).toBe(id);
});

it('lists the records if several have the name, and cancels none', async () => {
  const ids = [
    await post('/v1/task', { ...task, name: `Spring sale ${MARK}` }),
    await post('/v1/task', { ...task, name: `Spring sale ${OTHER_MARK}` }),
  ];
  const { exitCode, stderr } = await svc('task', 'cancel', 'Spring sale', '--yes');
  expect(exitCode).toBe(2);
  for (const [index, tag] of ['aaaaaa', 'dddddd'].entries())
    expect(stderr).toContain(`task ${ids[index]} (Spring sale ⟨${tag}⟩)`);
  for (const id of ids) expect((await read('task', 'get', String(id))).cancelled).toBe(false);
  expect((await read('task', 'get', 'Spring sale ⟨dddddd⟩')).id).toBe(ids[1]);
});

it.each([
  'Spring',
  'spring sale',
  'Spring sale ',
  'Spring sale ⟨dddddd⟩',
  'Spring sale [svc-aaaaaa-bbbbb-cccccc]',
  `Spring sale ${MARK} `,
])('finds no record by %j', async (name) => {
  await post('/v1/task', { ...task, name: `Spring sale ${MARK}` });
  const { exitCode, stderr } = await svc('task', 'get', name);
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('not found')]);
});

describe('a part of the visible name', () => {
  const onTerminal = (...argv: readonly string[]) =>
    runCli(argv, {
      transport: demo.transport,
      env: { ...demo.admin, NO_COLOR: '1' },
      tty: true,
      columns: 200,
    });

  it('is enough for get on a terminal, in any case, if one record alone has it', async () => {
    const id = await post('/v1/task', { ...task, name: `Spring sale ${MARK}` });
    const { exitCode, stdout, stderr } = await onTerminal('task', 'get', 'spring');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`task ${id} (Spring sale ⟨aaaaaa⟩)`)]);
    expect(stderr).toContain(`"spring" is in the name of task ${id} (Spring sale ⟨aaaaaa⟩) alone`);
  });

  it('names the records if several have it', async () => {
    const ids = [
      await post('/v1/task', { ...task, name: `Spring sale ${MARK}` }),
      await post('/v1/task', { ...task, name: 'Spring party' }),
    ];
    const { exitCode, stderr } = await onTerminal('task', 'get', 'spring');
    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      `this text is in the names of task ${ids[1]} (Spring party), task ${ids[0]} (Spring sale ⟨aaaaaa⟩)`,
    );
  });

  it.each(['folder', 'email', 'sms-message'])('is a hint for a script: %s', async (noun) => {
    const paths = { folder: '/v1/folder', email: '/v1/emailMessage', 'sms-message': '/v1/smsMessage' };
    const bodies = { folder: {}, email: { ...email, fromemail: null, text: 'Hello' }, 'sms-message': sms };
    const kind = noun as keyof typeof paths;
    const id = await post(paths[kind], { ...bodies[kind], name: 'Spring sale' });
    const { exitCode, stdout, stderr } = await svc(noun, 'get', 'spring');
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr).toContain(`this text is in the name of ${noun} ${id} (Spring sale)`);
  });

  it('does not choose a record for a change', async () => {
    const id = await post('/v1/task', { ...task, name: `Spring sale ${MARK}` });
    expect((await onTerminal('task', 'cancel', 'Spring', '--yes')).exitCode).toBe(4);
    expect((await read('task', 'get', String(id))).cancelled).toBe(false);
  });

  it('is a note below a list that has no row for --name', async () => {
    const id = await post('/v1/task', { ...task, name: `Spring sale ${MARK}` });
    const found = await onTerminal('task', 'list', '--name', 'spring');
    expect([found.exitCode, found.stdout]).toEqual([0, '']);
    expect(found.stderr).toContain(`this text is in the name of task ${id} (Spring sale ⟨aaaaaa⟩)`);
    expect((await svc('task', 'list', '--name', 'spring', '-o', 'json')).stdout).toBe('[]\n');
  });
});

it('finds the message and the task of other commands', async () => {
  const message = await post('/v1/emailMessage', {
    ...email,
    fromemail: null,
    text: 'Hello',
    name: `Spring news ${MARK}`,
  });
  const create = ['task', 'create', '--name', 'Sale', '--channel', 'email', '--list', '1', '--at', '+2d'];
  const made = await read(...create, '--message', 'Spring news', '--yes');
  expect(made.message_id).toBe(message);
  const id = await post('/v1/task', { ...task, name: `Spring sale ${MARK}` });
  expect((await svc('task', 'cancel', 'Spring sale', '--yes')).exitCode).toBe(0);
  expect((await read('task', 'get', String(id))).cancelled).toBe(true);
});

it('reads no other record for a name that is complete, and two pages at most for an unknown one', async () => {
  await post('/v1/task', { ...task, name: 'Spring sale' });
  requests = [];
  await svc('task', 'get', 'Spring sale', '-o', 'json');
  expect(requests).toHaveLength(1);
  requests = [];
  await svc('task', 'cancel', 'Unknown', '--yes');
  expect(requests).toHaveLength(2);
  requests = [];
  await svc('task', 'get', 'Unknown', '-o', 'json');
  expect(requests).toHaveLength(3);
});
