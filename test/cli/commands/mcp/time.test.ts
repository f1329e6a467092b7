/** Contract, "Assistants": which account a server uses, the present time, ISO forms of times, and the status of tasks. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import {
  type Assistant,
  type AssistantWorld,
  assistantWorld,
  openAssistant,
} from '../../../support/assistant.ts';
import { putEmail, putList } from '../../../support/messages.ts';
import { serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let world: AssistantWorld;
let sandbox: TestSandbox;
let assistant: Assistant | undefined;
beforeEach(async () => {
  world = await assistantWorld();
  sandbox = await createTestSandbox();
});
afterEach(async () => {
  await assistant?.close();
  await world.remove();
});

/** Starts a server for the test sandbox. */
async function open(transport: Transport = serviceOf(sandbox).transport): Promise<Assistant> {
  assistant = await openAssistant([], { transport, cwd: world.folder });
  return assistant;
}

it('the instructions name the company, its zone and the time', async () => {
  assistant = await world.open();
  expect(assistant.client.getInstructions()).toContain(
    'The account is company 1 of the profile prod. Its time zone is Europe/London, and its clock showed 2026-12-01T09:00:00+00:00 when',
  );
});

it('the instructions name the folder of all paths', async () => {
  expect((await open()).client.getInstructions()).toContain(`Paths are relative to ${world.folder}.`);
});

it('the instructions say what the service cannot do', async () => {
  expect((await open()).client.getInstructions()).toMatch(
    /shows no lists.* those who did not open an earlier message/,
  );
});

it('each result has the present time of the sandbox, and an ISO form beside each time', async () => {
  const { call } = await open();
  await sandbox.at(90 * 60);
  await sandbox.put('folder', { account_id: IDS.company, name: 'News', cdate: NOW, mdate: NOW + 60 });
  const result = await call('list_records', { noun: 'folder' });
  expect(result).toMatchObject({ ok: true, now: '2026-12-01T10:30:00+00:00', zone: 'Europe/London' });
  expect(result.rows[0]).toMatchObject({
    ...{ cdate: NOW, cdate_iso: '2026-12-01T09:00:00+00:00' },
    ...{ mdate: NOW + 60, mdate_iso: '2026-12-01T09:01:00+00:00' },
  });
  expect(await call('forecast')).toMatchObject({ now: '2026-12-01T10:30:00+00:00' });
  // Summer time begins on the last Sunday in March.
  const { rows } = await call('simulate_rule', { id: await putRule(), at: '2027-03-28 12:00' });
  expect(rows[0]).toMatchObject({ local: '2027-03-28 12:00', time_iso: '2027-03-28T12:00:00+01:00' });
});

it('a service that is busy at the start gives the time later', async () => {
  const state = { isBusy: true };
  const { transport } = serviceOf(sandbox);
  const { call, client } = await open((request, signal) =>
    state.isBusy ? Promise.resolve({ status: 503, headers: {}, body: '' }) : transport(request, signal),
  );
  expect(client.getInstructions()).toMatch(/The account is company 1\.$/);
  state.isBusy = false;
  expect(await call('list_records', { noun: 'folder' })).toMatchObject({ now: '2026-12-01T09:00:00+00:00' });
});

it('a task has its status, also if its time is past and no other attribute has changed', async () => {
  const { call } = await open();
  const message = await putEmail(sandbox);
  const list = await putList(sandbox);
  const put = (more: Record<string, number>) =>
    sandbox.put('task', {
      ...{ account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: message },
      ...{ list_id: list, name: 'News', size: 10, cdate: NOW, scheduledtime: NOW + 3600, ...more },
    });
  const cases = [
    [await put({}), 'scheduled'],
    [await put({ scheduledtime: NOW - 60 }), 'sending'],
    [await put({ cancelled: 1, endtime: NOW }), 'cancelled'],
    [await put({ completed: 1, endtime: NOW }), 'completed'],
    [await put({ completed: 1, endtime: NOW, rate: 1, scheduledtime: NOW - 60 }), 'stopped'],
  ] as const;
  const { rows } = await call('list_records', { noun: 'task', sort: 'id' });
  expect(rows.map(({ id, status }: { id: number; status: string }) => [id, status])).toEqual(cases);
  const chosen = await call('list_records', { noun: 'task', sort: 'id', fields: ['id', 'status'] });
  expect(chosen.rows).toEqual(cases.map(([id, status]) => ({ id, status })));
  for (const [id, status] of cases)
    expect(await call('get_record', { noun: 'task', id })).toMatchObject({ result: { id, status } });
});

async function putRule(): Promise<string> {
  const message = await putEmail(sandbox);
  const id = await sandbox.put('open_automation', {
    ...{ account_id: IDS.company, user_id: IDS.admin, name: 'Openers', message_id: message },
    ...{ actiontype: 'notify', actiontarget: 'ada@example.com', actiontimediff: 0 },
    ...{ actionhour: null, actiononweekend: 1, paused: 0, cdate: NOW, mdate: NOW },
  });
  return `open:${id}`;
}
