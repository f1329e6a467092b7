/** Runs a check before each write of a client, whatever verb makes it. */
import type { Client } from '../../client/client.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Naming } from '../../protocol/naming.ts';
import { API_PREFIX, type Transport } from '../../protocol/wire.ts';
import { resourceNamed } from '../../resources/catalogue.ts';
import { UsageError } from '../errors/errors.ts';
import type { AnnouncedWrite } from './account-words.ts';
import { requestSending, sendingOf, type WayOfSending } from './approvals.ts';

/** Write that is about to be sent. */
export interface ComingWrite extends AnnouncedWrite {
  /** Way in which people may get a message from it. */
  readonly sending?: WayOfSending | undefined;
}

/** Returns the client with `before` called ahead of each write. If `before` throws, nothing is sent. */
export function beforeWrites(
  client: Client,
  naming: () => Promise<Naming>,
  before: (write: ComingWrite) => Promise<void>,
): Client {
  return {
    ...client,
    create: async (resource, body, ...given) => {
      const withoutCompany = resource.methods.post?.withoutCompany ?? false;
      await before({ withoutCompany, sending: sendingOf(resource, 'POST', body) });
      return client.create(resource, body, ...given);
    },
    update: async (resource, id, body, ...given) => {
      await before({ sending: sendingOf(resource, 'PUT', body) });
      return client.update(resource, id, body, ...given);
    },
    remove: async (...given) => {
      await before({});
      return client.remove(...given);
    },
    raw: async (request) => {
      const { method, path } = request;
      if (method === 'GET' || method === 'HEAD') return client.raw(request);
      const resource = resourceNamed(path.slice(API_PREFIX.length));
      await before({
        withoutCompany: method === 'POST' && (resource?.methods.post?.withoutCompany ?? false),
        sending: requestSending(request, await naming()),
      });
      return client.raw(request);
    },
  };
}

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
