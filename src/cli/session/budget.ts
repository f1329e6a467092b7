/**
 * Counts all sends against the budget of the profile in use (contract, "Budgets"). The count happens in the client that sends the requests,
 * so that no verb can leave out the count.
 */
import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { stateDirOf } from '../../files/directories.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { SendBudgetCounter } from '../../sends/counted-client.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';
import { findSendKindOfRawRequest } from './approvals.ts';
import type { Clocks } from './clocks.ts';

interface CounterParts {
  readonly context: Context;
  readonly resolved: () => Promise<ResolvedCredentials>;
  readonly clocks: Pick<Clocks, 'companyZone' | 'latestNow'>;
  readonly isDryRun: boolean;
}

/** Opens the counter of sends in the profile's budget. Returns undefined if the profile has no budget, or if the run is a dry run. */
export async function openSendBudgetCounter(parts: CounterParts): Promise<SendBudgetCounter | undefined> {
  const { context, resolved, clocks, isDryRun } = parts;
  const { profile, credentials, origin } = await resolved();
  if (profile?.budget === undefined || isDryRun) return undefined;
  const { createSendBudgetCounter } = await import('../../sends/counted-client.ts');
  const { env, homeDir, platform, cwd, random } = context;
  const state = stateDirOf(env, homeDir, platform);
  return createSendBudgetCounter({
    budget: profile.budget,
    zone: await clocks.companyZone(),
    account: `${profile.name} ${String(credentials.companyId)} ${origin}`,
    place: { folder: state === '' ? undefined : join(resolve(cwd, state), 'budget'), platform },
    newId: () => Buffer.from(random(12)).toString('hex'),
    latestNow: clocks.latestNow,
  });
}

interface ClientParts {
  readonly counter: () => Promise<SendBudgetCounter | undefined>;
  readonly naming: () => Promise<Naming>;
  /**
   * True if the caller checks each new or changed task against the profile's budget. If false and the budget limits recipients or credits,
   * the client refuses to create a task or to change a task's recipients.
   */
  readonly isChecked: boolean;
}

/**
 * Returns a client that counts its sends in the profile's budget. The client refuses a raw request that may send messages, because it can't
 * count them.
 */
export function createBudgetCountingClient(
  client: Client,
  { counter, naming, isChecked }: ClientParts,
): Client {
  const counted = async (): Promise<Client> =>
    (await counter())?.createCountingClient(client, isChecked) ?? client;
  return {
    ...client,
    create: async (...given) => (await counted()).create(...given),
    update: async (...given) => (await counted()).update(...given),
    raw: async (request) => {
      const sending = findSendKindOfRawRequest(request, await naming());
      if ((sending === 'tasks' || sending === 'sms') && (await counter()))
        throw new UsageError(
          'budget: svc cannot count what a raw request (svc api) would send; nothing was sent',
          {
            hint: 'use svc task create, svc task update, svc sms send or svc apply',
          },
        );
      return client.raw(request);
    },
  };
}
