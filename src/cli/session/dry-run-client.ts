/** What `--dry-run` puts in the place of the client: it reads, and shows each write in place of sending it. */
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
import type { DryRun, Planned } from './dry-run.ts';

/** The same client; each of its writes is checked as far as it is before it is sent, and ends the dry run. */
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

export const postOf = (resource: Resource, body: Values): Planned => ({
  method: 'POST',
  path: pathOf(resource.name),
  body: shown(body, resource),
});

export const putOf = (resource: Resource, id: Id | undefined, body: Values): Planned => ({
  method: 'PUT',
  path: pathOf(resource.name, id),
  body: shown(body, resource),
});

/** Behind everything: a write that no client stopped is not sent either. */
export function dryRunTransport(transport: Transport, { end }: DryRun): Transport {
  return async (request, signal) => {
    const { method, path } = request;
    return method === 'GET' || method === 'HEAD' ? transport(request, signal) : end({ method, path });
  };
}

const shown = (body: Values, resource: Resource): JsonObject => maskBody({ ...body }, resource);

/** With its query, and its body as JSON where it is some: secrets are known by their names there. */
function rawOf(request: RawRequest, naming: Naming): Planned {
  const { method, path, query = '', body } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return body === undefined
    ? { method, path: target }
    : { method, path: target, body: shownRaw(request, naming) };
}

/** Vendor names stay; a secret is known by the neutral one. What is no JSON object is not shown: it may hold one. */
function shownRaw(request: RawRequest, naming: Naming): Json {
  const parsed = bodyOf(request);
  if (parsed === null) return `${Buffer.byteLength(request.body ?? '')} octets that are no JSON object`;
  return maskBody(parsed, resourceOf(request.path), (name) => fromWireName(naming, name));
}
