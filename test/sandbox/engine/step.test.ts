/**
 * Each action runs at its own time, but a step performs many at once with few statements. The test plays random accounts twice: with one
 * recipient, reaction or action a step, and with large steps. All tables are the same afterwards.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Tables } from '../../../src/sandbox/store/schema/tables.ts';
import { applyForReal, randomAccount } from '../../rehearse/random-account.ts';
import { depth } from '../../support/depth.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../support/sandbox.ts';

const RUNS = depth('SVC_STEPS', { few: 4, full: 300 });
const FIRST = Number(process.env['SVC_STEP_SEED'] ?? 1);
const SPAN = 30 * 86_400;

const opened: TestSandbox[] = [];
afterEach(async () => {
  for (const { service } of opened.splice(0)) await service.store.close();
});

/** Tables that a step of the engine changes. */
const TABLES = [
  ...['account', 'delivery', 'departed_recipient', 'do_not_contact', 'former_recipient', 'log'],
  ...['queued_action', 'reaction', 'rule_action', 'setting', 'subscriber', 'subscription', 'task'],
  'task_recipient',
] as const satisfies readonly (keyof Tables)[];

async function played(seed: number, batch: number | undefined): Promise<Readonly<Record<string, unknown>>> {
  const sandbox = await createTestSandbox();
  opened.push(sandbox);
  const account = await randomAccount(sandbox, seed, { hasUnknown: seed % 2 === 0 });
  const { simulatedRecipients, zone } = account;
  await applyForReal(sandbox, account, { overwrite: false, prune: false, zone, madeAt: NOW });
  const options = {
    machineNow: () => NOW * 1000,
    simulatedRecipients,
    ...(batch === undefined ? {} : { batch }),
  };
  await advanceClockTo(sandbox.service.store, NOW + SPAN, options);
  const tables: Record<string, readonly SqlRow[]> = {};
  for (const table of TABLES) tables[table] = (await sandbox.rows(table)).toSorted(inOrder);
  // An action that one step both queues and performs is never stored, so it takes no id.
  tables['queued_action'] = tables['queued_action']?.map(({ id: _, ...row }) => row) ?? [];
  return tables;
}

const inOrder = (a: SqlRow, b: SqlRow): number =>
  Number(a['due'] ?? 0) - Number(b['due'] ?? 0) || Number(a['id'] ?? 0) - Number(b['id'] ?? 0);

describe('a large step', () => {
  const seeds = Array.from({ length: RUNS }, (_, index) => FIRST + index);
  let actions = 0;
  it.each(seeds)('has the effect of one action after the other (seed %i)', async (seed) => {
    const alone = await played(seed, 1);
    expect(await played(seed, undefined)).toEqual(alone);
    expect(await played(seed, 7)).toEqual(alone);
    actions += (alone['delivery'] as readonly unknown[]).length;
  });

  it('includes actions of rules', () => {
    expect(actions).toBeGreaterThan(RUNS);
  });
});
