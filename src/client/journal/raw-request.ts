import type { AnyRecord, Json, Resource, Values } from '../../kit/schema/resource.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { fromWireName, type Naming, renameKeys } from '../../service/protocol/naming.ts';
import { API_PREFIX } from '../../service/protocol/wire.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import type { RawRequest } from '../requests/connection.ts';
import { secretsIn } from '../requests/record-title.ts';

interface RequestTarget {
  readonly resource?: Resource;
  readonly id: string | null;
  /** From the path of a request, or from the query and body of a DELETE. */
  readonly names?: Values;
}

export function targetOf(request: RawRequest): RequestTarget {
  const { method, path, query = '' } = request;
  const [name = '', id] = path.startsWith(API_PREFIX) ? path.slice(API_PREFIX.length).split('/') : [];
  const resource = resourceNamed(name);
  if (resource === undefined || resource.single) return { id: id ?? null };
  if (id !== undefined && id !== '') return { resource, id, names: { id } };
  if (method !== 'DELETE') return { id: null };
  const given = { ...bodyOf(request), ...Object.fromEntries(new URLSearchParams(query)) };
  const names = Object.entries(given).filter(([attribute]) =>
    resource.methods.delete?.by.includes(attribute),
  );
  return names.length === 0
    ? { id: null }
    : { resource, id: null, names: Object.fromEntries(names) as Values };
}

/** Returns undefined if the interface has no such resource. */
export function resourceOf(nameOrPath: string): Resource | undefined {
  const [name = ''] = (
    nameOrPath.startsWith(API_PREFIX) ? nameOrPath.slice(API_PREFIX.length) : nameOrPath
  ).split('/');
  return resourceNamed(name);
}

/** Returns null if the body is not a JSON object. */
export function bodyWithInterfaceNames(request: RawRequest, naming: Naming): AnyRecord | null {
  const body = bodyOf(request);
  return body && renameKeys(body, fromWireName, naming);
}

export function secretsInBody(request: RawRequest, naming: Naming): readonly string[] {
  return secretsIn(bodyWithInterfaceNames(request, naming) ?? {}, resourceOf(request.path));
}

export function bodyOf({ body }: RawRequest): AnyRecord | null {
  return parseJsonObject<Json>(body ?? '', parseJson) ?? null;
}
