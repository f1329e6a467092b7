/** Contract, "Flags for attributes": `--list` takes an id, or a name that the profile or the sandbox gives to a list. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { NOBODY, runCli, writesIn } from '../../support/run-cli.ts';
import { runSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { IDS, KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

let folder: string;
let service: Awaited<ReturnType<typeof campaign>>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('list-names');
  service = await campaign();
  const ids = ['--company', String(IDS.company), '--user', String(IDS.admin)];
  const add = ['profile', 'add', 'work', '--base-url', 'https://api.example.com', ...ids, '--no-check'];
  expect((await svc([...add, '--api-key-stdin'], KEYS.company)).exitCode).toBe(0);
});
afterEach(() => removeFolder(folder));

const svc = (argv: readonly string[], stdin?: string) =>
  runCli(argv, {
    transport: service.transport,
    ...(stdin === undefined ? {} : { stdin }),
    env: { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
  });
const set = (key: string, value: string) => svc(['profile', 'set', 'work', key, value]);
const create = (list: string) =>
  svc([
    ...['task', 'create', '--channel', 'email', '--message', '1', '--name', 'T', '--at', '+2d'],
    ...['--list', list, '-o', 'json'],
  ]);

it('takes the name of a list in the profile wherever --list takes an id', async () => {
  expect((await set('list.News letter', '1')).exitCode).toBe(0);
  const made = await create('News letter');
  expect([made.exitCode, JSON.parse(made.stdout).list_id]).toEqual([0, 1]);
  const listed = await svc(['task', 'list', '--list', 'News letter', '-o', 'json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ list_id: 1 }]);
  const rule = ['--kind', 'subscription', '--action', 'notify', '--target', 'a@example.com', '--name', 'R'];
  const created = await svc(['automation', 'create', ...rule, '--list', 'News letter', '-o', 'json']);
  expect(JSON.parse(created.stdout)).toMatchObject({ list_id: 1 });
  const proof = await svc(['email', 'proof', '1', '--list', 'News letter', '--yes', '-o', 'json']);
  expect(JSON.parse(proof.stdout)).toMatchObject({ list_id: 1 });
});

it('refuses an unknown name, lists the known ones, and sends nothing', async () => {
  const none = await create('Nope');
  expect([none.exitCode, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toContain('svc profile set work list.NAME ID');
  await set('list.Newsletter', '1');
  await set('list.Club', '7');
  for (const run of [await create('Nope'), await svc(['email', 'proof', '1', '--list', 'Nope', '--yes'])]) {
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/is not the name of a list/);
    expect(run.stderr).toContain('Newsletter (1), Club (7)');
  }
  expect(writesIn(service.sent)).toEqual([]);
  // A name is exact.
  expect((await create('newsletter')).exitCode).toBe(2);
});

it.each([
  ['list.12', '1', 'is a number'],
  ['list.-3', '1', 'is a number'],
  ['list.', '1', 'is empty'],
  ['list.A', 'x', 'list.A must be the id of a list'],
  ['list.A', '0', 'list.A must be the id of a list'],
  [`list.${'a'.repeat(61)}`, '1', 'has more than 60 characters'],
])('profile set refuses %s %s', async (key, value, problem) => {
  const run = await set(key, value);
  expect([run.exitCode, run.stdout]).toEqual([2, '']);
  expect(run.stderr).toContain(problem);
});

it('shows the names in the profile, and an empty value removes one', async () => {
  await set('list.Newsletter', '1');
  await set('list.__proto__', '2');
  const shown = JSON.parse((await svc(['profile', 'show', 'work', '-o', 'json'])).stdout);
  expect(Object.entries(shown.lists)).toEqual([
    ['Newsletter', 1],
    ['__proto__', 2],
  ]);
  await set('list.__proto__', '');
  await set('list.Newsletter', '');
  expect(JSON.parse((await svc(['profile', 'show', 'work', '-o', 'json'])).stdout).lists).toBeNull();
});

it('shows the name of the list on the page of a report', async () => {
  await set('list.Newsletter', '1');
  const { id } = JSON.parse((await create('Newsletter')).stdout);
  const path = join(folder, 'report.html');
  expect((await svc(['task', 'report', String(id), '--html', path])).exitCode).toBe(0);
  expect(await readFile(path, 'utf8')).toContain('<dt>List</dt><dd>Newsletter (1)</dd>');
});

it('takes the names of the lists in sandbox commands', async () => {
  const own = await temporaryFolder();
  const sandbox = await runSandbox(own.path, { seed: 'demo' });
  try {
    const add = (...lists: readonly string[]) =>
      runCli(
        [
          ...[
            'sandbox',
            'subscriber',
            'create',
            '--email',
            'ada@example.com',
            '--data',
            own.path,
            '-o',
            'json',
          ],
          ...lists.flatMap((list) => ['--list', list]),
        ],
        { env: NOBODY },
      );
    const wrong = await add('Newsletter', 'Nope');
    expect([wrong.exitCode, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('Newsletter (1), Loyalty club (2)');
    const made = await add('Loyalty club', '3');
    expect(made.exitCode, made.stderr).toBe(0);
    const lists = JSON.parse(
      (await runCli(['sandbox', 'list', 'list', '--data', own.path, '-o', 'json'], { env: NOBODY })).stdout,
    );
    expect(lists.map(({ subscriptions }: { subscriptions: number }) => subscriptions)).toEqual([
      447, 193, 212,
    ]);
  } finally {
    await sandbox.stop();
    await own.remove();
  }
});
