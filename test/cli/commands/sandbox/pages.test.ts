/** Contract: "A note about what a table leaves out stands after the table", for commands that only the sandbox has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOrder, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;

const PEOPLE = 64;

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'empty' });
  const { data: list } = (await sandbox.control('list create', { name: 'All' })).json;
  const rows = Array.from({ length: PEOPLE }, (_, each) => ({ email: `p${each}@example.com`, fields: {} }));
  await sandbox.control('subscriber import', { lists: [list.id], rows });
  const { api } = sandbox;
  await sandbox.control('sender add', { email: 'office@example.com' });
  await sandbox.control('credits set', { email: 1000 });
  const made = await api('POST', '/v1/emailMessage', {
    ...{ name: 'M', subject: 'S', fromname: 'F', fromemail: 'office@example.com' },
    ...{ replyemail: 'office@example.com', html: '<p>Hello</p>', text: 'Hello' },
  });
  const now = Math.floor(Date.now() / 1000);
  const task = { name: 'T', channel: 'email', message_id: 1, list_id: list.id, search_id: null };
  const sent = await api('POST', '/v1/task', { ...task, scheduledtime: now + 600 });
  await sandbox.control('clock advance', { seconds: 3600 });
  expect([made.status, sent.status]).toEqual([202, 202]);
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

describe.each([
  ['subscriber', 'first', 'p0@', 'p60@'],
  ['outbox', 'newest', 'p63@', 'p0@'],
])('sandbox %s list', (noun, which, shown, hidden) => {
  const list = (...flags: readonly string[]) => ['sandbox', noun, 'list', '--data', folder.path, ...flags];

  it('prints 50 rows on a terminal, and their total number below', async () => {
    const { run, order } = await inOrder(list(), {});
    expect(run.exitCode).toBe(0);
    const text = order.join('');
    expect([text.includes(shown), text.includes(hidden)]).toEqual([true, false]);
    expect(order.at(-1)).toContain(`showing the ${which} 50 of ${PEOPLE}; use --all to see all\n`);
  });

  it('prints no note with --all, with --limit and elsewhere', async () => {
    for (const [flags, tty, count] of [
      [['--all'], true, PEOPLE],
      [['--limit', '7'], true, 7],
      [[], false, PEOPLE],
    ] as const) {
      const run = await runCli(list('-o', 'json', ...flags), { tty });
      expect([JSON.parse(run.stdout).length, run.stderr]).toEqual([count, '']);
    }
  });
});
