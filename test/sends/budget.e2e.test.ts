/** Acceptance, C7, and contract, "Budgets": budgets are "checked before every send, whoever asks". Processes share one ledger. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChance } from '../client/simulation-world.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const ROUNDS = depth('SVC_BUDGETS', { few: 2, full: 60 });
const DUE = 1_796_115_600;
const run = promisify(execFile);
let entry: string;
let home: string;
beforeAll(async () => {
  entry = await bundleForNode('src/client/sends/budget-counter.ts');
  home = await makeTemporaryFolder('budget');
});
afterAll(async () => {
  await removeFolder(dirname(entry));
  await removeFolder(home);
});

/**
 * A script that makes tasks of 3 recipients, prints each on stderr, and finally prints their number. With `hangs`, the service never
 * responds.
 */
const script = (tries: number, hangs = false): string => `
  process.umask(0);
  const { writeSync } = await import('node:fs');
  const { createSendBudgetCounter } = await import(process.argv[1]);
  let made = 0;
  const size = 3;
  const client = {
    list: async function* () { yield { size }; },
    get: async () => undefined,
  };
  const service = async ({ options }) => {
    await options.beforeAttempt();
    if (${hangs}) { console.log('sent'); await new Promise((resolve) => setTimeout(resolve, 60_000)); }
    made += 1;
    writeSync(2, 'made\\n');
    return { record: { id: process.pid * 1000 + made, channel: 'email', size, scheduledtime: ${DUE} } };
  };
  const counter = createSendBudgetCounter({
    budget: { 'recipients-per-day': 100 },
    zone: async () => 'UTC',
    account: 'prod 1 https://api.example.com',
    place: { folder: process.argv[2], platform: 'linux' },
    newId: () => crypto.randomUUID(),
    latestNow: async () => ${DUE} - 3600,
    earliestNow: async () => ${DUE} - 3600,
  });
  const send = counter.stage(client, true)(service);
  let refused = 0;
  for (let each = 0; each < ${tries}; each += 1)
    await send({
      method: 'POST',
      resource: { name: 'task' },
      body: { channel: 'email', list_id: 1, message_id: 1, scheduledtime: ${DUE} },
    })
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

it('a process that is killed between the request and its response keeps its share', async () => {
  const folder = join(home, 'killed');
  const child = spawn(process.execPath, [...argv(script(1, true), folder)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(() => {
    throw new Error('the process ended before it sent');
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  child.kill('SIGKILL');
  await once(child, 'close');
  const { stdout } = await run(process.execPath, [...argv(script(40), folder)]);
  expect(JSON.parse(stdout)).toEqual({ made: 32, refused: 8 });
});

// The service counts the performed sends, because a killed process cannot report them.
it(`C7: in ${ROUNDS} rounds two processes at once, of which one is killed, never exceed the budget (SVC_SEED=${SEED})`, async () => {
  const chance = createChance(SEED);
  let kills = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const folder = join(home, `round-${round}`);
    const killAt = Math.ceil(chance.between(0, 12));
    let made = 0;
    let wasKilled = false;
    const start = async (isVictim: boolean): Promise<void> => {
      const child = spawn(process.execPath, [...argv(script(12), folder)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let own = 0;
      child.stderr.on('data', (chunk: Buffer) => {
        const count = chunk.toString('utf8').split('made').length - 1;
        own += count;
        made += count;
        if (isVictim && own >= killAt && child.kill('SIGKILL')) wasKilled = true;
      });
      await once(child, 'close');
    };
    await Promise.all([start(true), start(false)]);
    kills += wasKilled ? 1 : 0;
    const { stdout } = await run(process.execPath, [...argv(script(40), folder)]);
    const total = made + JSON.parse(stdout).made;
    // A killed process may have reserved a share that it never used.
    expect([round, SEED, total]).toEqual([
      round,
      SEED,
      expect.toSatisfy((all: number) => all <= 33 && all >= 32),
    ]);
  }
  process.stdout.write(`${kills} kills in ${ROUNDS} rounds\n`);
  if (ROUNDS > 10) expect(kills).toBeGreaterThan(ROUNDS / 3);
  tried('C7', ROUNDS);
});
