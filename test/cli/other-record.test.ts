/**
 * Second attack M8 and second attack L1: a response about another record, and a 429 that is not the service's. A command never acts on the other record,
 * and never sends a task twice (contract, "Safety").
 */
import { describe, expect, it } from 'vitest';
import type { Transport, WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import { withEverything } from '../support/everything.ts';
import { runCli } from '../support/run-cli.ts';
import { NOW, type TestSandbox } from '../support/sandbox.ts';

const CREATE = [
  ...['task', 'create', '--name', 'Own', '--channel', 'email', '--message', '1'],
  ...['--list', '1', '--at', '2026-12-20 10:00', '-o', 'json'],
];

type Rewrite = (response: WireResponse, request: WireRequest) => WireResponse | Promise<WireResponse>;

/** Rewrites the responses to this method and path. The service carries the requests out unless `acts` is false. */
function rewriting(sandbox: TestSandbox, match: string, rewrite: Rewrite, acts = true) {
  const writes: string[] = [];
  const transport: Transport = async (request) => {
    const line = `${request.method} ${request.path}`;
    if (request.method !== 'GET') writes.push(line);
    if (line !== match) return sandbox.service.handle(request);
    const response: WireResponse = acts
      ? await sandbox.service.handle(request)
      : { status: 200, headers: {}, body: '' };
    return rewrite(response, request);
  };
  return { transport, writes };
}

const dataOf = (data: unknown): WireResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ status: 'ok', response: { count: 1, next: null, data } }),
});

async function taskOf(sandbox: TestSandbox, id: number) {
  return (await sandbox.send('admin', 'GET', `/v1/task/${id}`)).data;
}

/** Creates tasks of another person, the last of which is returned. */
async function withOlderTasks(count: number) {
  const sandbox = await withEverything();
  for (let at = 1; at <= count; at += 1)
    await sandbox.send('admin', 'POST', '/v1/task', {
      ...{ name: `Own${at}`, channel: 'email', message_id: 1, list_id: 1, search_id: null },
      scheduledtime: NOW + 86_400,
    });
  return sandbox;
}

