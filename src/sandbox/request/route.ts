/** Finds the resource, and the item if any, that a path names. */

import type { Id } from '../../kit/schema/integer.ts';
import { METHODS, parseResourceId, type Resource, supports } from '../../kit/schema/resource.ts';
import { similarWords } from '../../kit/text/words.ts';
import {
  createMalformedRequestError,
  createUnsupportedMethodError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import { API_PREFIX, type WireRequest } from '../../service/protocol/wire.ts';
import { type SandboxResource, sandboxOnlyResources } from '../../service/resources/companions.ts';

export interface Route {
  readonly resource: SandboxResource;
  readonly id: string | undefined;
}

/** Index of the resources by the names that paths use. */
export interface ResourceIndex {
  readonly named: (name: string) => SandboxResource | undefined;
  readonly names: readonly string[];
}

/** Indexes the resources. `any` ignores case (wire, "Vendor names"), unlike `exact`: the interface's names are case-sensitive. */
export function indexResources(
  resources: readonly SandboxResource[],
  spelling: 'exact' | 'any',
): ResourceIndex {
  const key = (name: string): string => (spelling === 'any' ? name.toLowerCase() : name);
  const byName = new Map(resources.map((each) => [key(each.name), each]));
  return { named: (name) => byName.get(key(name)), names: resources.map(({ name }) => name) };
}

/** Finds the resource. Throws 404 if it does not exist, 405 with `Allow` if it lacks the method. */
export function route(request: WireRequest, resources: ResourceIndex): Route {
  const [name = '', id, ...rest] = segments(request.path);
  const resource = resources.named(name);
  if (!resource) throw new ServiceError(404, noResource(name, resources));
  if (rest.length > 0)
    throw new ServiceError(404, `There is nothing below one ${resource.name}: /v1/${resource.name}/<id>`);
  const allowed = METHODS.filter((method) => supports(resource, method));
  if (!allowed.includes(request.method))
    throw createUnsupportedMethodError(request.method, resource.name, allowed);
  if (request.method === 'POST' && id !== undefined)
    throw createUnsupportedMethodError(
      'POST',
      `one ${resource.name}`,
      allowed.filter((method) => method !== 'POST'),
    );
  return { resource, id };
}

/** Reports whether a path belongs to the interface, in any version. Responses to such paths use the interface's envelope. */
export const isApiPath = (path: string): boolean => VERSION.test(path);

const VERSION = /^\/(v[0-9][0-9.]{0,9})(?:[/?]|$)/i;

/** Splits the path. `/v1/folder/` is the collection (wire, "trailing slash"). */
function segments(path: string): readonly string[] {
  if (!path.startsWith(API_PREFIX)) throw new ServiceError(404, otherVersion(path));
  const parts = path.slice(API_PREFIX.length).replace(/\/$/, '').split('/');
  try {
    return parts.map(decodeURIComponent);
  } catch (cause) {
    throw new ServiceError(400, 'The path is not percent-encoded text', { cause });
  }
}

function otherVersion(path: string): string {
  const version = VERSION.exec(path)?.[1];
  return version === undefined || version === 'v1'
    ? 'A path of the interface is /v1/<resource> or /v1/<resource>/<id>'
    : `Version ${version} of the interface does not exist: paths begin with ${API_PREFIX}`;
}

/** Explains that the resource does not exist, and suggests similar names. */
function noResource(name: string, { names }: ResourceIndex): string {
  if (name === '') return otherVersion('');
  if (sandboxOnlyResources.some((each) => each.name === name))
    return `Unknown resource "${name}": it is not part of the interface. A sandbox started with --companions serves it`;
  const near = similarWords(name, names);
  const isCase = near.some((each) => each.toLowerCase() === name.toLowerCase());
  const hint = near.length === 0 ? '' : `. Did you mean ${near.join(' or ')}?`;
  return `Unknown resource ${JSON.stringify(name.slice(0, 40))}${isCase ? ': case counts' : ''}${hint}`;
}

/** Parses a whole number or a composite id. Throws 400 for other texts. */
export function readId(resource: Resource, text: string): Id {
  const id = parseResourceId(resource, text);
  if (id !== undefined) return id;
  const { compositeId } = resource;
  if (compositeId)
    throw createMalformedRequestError(`id must be ${compositeId.map((name) => `<${name}>`).join('_')}`);
  throw createMalformedRequestError(`id ${JSON.stringify(text.slice(0, 40))} is not a whole number`);
}
