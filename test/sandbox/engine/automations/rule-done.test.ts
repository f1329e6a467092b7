/**
 * Interface, "Automation rules": changes of lists, and messages of rules. `sandbox rule done` shows both, and skipped actions. `sandbox
 * queue --rule` shows the actions that are still due.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const asked = async (operation: string, args: object = {}) =>
  (await sandbox.control(operation, args)).json.data;

it('lists the queue of a rule, and then its actions, newest first', async () => {
  // In the demo, a reader is added to list 2 an hour after a click on the guide.
  const [link] = (await sandbox.api('GET', '/v1/clickAutomation')).json.response.data;
  await asked('event click', { link: link.link_id, subscriber: 3 });
  const queued = await asked('queue', { rule: 'click:1' });
  expect(queued).toMatchObject([{ rule: 'click:1', subscriber: 3, action: 'addtolist', in: 3600 }]);
  expect(await asked('queue', { rule: 'open:1' })).toEqual([]);
  expect(await asked('rule done', { rule: 'click:1' })).toEqual([]);
  await asked('clock advance', { seconds: 3600 });
  expect(await asked('queue', { rule: 'click:1' })).toEqual([]);
  expect(await asked('rule done', { rule: 'click:1' })).toEqual([
    { time: queued[0].at, action: 'addtolist', target: '2', subscriber: 3, why: null, delivery: null },
  ]);
});

it('lists sent messages, with their place in the outbox', async () => {
  const { id } = await asked('subscriber create', { email: 'new@example.com', lists: [2] });
  await asked('event subscribe', { list: 1, subscriber: id });
  await asked('clock advance', { seconds: 3600 });
  const [newest] = await asked('rule done', { rule: 'subscription:1', limit: 1 });
  expect(newest).toMatchObject({ action: 'email', target: 'new@example.com', why: null });
  expect(await asked('outbox show', { id: newest.delivery })).toMatchObject({ to: 'new@example.com' });
});

it('lists skipped actions, with the reason', async () => {
  const { id } = await asked('subscriber create', { msisdn: '447700900777', lists: [2] });
  await asked('event subscribe', { list: 1, subscriber: id });
  await asked('clock advance', { seconds: 3600 });
  const [newest] = await asked('rule done', { rule: 'subscription:1', limit: 1 });
  expect(newest).toMatchObject({ action: null, delivery: null, subscriber: id });
  expect(newest.why).toContain(`subscriber ${id}`);
});
