/** Runs a check before each write of a client, whatever verb makes it. */
import type { Client } from '../../client/client.ts';
import { aroundWrites, type ClientWrite, type WriteMethod } from '../../client/decorate.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Naming } from '../../protocol/naming.ts';
import { API_PREFIX, type Transport } from '../../protocol/wire.ts';
import { resourceNamed } from '../../resources/catalogue.ts';
import type { Resource } from '../../schema/resource.ts';
import { UsageError } from '../errors/errors.ts';
import type { AnnouncedWrite } from './account-words.ts';
import { rawWayOfSending, type WayOfSending, wayOfSending } from './approvals.ts';

/** Write that is about to be sent. */
export interface ComingWrite extends AnnouncedWrite {
  /** Way in which the write may cause messages to people. Undefined if it causes none. */
  readonly sending?: WayOfSending | undefined;
}

/** Returns a client that calls `before` ahead of each write. If `before` throws, the write is not sent. */
export const beforeWrites = (
  client: Client,
  naming: () => Promise<Naming>,
  before: (write: ComingWrite) => Promise<void>,
): Client =>
  aroundWrites(client, async (write, send) => {
    await before(await comingWrite(write, naming));
    return send();
  });

async function comingWrite(write: ClientWrite, naming: () => Promise<Naming>): Promise<ComingWrite> {
  const { request } = write;
  if (request) {
    const resource = resourceNamed(request.path.slice(API_PREFIX.length));
    return {
      withoutCompany: isAlone(request.method, resource),
      sending: rawWayOfSending(request, await naming()),
    };
  }
  const { method, resource, body } = write;
  return { withoutCompany: isAlone(method, resource), sending: wayOfSending(resource, method, body) };
}

/** Reports whether the write needs no company. */
const isAlone = (method: WriteMethod, resource: Resource | undefined): boolean =>
  method === 'POST' && (resource?.methods.post?.withoutCompany ?? false);

/** Refuses writes with a read-only profile, whatever the flags (contract, "Partners and many companies"). */
export function refuseReadOnly(profile: Profile | undefined): void {
  if (!profile?.readOnly) return;
  throw new UsageError(`profile ${profile.name} is read-only; nothing was sent`, {
    hint: `to allow writes, run svc profile set ${profile.name} read-only false`,
  });
}

/** Refuses writes below every client of a read-only profile, in case a client did not stop one. */
export function readOnlyTransport(transport: Transport, profile: Profile): Transport {
  return async (request, signal) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') refuseReadOnly(profile);
    return transport(request, signal);
  };
}
