/** Runs the checks before each write of a client, whatever verb makes it, and counts all sends against the budget (contract, "Budgets"). */

import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { type ClientWrite, type WriteMethod, wrapClientWrites } from '../../client/decorate.ts';
import { stateDirOf } from '../../files/directories.ts';
import type { ResolvedCredentials } from '../../profiles/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Naming } from '../../protocol/naming.ts';
import { API_PREFIX, type Transport } from '../../protocol/wire.ts';
import { resourceNamed } from '../../resources/catalogue.ts';
import type { Resource } from '../../schema/resource.ts';
import type { LedgerLocation } from '../../sends/budget.ts';
import type { SendBudgetCounter } from '../../sends/counted-client.ts';
import { UsageError } from '../errors/errors.ts';
import type { Context } from '../outside/context.ts';
import type { AccountAnnouncementOptions } from './account-words.ts';
import { findSendKindOfRawRequest, findSendKindOfWrite, type SendKind } from './approvals.ts';
import type { Clocks } from './clocks.ts';

export interface WriteRequestBeforeSending extends AccountAnnouncementOptions {
  /** Undefined if it sends none. */
  readonly sendKind?: SendKind | undefined;
}

/** If `before` throws, the write is not sent. A write that would send one of the `secrets`, such as the API key, is not sent either. */
export const createWriteCheckingClient = (
  client: Client,
  {
    naming,
    secrets,
    before,
  }: {
    readonly naming: () => Promise<Naming>;
    readonly secrets: () => Promise<readonly string[]>;
    readonly before: (write: WriteRequestBeforeSending) => Promise<void>;
  },
): Client =>
  wrapClientWrites(client, async (write, send) => {
    refuseSecrets(write, await secrets());
    await before(await pendingWriteOf(write, naming));
    return send();
  });

/** Refuses a write whose body holds a key: a file with the key was probably named by mistake. */
function refuseSecrets(write: ClientWrite, secrets: readonly string[]): void {
  const texts = write.request === undefined ? Object.values(write.body) : [write.request.body];
  const holdsOne = (text: unknown): boolean =>
    typeof text === 'string' && secrets.some((secret) => text.includes(secret));
  if (!texts.some(holdsOne)) return;
  throw new UsageError('the request would send an API key or a token of svc; nothing was sent', {
    hint: 'remove the key from the content, and get a new key if others may have seen it',
  });
}

async function pendingWriteOf(
  write: ClientWrite,
  naming: () => Promise<Naming>,
): Promise<WriteRequestBeforeSending> {
  const { request } = write;
  if (request) {
    const resource = resourceNamed(request.path.slice(API_PREFIX.length));
    return {
      withoutCompany: concernsNoCompany(request.method, resource),
      sendKind: findSendKindOfRawRequest(request, await naming()),
    };
  }
  const { method, resource, body } = write;
  return {
    withoutCompany: concernsNoCompany(method, resource),
    sendKind: findSendKindOfWrite(resource, method, body),
  };
}

const concernsNoCompany = (method: WriteMethod, resource: Resource | undefined): boolean =>
  method === 'POST' && (resource?.methods.post?.withoutCompany ?? false);

/** Refuses writes with a read-only profile, whatever the flags (contract, "Partners and many companies"). */
export function refuseWriteIfReadOnly(profile: Profile | undefined): void {
  if (!profile?.readOnly) return;
  throw new UsageError(`profile ${profile.name} is read-only; nothing was sent`, {
    hint: 'to make changes, ask the owner of the profile',
  });
}

export function createReadOnlyTransport(transport: Transport, profile: Profile): Transport {
  return async (request, signal) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseWriteIfReadOnly(profile);
    return transport(request, signal);
  };
}

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
  const { createSendBudgetCounter, budgetAccount } = await import('../../sends/counted-client.ts');
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

/** @param isChecked whether the caller checks each new or changed task against the budget (`RecordingClientOptions`) */
export function createBudgetCountingClient(
  client: Client,
  {
    counter,
    naming,
    isChecked,
  }: {
    readonly counter: () => Promise<SendBudgetCounter | undefined>;
    readonly naming: () => Promise<Naming>;
    readonly isChecked: boolean;
  },
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
