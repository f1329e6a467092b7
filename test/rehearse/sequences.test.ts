/**
 * Acceptance, C5, and contract, "Rehearse" and "Sequences": the rehearsal of a sequence says when its steps reach people. Random sequences
 * are rehearsed, then applied for real in the same sandbox with the same audience and seed. The times are the same to the second.
 */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { audiencesOfCampaigns } from '../../src/features/rehearse/campaign-audiences.ts';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import { rehearse } from '../../src/features/rehearse/rehearse.ts';
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import { clientOf } from '../campaign/support.ts';
import { depth, tried } from '../support/depth.ts';
import { createTestSandbox, NOW } from '../support/sandbox.ts';
import { applyForReal } from './random-account.ts';
import { randomSequences, SPAN } from './random-sequences.ts';
import { stepsIn, stepsOf, stepsWaitedForIn, stepsWaitedForOf } from './steps.ts';

/** Campaigns with a step that reaches people. */
const CAMPAIGNS = depth('SVC_SEQUENCES', { few: 3, full: 1000 });
const FIRST = Number(process.env['SVC_SEED'] ?? 1);

it(`predicts the steps of ${CAMPAIGNS} sequences from seed ${FIRST}`, { timeout: 1e9 }, async () => {
  let found = 0;
  let empty = 0;
  for (let seed = FIRST; found < CAMPAIGNS; seed += 1) {
    const sandbox = await createTestSandbox();
    const { campaign, zone, simulatedRecipients } = await randomSequences(sandbox, seed);
    const options = { overwrite: false, prune: false, zone, madeAt: NOW };
    const { copy, ...known } = await readAccountCopy(clientOf(sandbox), {
      campaigns: audiencesOfCampaigns([campaign]),
    });
    const story = await rehearse(copy, [{ campaign, options, file: 'random.yaml' }], {
      ...{ random: randomBytes, signal: new AbortController().signal },
      ...{ simulatedRecipients, maxDuration: SPAN, minGap: 86_400, ...known },
    });
    const refused = await applyForReal(sandbox, { campaign }, options);
    await advanceClockTo(sandbox.service.store, NOW + SPAN, {
      machineNow: () => NOW * 1000,
      simulatedRecipients,
    });
    const happened = await stepsIn(sandbox, zone);
    expect([seed, refused]).toEqual([seed, []]);
    expect([seed, stepsOf(story)]).toEqual([seed, happened]);
    expect([seed, stepsWaitedForOf(story)]).toEqual([seed, await stepsWaitedForIn(sandbox)]);
    await sandbox.service.store.close();
    if (Object.keys(happened).length > 0) found += 1;
    else empty += 1;
  }
  // In some campaigns nobody joins, or a person paused the sequence.
  expect(empty).toBeLessThan(Math.max(20, CAMPAIGNS));
  tried('C5', CAMPAIGNS);
});
