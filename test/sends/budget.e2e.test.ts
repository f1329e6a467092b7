/** Contract, "Budgets": budgets are "checked before every send, whoever asks". Processes share one ledger. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const DUE = 1_796_115_600;
const run = promisify(execFile);
let entry: string;
let home: string;
beforeAll(async () => {
  entry = await bundleForNode('src/sends/counted-client.ts');
  home = await makeTemporaryFolder('budget');
});
afterAll(async () => {
  await rm(dirname(entry), { recursive: true });
  await rm(home, { recursive: true });
});

/** Makes tasks of 3 recipients, and prints how many it made. With `hangs`, the service never answers. */
const script = (tries: number, hangs = false): string => `
  process.umask(0);
  const { createCounter } = await import(process.argv[1]);
  let made = 0;
  const size = 3;
  const client = {
    list: async function* () { yield { size }; },
    get: async () => undefined,
    create: async (resource, body, { beforeAttempt }) => {
      await beforeAttempt();
      if (${hangs}) { console.log('sent'); await new Promise((resolve) => setTimeout(resolve, 60_000)); }
      made += 1;
      return { id: process.pid * 1000 + made, channel: 'email', size, scheduledtime: ${DUE} };
    },
  };
  const counter = createCounter({
    budget: { 'recipients-per-day': 100 },
    zone: 'UTC',
    account: 'prod 1 https://api.example.com',
    place: { folder: process.argv[2], platform: 'linux' },
    newId: () => crypto.randomUUID(),
    latestNow: async () => ${DUE} - 3600,
  });
  const counted = counter.counted(client, true);
  let refused = 0;
  for (let each = 0; each < ${tries}; each += 1)
    await counted
      .create({ name: 'task' }, { channel: 'email', list_id: 1, message_id: 1, scheduledtime: ${DUE} })
      .catch((error) => { if (error.kind !== 'over-budget') throw error; refused += 1; });
  console.log(JSON.stringify({ made, refused }));
`;
const argv = (text: string, folder: string): readonly string[] => [
  '--input-type=module',
  '-e',
  text,
  entry,
  folder,
];

it('three processes at once never exceed the budget, and use all of it', async () => {
  const folder = join(home, 'at-once');
  const runs = await Promise.all([1, 2, 3].map(() => run(process.execPath, [...argv(script(20), folder)])));
  const counts = runs.map(({ stdout }) => JSON.parse(stdout) as { made: number; refused: number });
  expect(counts.reduce((sum, { made }) => sum + made, 0)).toBe(33);
  expect(counts.reduce((sum, { refused }) => sum + refused, 0)).toBe(27);
  const { shares } = JSON.parse(await readFile(join(folder, 'ledger.json'), 'utf8'));
  expect(shares).toHaveLength(33);
  expect(shares.every(({ state }: { state: string }) => state === 'counted')).toBe(true);
  expect((await stat(join(folder, 'ledger.json'))).mode & 0o777).toBe(0o600);
});

it('a process that is killed between the request and its answer keeps its share', async () => {
  const folder = join(home, 'killed');
  const child = spawn(process.execPath, [...argv(script(1, true), folder)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const { stdout } = await run(process.execPath, [...argv(script(40), folder)]);
  expect(JSON.parse(stdout)).toEqual({ made: 32, refused: 8 });
});
