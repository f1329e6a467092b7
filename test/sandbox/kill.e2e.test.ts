import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/sandbox/store/open.ts';
import { readSetting } from '../../src/sandbox/store/settings.ts';
import { bundleForNode } from '../support/bundle.ts';
import { depth } from '../support/depth.ts';
import { countsOfAllSent, fillLargeSend, sentCounts } from '../support/large-send.ts';
import { NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const KILLS = depth('SVC_KILLS', { few: 10, full: 100 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
const RECIPIENTS = 50_000;
const SEND = { recipients: RECIPIENTS, leftOut: 500, spare: 7, now: NOW };
/** A small batch, with which a task of this size takes ten times as many steps as usual. */
const BATCH = 500;
/** The maximum life of a process in milliseconds, from its start or from the opening of its store. */
const LONGEST = { start: 250, open: 120 };

let folder: string;
let runner: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('kill');
  runner = await bundleForNode(new URL('kill-runner.ts', import.meta.url).pathname);
  const store = await openStore(join(folder, 'template.db'));
  await fillLargeSend(store, SEND);
  await store.close();
});
afterAll(async () => {
  await removeFolder(folder);
  await removeFolder(dirname(runner));
});

it(`after ${KILLS} kills each of ${RECIPIENTS} recipients has one message, and credits and counters agree (SVC_SEED=${SEED})`, async () => {
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
  /** The share of the longest life. */
  readonly part: number;
}

/** Runs until everything is sent, and kills the process at the given points that occur before. Returns the number of kills. */
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

/** Waits for a word of the child, and continues to read, because the child could not write otherwise. */
function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes(word)) resolve();
    });
  });
}

/** The expected counts, with the clock, which ends at the requested time. */
const ALL_SENT = { ...countsOfAllSent(SEND), clock: NOW + 60 };

async function countSent(path: string): Promise<Record<string, number | null>> {
  const store = await openStore(path);
  const clock = Number(await readSetting(store.db, 'clock.time'));
  const counted = { ...(await sentCounts(store)), clock };
  await store.close();
  return counted;
}
