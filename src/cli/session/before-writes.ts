/** Runs a check before each write of a client, whatever verb makes it. */
import type { Client } from '../../client/client.ts';
import { type ClientWrite, type WriteMethod, wrapClientWrites } from '../../client/decorate.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Naming } from '../../protocol/naming.ts';
import { API_PREFIX, type Transport } from '../../protocol/wire.ts';
import { resourceNamed } from '../../resources/catalogue.ts';
import type { Resource } from '../../schema/resource.ts';
import { UsageError } from '../errors/errors.ts';
import type { AccountAnnouncementOptions } from './account-words.ts';
import { findSendKindOfRawRequest, findSendKindOfWrite, type SendKind } from './approvals.ts';

/** Write that is about to be sent. */
export interface WriteRequestBeforeSending extends AccountAnnouncementOptions {
  /** Way in which the write may send messages to people. Undefined if it sends none. */
  readonly sendKind?: SendKind | undefined;
}

/** Returns a client that calls `before` ahead of each write. If `before` throws, the write is not sent. */
export const createWriteCheckingClient = (
  client: Client,
  naming: () => Promise<Naming>,
  before: (write: WriteRequestBeforeSending) => Promise<void>,
): Client =>
  wrapClientWrites(client, async (write, send) => {
    await before(await pendingWriteOf(write, naming));
    return send();
  });

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

/**
 * Reports whether a write belongs to no company, such as the POST of a new account by a partner. svc then prints no company name before it.
 */
const concernsNoCompany = (method: WriteMethod, resource: Resource | undefined): boolean =>
  method === 'POST' && (resource?.methods.post?.withoutCompany ?? false);

/** Refuses writes with a read-only profile, whatever the flags (contract, "Partners and many companies"). */
export function refuseWriteIfReadOnly(profile: Profile | undefined): void {
  if (!profile?.readOnly) return;
  throw new UsageError(`profile ${profile.name} is read-only; nothing was sent`, {
    hint: `to allow writes, run svc profile set ${profile.name} read-only false`,
  });
}

/** Returns a transport that refuses writes of a read-only profile, in case a client did not refuse them. */
export function createReadOnlyTransport(transport: Transport, profile: Profile): Transport {
  return async (request, signal) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseWriteIfReadOnly(profile);
    return transport(request, signal);
  };
}
