/** Contract, "Insight": `automation why` names each reason that the service shows, and `automation simulate` says if no task sent the message. */
import { beforeEach, expect, it } from 'vitest';
import type { SqlRow } from '../../../../src/sandbox/store/rows.ts';
import { putEmail, putList } from '../../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

const DAY = 86_400;
let sandbox: TestSandbox;
let message: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  message = await putEmail(sandbox);
});

const rule = (more: SqlRow = {}): Promise<number> =>
  sandbox.put('open_automation', {
    ...{ account_id: IDS.company, user_id: IDS.admin, name: 'Openers', message_id: message },
    ...{ actiontype: 'notify', actiontarget: 'ada@example.com', actiontimediff: 0, actionhour: null },
    ...{ actiononweekend: 1, paused: 0, cdate: NOW - 9 * DAY, mdate: NOW, ...more },
  });
const task = async (more: SqlRow = {}): Promise<number> =>
  sandbox.put('task', {
    ...{ account_id: IDS.company, user_id: IDS.admin, channel: 'email', message_id: message },
    ...{ list_id: await putList(sandbox), name: 'News', size: 10, cdate: NOW - 5 * DAY },
    ...{ scheduledtime: NOW - 2 * DAY, completed: 1, endtime: NOW - 2 * DAY, emailuniqueopens: 3, ...more },
  });

async function why(id: number): Promise<readonly { reason: string; time: number | null; why: string }[]> {
  const service = serviceOf(sandbox);
  const { stdout, stderr, exitCode } = await runCli(
    ['automation', 'why', `open:${id}`, '-o', 'json'],
    service,
  );
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

const CREATED = expect.objectContaining({ reason: 'created', time: NOW - 9 * DAY });

it('a rule that acts at once, and whose message was opened, has only the time of its creation', async () => {
  await task();
  expect(await why(await rule())).toEqual([CREATED]);
});

it('a paused rule', async () => {
  await task();
  const id = await rule({ paused: 1 });
  expect(await why(id)).toEqual([
    { reason: 'paused', time: null, why: `open:${id} is paused, so no event triggers it` },
    CREATED,
  ]);
});

it('a message that no task has sent, or that a task will send', async () => {
  const id = await rule();
  const says = `no task has sent e-mail message ${message}`;
  expect(await why(id)).toEqual([CREATED, { reason: 'not-sent', time: null, why: says }]);
  const running = { completed: 0, endtime: null, emailuniqueopens: 0 };
  await task({ ...running, scheduledtime: NOW - DAY, cancelled: 1, endtime: NOW - 3 * DAY });
  await task({ ...running, scheduledtime: NOW + 2 * DAY });
  const next = await task({ ...running, scheduledtime: NOW + DAY });
  expect((await why(id))[1]).toEqual({
    ...{ reason: 'not-sent', time: NOW + DAY },
    why: `${says}; task ${next} sends it at this time`,
  });
});

it('a message that nobody opened', async () => {
  await task({ emailuniqueopens: 0 });
  expect((await why(await rule()))[1]).toEqual({
    ...{ reason: 'no-events', time: null },
    why: `no recipient has opened e-mail message ${message} (emailuniqueopens is 0)`,
  });
});

it('a message that is gone', async () => {
  const gone = await rule({ message_id: 99 });
  expect((await why(gone))[0]).toEqual({
    ...{ reason: 'target-gone', time: null },
    why: 'emailMessage 99 (message_id) no longer exists',
  });
});

it('an action that is still to come', async () => {
  await task();
  const id = await rule({ actiontimediff: 2 * DAY, actionhour: '09:00:00', actiononweekend: 0 });
  expect((await why(id))[1]).toEqual({
    ...{ reason: 'still-to-come', time: NOW - 2 * DAY },
    why: 'the rule acts 2 days after the event, at 09:00, not at weekends, so the action of a recent event is still to come',
  });
});

it('simulate says that no task had sent the message by the time of the event', async () => {
  await task();
  const id = await rule();
  const service = serviceOf(sandbox);
  const simulate = async (at: number): Promise<string> =>
    (await runCli(['automation', 'simulate', `open:${id}`, '--at', String(at), '-o', 'json'], service))
      .stderr;
  expect(await simulate(NOW - 3 * DAY)).toContain(
    `no task has sent e-mail message ${message} by the time of this event`,
  );
  expect(await simulate(NOW - DAY)).toBe('');
  expect(writesIn(service.sent)).toEqual([]);
});

it('a rule that does not exist is exit 4', async () => {
  const { exitCode, stderr } = await runCli(['automation', 'why', 'open:77'], serviceOf(sandbox));
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('automation open:77 not found')]);
});
