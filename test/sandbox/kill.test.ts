import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/sandbox/store/open.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth } from '../support/depth.ts';
import { fillLargeSend } from '../support/large-send.ts';
import { NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const KILLS = depth('SVC_KILLS', { few: 10, full: 100 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
const RECIPIENTS = 50_000;
const LEFT_OUT = 500;
const SPARE = 7;
/** Ten times the steps that a task of this size takes otherwise. */
const BATCH = 500;
/** Milliseconds that a process lives at most, from its start or from when its store is open. */
const LONGEST = { start: 250, open: 120 };

let folder: string;
let runner: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('kill');
  runner = await bundleForNode(new URL('kill-runner.ts', import.meta.url).pathname);
  const store = await openStore(join(folder, 'template.db'));
  await fillLargeSend(store, { recipients: RECIPIENTS, leftOut: LEFT_OUT, spare: SPARE, now: NOW });
  await store.close();
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(dirname(runner), { recursive: true, force: true });
});

it(`${KILLS} kills: each of ${RECIPIENTS} recipients gets one message, and credits and counters say so (SVC_SEED=${SEED})`, async () => {
  const points = fc.sample(
    fc.record({ isAtStart: fc.nat(4).map((n) => n === 0), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
    { seed: SEED, numRuns: KILLS },
  );
  const kills: number[] = [];
  let sends = 0;
  while (points.length > 0) {
    const path = join(folder, `${sends}.db`);
    await copyFile(join(folder, 'template.db'), path);
    kills.push(await sendKilling(path, points));
    expect(await countSent(path)).toEqual(ALL_SENT);
    sends += 1;
  }
  process.stdout.write(`${kills.reduce((a, b) => a + b, 0)} kills in ${sends} sends: ${kills.join(', ')}\n`);
  expect(kills.reduce((a, b) => a + b, 0)).toBe(KILLS);
}, 600_000);

interface KillPoint {
  readonly isAtStart: boolean;
  /** Of the longest life. */
  readonly part: number;
}

/** Runs until everything is sent, with as many of the kills as fall into it. Returns how many did. */
async function sendKilling(path: string, points: KillPoint[]): Promise<number> {
  for (let kills = 0; ; ) {
    const child = spawn(process.execPath, [runner, path, String(NOW + 60), String(BATCH)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const point = points[0];
    if (point) {
      if (!point.isAtStart) await Promise.race([said(child, 'open'), ended]);
      await Promise.race([pass(point.part * LONGEST[point.isAtStart ? 'start' : 'open']), ended]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    if (signal !== 'SIGKILL') {
      expect(code).toBe(0);
      return kills;
    }
    points.shift();
    kills += 1;
  }
}

/** Once it has said so; goes on reading, or the child could not write any more. */
function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes(word)) resolve();
    });
  });
}

const ALL_SENT = {
  rows: RECIPIENTS,
  people: RECIPIENTS,
  addresses: RECIPIENTS,
  wrong: 0,
  first: NOW,
  last: NOW,
  size: RECIPIENTS + 2 * LEFT_OUT,
  sent: RECIPIENTS,
  skipped: 2 * LEFT_OUT,
  credits: RECIPIENTS,
  completed: 1,
  cancelled: 0,
  endtime: NOW,
  due: null,
  statistics: 0,
  balance: SPARE,
  logged: 0,
  clock: NOW + 60,
};

async function countSent(path: string): Promise<Record<string, number | null> | undefined> {
  const store = await openStore(path);
  const query = sql<
    Record<string, number | null>
  >`select r.*, size, sent, skipped, credits, completed, cancelled,
      endtime, due, emailuniquebounces + emailuniqueclicks + emailuniqueopens + emailuniqueunsubscriptions
      + emailuniquecomplaints as statistics, (select emailcreditbalance from account) as balance,
      (select count(*) from log) as logged,
      (select cast(value as integer) from setting where key = 'clock.time') as clock
    from task, (select count(*) as rows, count(distinct subscriber_id) as people,
      count(distinct address) as addresses, sum(address not like '%@example.com') as wrong,
      min(senttime) as first, max(senttime) as last from task_recipient) r`;
  const [counted] = (await query.execute(store.db)).rows;
  await store.close();
  return counted;
}
