/** Runs the copy of an account as a service in memory, without a port or a file. The caller moves the clock of this service. */

import type { Client } from '../../client/requests/client.ts';
import type { SendDependencies } from '../../client/sends/ports.ts';
import { setClockMode } from '../../sandbox/engine/clock.ts';
import { advanceClockTo } from '../../sandbox/engine/tick.ts';
import { type AccountCopy, seedAccountCopy } from '../../sandbox/seed/copied-account.ts';
import { createService } from '../../sandbox/service.ts';
import { listCompanies } from '../../sandbox/store/accounts.ts';
import { type Db, openStore, type Store } from '../../sandbox/store/open.ts';
import type { SimulatedRecipientSettings } from '../../service/protocol/control/audience.ts';
import { applyCampaign } from '../campaign/apply/apply.ts';
import type { Campaign } from '../campaign/model.ts';
import { readAllRecordsForCampaign } from '../campaign/observe.ts';
import { planCampaign } from '../campaign/plan/plan.ts';
import type { PlanOptions } from '../campaign/plan/situation.ts';

export interface ServiceWithAccountCopy {
  readonly store: Store;
  readonly companyId: number;
  readonly client: Client;
  /** @throws CampaignError, ClientError, SendError */
  readonly apply: (campaign: Campaign, options: PlanOptions) => Promise<AppliedSteps>;
  /** Performs everything that is due until `time` (Unix seconds). @throws the signal's reason */
  readonly advanceTo: (time: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export type AppliedSteps = Awaited<ReturnType<typeof applyCampaign>>;

export interface ServiceWithAccountCopyOptions {
  readonly random: (octets: number) => Uint8Array;
  readonly signal: AbortSignal;
  readonly simulatedRecipients: SimulatedRecipientSettings;
  /** A copy without it is in memory. */
  readonly database?: string | undefined;
}

export async function startServiceWithAccountCopy(
  copy: AccountCopy,
  { database = ':memory:', ...options }: ServiceWithAccountCopyOptions,
): Promise<ServiceWithAccountCopy> {
  const { at, userId } = copy;
  const seed = (db: Db) => seedAccountCopy({ db, random: options.random }, copy);
  return startSeededService(await openStore(database), { at, userId, seed }, options);
}

export interface SeededAccount {
  /** Unix seconds that the clock of the service shows at first. */
  readonly at: number;
  /** Requests to the service are made as this user of the first company. */
  readonly userId: number;
  readonly seed: (db: Db) => Promise<void>;
}

/** Closes the store if it fails. */
export async function startSeededService<S extends Store>(
  store: S,
  { at, userId, seed }: SeededAccount,
  { random, signal, simulatedRecipients }: Omit<ServiceWithAccountCopyOptions, 'database'>,
): Promise<ServiceWithAccountCopy & { readonly store: S }> {
  try {
    const start = at * 1000;
    let now = start;
    await store.transaction(async (db) => {
      await seed(db);
      await setClockMode(db, 'manual', start);
    });
    const [company] = await listCompanies(store.db);
    if (!company) throw new RangeError('the copy has no company');
    const outside = {
      machineNow: () => start,
      random,
      trackingBaseUrl: () => 'http://localhost',
      report: throwError,
    };
    const service = createService(store, outside);
    const clock = { now: () => now, sleep: async () => undefined };
    // A static import would load the client at every start of svc.
    const { createClient } = await import('../../client/requests/client.ts');
    const client = createClient({
      credentials: { kind: 'company', companyId: company.id, userId, apiKey: company.api_key },
      transport: (request) => service.handle(request),
      random,
      clock,
      serviceClockAlone: true,
      signal,
    });
    return {
      store,
      companyId: company.id,
      client,
      apply: async (campaign, options) => {
        const observed = await readAllRecordsForCampaign(client, campaign, options.adopt);
        return applyCampaign(planCampaign(campaign, observed, options), {
          client,
          sends: portsOf(client, clock, signal),
          note: async () => undefined,
          begin: async () => signal.throwIfAborted(),
          end: async () => undefined,
        });
      },
      advanceTo: async (time) => {
        await advanceClockTo(store, time, { machineNow: () => start, signal, simulatedRecipients }).catch(
          (error) => {
            signal.throwIfAborted();
            throw error;
          },
        );
        now = time * 1000;
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function throwError(_id: string, error: unknown): never {
  throw error;
}

/** The countdown before a send ends at once, because the copy sends no real messages. */
const portsOf = (
  client: Client,
  clock: SendDependencies['clock'],
  signal: AbortSignal,
): SendDependencies => ({
  clientWith: async () => client,
  signal,
  clock,
  latestNow: async () => client.latestTime() ?? 0,
  warn: async () => undefined,
  info: async () => undefined,
  withSignalGuard: (work) => work(),
  secondInterrupt: () => undefined,
  countDown: async () => undefined,
  uncaughtError: () => undefined,
});
