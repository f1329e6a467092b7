/** Checks a request of `svc api`. Its path must be under `/v1`, and the service must read the path as it is written. */
import type { Method } from '../schema/resource.ts';

export interface RawRequest {
  readonly method: Method;
  /** Path `/v1/<resource>` or `/v1/<resource>/<id>`, percent-encoded. */
  readonly path: string;
  /** Query, percent-encoded and without the question mark. */
  readonly query?: string | undefined;
  readonly body?: string | undefined;
}

const PATH = /^\/v1\/[A-Za-z]+(\/[A-Za-z0-9_%.~-]+)?$/;

/**
 * Returns the request unchanged. The signature covers the path as it is sent, so no proxy may have a reason to rewrite the path.
 * @throws RangeError for a path with dot segments, encoded slashes or another fault
 */
export function checkRawRequest(request: RawRequest): RawRequest {
  const { path, query = '' } = request;
  if (!PATH.test(path)) throw new RangeError(`a path is /v1/<resource> or /v1/<resource>/<id>, not ${path}`);
  const id = decoded(path.split('/')[3] ?? 'none');
  if (id === undefined || id === '.' || id === '..' || /[/\\\p{Cc}]/u.test(id))
    throw new RangeError(`${path} does not name one item`);
  if (!/^[\x21\x24-\x7e]*$/.test(query))
    throw new RangeError('a query must be percent-encoded: no spaces, quotes, # or non-ASCII characters');
  return request;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent sign encodes nothing. The caller rejects the path with its own message.
    return undefined;
  }
}
