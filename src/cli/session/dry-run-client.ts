/** Client for `--dry-run`: it reads, and shows each write instead of sending it. */
import type { Client } from '../../client/client.ts';
import { checkDeleteTarget } from '../../client/delete-target.ts';
import { checkRawRequest, type RawRequest } from '../../client/raw-request.ts';
import { maskBody } from '../../client/secret-attributes.ts';
import { bodyOf, resourceOf } from '../../journal/raw-request.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { fromWireName, type Naming } from '../../protocol/naming.ts';
import { pathOf, type Transport } from '../../protocol/wire.ts';
import type { Id } from '../../schema/integer.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import type { DryRun, PlannedChange } from './dry-run.ts';

/** Returns the client with each write checked as if it were sent. The write then ends the dry run. */
export function dryRunClient(client: Client, naming: Naming, { end }: DryRun): Client {
  return {
    ...client,
    create: async (resource, body) => end(postOf(resource, body)),
    update: async (resource, id, body) => end(putOf(resource, id, body)),
    remove: async (resource, by) => {
      checkDeleteTarget(resource, by);
      const { id } = by;
      if (id === undefined || id === null)
        return end({ method: 'DELETE', path: pathOf(resource.name), body: shown(by, resource) });
      return end({ method: 'DELETE', path: pathOf(resource.name, String(id)) });
    },
    raw: async (request) => {
      const { method } = request;
      if (method === 'GET' || method === 'HEAD') return client.raw(request);
      return end(rawOf(checkRawRequest(request), naming));
    },
  };
}

export const postOf = (resource: Resource, body: Values): PlannedChange => ({
  method: 'POST',
  path: pathOf(resource.name),
  body: shown(body, resource),
});

export const putOf = (resource: Resource, id: Id | undefined, body: Values): PlannedChange => ({
  method: 'PUT',
  path: pathOf(resource.name, id),
  body: shown(body, resource),
});

/** Stops every write below the clients, in case a client did not stop one. */
export function dryRunTransport(transport: Transport, { end }: DryRun): Transport {
  return async (request, signal) => {
    const { method, path } = request;
    return method === 'GET' || method === 'HEAD' ? transport(request, signal) : end({ method, path });
  };
}

const shown = (body: Values, resource: Resource): JsonObject => maskBody({ ...body }, resource);

/** Returns the request with its query. The body is shown as JSON if possible, because secrets are masked by attribute name. */
function rawOf(request: RawRequest, naming: Naming): PlannedChange {
  const { method, path, query = '', body } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return body === undefined
    ? { method, path: target }
    : { method, path: target, body: shownRaw(request, naming) };
}

/**
 * Returns the body for display. Vendor names stay; secrets are recognized by their neutral names. A body that is not a JSON object is not
 * shown, because it may hold a secret.
 */
function shownRaw(request: RawRequest, naming: Naming): Json {
  const parsed = bodyOf(request);
  if (parsed === null) return `${Buffer.byteLength(request.body ?? '')} octets that are no JSON object`;
  return maskBody(parsed, resourceOf(request.path), (name) => fromWireName(naming, name));
}