describe('task create --expect-size, answered with an older task', () => {
  it('cancels its own task, and leaves the other one', async () => {
    const sandbox = await withOlderTasks(1);
    const older = await taskOf(sandbox, 2);
    const { transport, writes } = rewriting(sandbox, 'POST /v1/task', () => dataOf(older));
    const run = await runCli([...CREATE, '--expect-size', '500..600'], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('task 3 (Own)');
    expect(run.stderr).not.toContain('task 2');
    expect(writes).toEqual(['POST /v1/task', 'PUT /v1/task/3']);
    expect(await taskOf(sandbox, 3)).toMatchObject({ name: 'Own', cancelled: true });
    expect(await taskOf(sandbox, 2)).toEqual(older);
  });

  it('cancels nothing if its own task does not exist: exit 10 with the other id', async () => {
    const sandbox = await withOlderTasks(1);
    const older = await taskOf(sandbox, 2);
    const { transport, writes } = rewriting(sandbox, 'POST /v1/task', () => dataOf(older), false);
    const run = await runCli([...CREATE, '--expect-size', '500..600'], { transport });
    expect(run.exitCode).toBe(10);
    const { error } = JSON.parse(run.stderr.slice(run.stderr.indexOf('{')));
    expect(error.message).toContain('the response is about task 2 (Own1), not the record that was sent');
    expect(error.hint).toContain('svc task list --name Own');
    expect(writes).toEqual(['POST /v1/task']);
    expect(await taskOf(sandbox, 2)).toEqual(older);
  });
});

describe('task cancel 3, answered with task 2', () => {
  it.each([
    ['is done if task 3 is cancelled', true, 0],
    ['is exit 10 if it is not', false, 10],
  ])('%s', async (_name, acts, exitCode) => {
    const sandbox = await withOlderTasks(2);
    const other = { ...(await taskOf(sandbox, 2)), cancelled: true, endtime: NOW };
    const { transport } = rewriting(sandbox, 'PUT /v1/task/3', () => dataOf([other]), acts);
    const run = await runCli(['task', 'cancel', '3', '--yes'], { transport });
    expect(run.exitCode, run.stderr).toBe(exitCode);
    expect(run.stderr).not.toContain('cancelled task 2');
    if (acts) expect(run.stderr).toContain('task 3 (Own2)');
    else expect(run.stderr).toMatch(/the response is about task 2 \(Own1\), not task 3.*svc task get 3 /s);
    expect(await taskOf(sandbox, 3)).toMatchObject({ cancelled: acts });
    expect(await taskOf(sandbox, 2)).toMatchObject({ cancelled: false });
  });
});

// Contract, "Safety": a delete reads the record first.
it.each([
  ['folder', ['folder', 'delete', '5']],
  ['emailMessage', ['email', 'delete', '5']],
  ['user', ['user', 'delete', '5']],
  ['subscriptionAutomation', ['automation', 'delete', 'subscription:5']],
  ['task', ['task', 'cancel', '5']],
])('a GET of %s 5 that is answered with 6 stops %j before it writes', async (name, argv) => {
  const sandbox = await withEverything();
  const other = dataOf({ id: 6, name: 'Other', username: 'other', cancelled: false, completed: false });
  const { transport, writes } = rewriting(sandbox, `GET /v1/${name}/5`, () => other, false);
  const run = await runCli([...argv, '--yes'], { transport });
  expect([run.exitCode, writes]).toEqual([1, []]);
  expect(run.stderr).toMatch(/the response is about .*6 \((Other|other)\), not .*5/);
});

it('a delete that is answered with another id is exit 10 if the record still exists', async () => {
  const sandbox = await withEverything();
  const { transport } = rewriting(sandbox, 'DELETE /v1/folder/1', () => dataOf({ id: 6 }), false);
  const run = await runCli(['folder', 'delete', '1', '--yes'], { transport });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toContain('the response is about folder 6, not folder 1, which still exists');
});

describe('a 429 that is not in the format of the service (L1)', () => {
  const page: WireResponse = { status: 429, headers: { 'retry-after': '1' }, body: '<h1>Slow down</h1>' };

  it('after the service has made the task: one POST, and the task is the result', async () => {
    const sandbox = await withEverything();
    const { transport, writes } = rewriting(sandbox, 'POST /v1/task', () => page);
    const run = await runCli(CREATE, { transport });
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([0, expect.objectContaining({ id: 2 })]);
    expect(writes).toEqual(['POST /v1/task']);
    expect(await sandbox.rows('task')).toHaveLength(2);
  });

  it('before the service got the request: one POST, exit 10', async () => {
    const sandbox = await withEverything();
    const { transport, writes } = rewriting(sandbox, 'POST /v1/task', () => page, false);
    const run = await runCli(CREATE, { transport });
    expect([run.exitCode, writes]).toEqual([10, ['POST /v1/task']]);
    expect(await sandbox.rows('task')).toHaveLength(1);
  });

  it.each([
    [
      'a PUT',
      ['folder', 'update', '1', '--name', 'Fresh'],
      'PUT /v1/folder/1',
      1,
      'check whether the change',
    ],
    ['a GET', ['folder', 'get', '1'], 'GET /v1/folder/1', 9, 'Wait a moment'],
  ])('%s is sent again, and may have acted', async (_name, argv, match, exitCode, hint) => {
    const sandbox = await withEverything();
    let answers = 0;
    const { transport } = rewriting(sandbox, match, () => {
      answers += 1;
      return page;
    });
    const run = await runCli([...argv, '--no-journal'], { transport });
    expect([run.exitCode, answers]).toEqual([exitCode, 3]);
    expect(run.stderr).toContain(hint);
  });
});
