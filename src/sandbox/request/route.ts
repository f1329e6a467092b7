/** From a path to a resource, and maybe one item of it. */
import { malformed, ServiceError, unsupported } from '../../protocol/service-errors.ts';
import { API_PREFIX, type WireRequest } from '../../protocol/wire.ts';
import { type CatalogueResource, resourceNamed } from '../../resources/catalogue.ts';
import type { Id } from '../../schema/integer.ts';
import { METHODS, type Resource, readIdOf, supports } from '../../schema/resource.ts';

export interface Route {
  readonly resource: CatalogueResource;
  /** The text of the id in the path. */
  readonly id: string | undefined;
}

/** Finds the resource; 404 where there is none, 405 with `Allow` where it lacks the method. */
export function route(request: WireRequest): Route {
  const [name = '', id, ...rest] = segments(request.path);
  const resource = resourceNamed(name);
  if (!resource || rest.length > 0) throw new ServiceError(404, 'There is no such resource');
  const allowed = METHODS.filter((method) => supports(resource, method));
  if (!allowed.includes(request.method)) throw unsupported(request.method, name, allowed);
  if (request.method === 'POST' && id !== undefined)
    throw unsupported(
      'POST',
      `one ${name}`,
      allowed.filter((method) => method !== 'POST'),
    );
  return { resource, id };
}

/** `/v1/folder/` is the collection (wire, "trailing slash"). */
function segments(path: string): readonly string[] {
  if (!path.startsWith(API_PREFIX)) return [];
  const parts = path.slice(API_PREFIX.length).replace(/\/$/, '').split('/');
  try {
    return parts.map(decodeURIComponent);
  } catch (cause) {
    throw new ServiceError(400, 'The path is not percent-encoded text', { cause });
  }
}

/** The id as its field has it: a whole number, or `<field>_<subscriber>`. */
export function readId(resource: Resource, text: string): Id {
  const id = readIdOf(resource, text);
  if (id !== undefined) return id;
  const { compositeId } = resource;
  if (compositeId) throw malformed(`id must be ${compositeId.map((name) => `<${name}>`).join('_')}`);
  throw malformed(`id ${JSON.stringify(text.slice(0, 40))} is not a whole number`);
}
