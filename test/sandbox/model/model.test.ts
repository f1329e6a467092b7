import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { depth, tried } from '../../support/depth.ts';
import { openTestStore } from '../../support/store.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { compare } from './run.ts';
import { STEP_KINDS } from './steps.ts';

const RUNS = depth('SVC_RUNS', { few: 10, full: 2_000 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
const FILE_RUNS = Math.ceil(RUNS / 50);

it(`behaves like the model in ${RUNS} runs (SVC_SEED=${SEED} SVC_RUNS=${RUNS})`, async () => {
  const played = await compare({ runs: RUNS, seed: SEED, open: openTestStore });
  const { runs, steps, sent, loops } = played;
  console.log(`SVC_SEED=${SEED}: ${runs} runs, ${steps} steps, ${sent} messages, ${loops} loops stopped`);
  expect(runs).toBe(RUNS);
  // A step that never occurs would show nothing.
  const taken = STEP_KINDS.filter((kind) => (played.done.get(kind) ?? 0) > 0);
  if (RUNS >= 500) expect(taken).toEqual(STEP_KINDS);
  tried('X3', runs);
}, 600_000);

it(`behaves like the model with a file that every restart closes and opens, in ${FILE_RUNS} runs (SVC_SEED=${SEED})`, async () => {
  const folder = await makeTemporaryFolder('model');
  let files = 0;
  const path = (): string => join(folder, `${files}.db`);
  const open = () => {
    files += 1;
    return openStore(path());
  };
  const played = await compare({ runs: FILE_RUNS, seed: SEED, open, reopen: () => openStore(path()) });
  await rm(folder, { recursive: true, force: true });
  expect(played.runs).toBe(FILE_RUNS);
}, 600_000);
