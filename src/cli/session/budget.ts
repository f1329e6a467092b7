/** The budget of the profile, and the folder of its ledger. */

import { join, resolve } from 'node:path';
import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import type { LedgerLocation } from '../../client/sends/budget.ts';
import type { SendBudgetCounter } from '../../client/sends/budget-counter.ts';
import { stateDirOf } from '../../kit/files/directories.ts';
import type { Context } from '../outside/context.ts';
import type { Clocks } from './ports.ts';

/** Returns undefined if the profile has no budget, or if the run is a dry run. */
export async function openSendBudgetCounter({
  context,
  resolved,
  clocks,
  isDryRun,
}: {
  readonly context: Context;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly clocks: Pick<Clocks, 'budgetZone' | 'latestNow' | 'earliestNow'>;
  readonly isDryRun: boolean;
}): Promise<SendBudgetCounter | undefined> {
  const { profile, credentials, origin } = await resolved();
  if (profile?.budget === undefined || isDryRun) return undefined;
  const { createSendBudgetCounter, budgetAccount } = await import('../../client/sends/budget-counter.ts');
  return createSendBudgetCounter({
    budget: profile.budget,
    zone: clocks.budgetZone,
    account: budgetAccount(profile.name, credentials.companyId, origin),
    place: budgetLedgerLocation(context),
    newId: () => newLedgerId(context),
    latestNow: clocks.latestNow,
    earliestNow: clocks.earliestNow,
  });
}

export function budgetLedgerLocation({ env, homeDir, platform, cwd }: Context): LedgerLocation {
  const state = stateDirOf(env, homeDir, platform);
  return { folder: state === '' ? undefined : join(resolve(cwd, state), 'budget'), platform };
}

export const newLedgerId = ({ random }: Pick<Context, 'random'>): string =>
  Buffer.from(random(12)).toString('hex');
