/** Describes a write that a dry run does not send. */

import { bodyOf, resourceOf } from '../../client/journal/raw-request.ts';
import { checkRawRequest, type RawRequest } from '../../client/requests/connection.ts';
import { maskSecretsInBody } from '../../client/requests/record-title.ts';
import type { ResourceWrite, Write } from '../../client/requests/write.ts';
import { requireDeleteFilterAttributes } from '../../client/requests/writes.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import { fromWireName, type Naming } from '../../service/protocol/naming.ts';
import { pathOf } from '../../service/protocol/wire.ts';
import type { PlannedChange } from './dry-run.ts';

export function plannedChangeOf(write: Write, naming: Naming): PlannedChange {
  if (write.request) return rawOf(checkRawRequest(write.request), naming);
  const { method, resource, body } = write;
  if (method !== 'DELETE') return toPlannedChange(write);
  requireDeleteFilterAttributes(resource, body);
  const { id } = body;
  return id === undefined || id === null
    ? toPlannedChange(write)
    : { method, path: pathOf(resource.name, String(id)) };
}

export const toPlannedChange = ({ method, resource, id, body }: ResourceWrite): PlannedChange => ({
  method,
  path: pathOf(resource.name, id),
  body: maskSecretsInBody({ ...body }, resource),
});

/** Shows the content of the body only if it is a JSON object, because svc finds secrets by the names of attributes. */
function rawOf(request: RawRequest, naming: Naming): PlannedChange {
  const { method, path, query = '', body } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return body === undefined
    ? { method, path: target }
    : { method, path: target, body: shownRaw(request, naming) };
}

function shownRaw(request: RawRequest, naming: Naming): Json {
  const parsed = bodyOf(request);
  if (parsed === null)
    return `not shown: ${Buffer.byteLength(request.body ?? '')} bytes that are not a JSON object`;
  return maskSecretsInBody(parsed, resourceOf(request.path), (name) => fromWireName(naming, name));
}
