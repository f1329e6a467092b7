/** Checks that apply to every request, made on its raw form before any routing. */
import type { IncomingMessage } from 'node:http';
import { forbidden, malformed, ServiceError } from '../../protocol/service-errors.ts';
import { type Doors, isOurHost, isOurOrigin } from './doors.ts';

/** Prefix of the paths that pages in a browser may link to. All other paths except the sandbox's own pages are for programs. */
const TRACKING_PREFIX = '/t/';

/**
 * Throws 403 for a request that a web page could have caused. Another site's page can reach for this machine, directly or through a name
 * that resolves to it. Throws 400 for a request whose headers are ambiguous. Acceptance, X4.
 * @param headerPrefix prefix of the signed headers
 */
export function guard(request: IncomingMessage, doors: Doors, headerPrefix: string): void {
  const seen = new Map<string, string>();
  const prefix = headerPrefix.toLowerCase();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name) && (SINGLE.has(name) || name.startsWith(prefix)))
      throw malformed(`The header ${name} is given twice`);
    seen.set(name, request.rawHeaders[at + 1] ?? '');
  }
  if (!isOurHost(seen.get('host'), doors)) throw forbidden('The Host header names another server');
  const target = request.url ?? '';
  if (!target.startsWith('/')) throw malformed('The request target must be a path');
  refuseDotSegments(target);
  if (target.startsWith(TRACKING_PREFIX)) refuseForeignForms(request, seen, doors);
  else if (isPagePath(target)) refuseOtherPages(request, seen, doors);
  else refuseBrowsers(seen);
}

/** Reports whether the target is one of the sandbox's pages. These require a session as well. */
const isPagePath = (target: string): boolean => /^\/(?:\?|$|ui(?:[/?]|$)|open\/)/.test(target);

/** Headers that may occur once, besides those with the prefix. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'date', 'authorization', 'origin', 'content-type']);

/**
 * Refuses paths with dot segments. The guard would judge `/t/../control/status` by its text, but the router by its meaning. No client and
 * no link of the sandbox uses such a path, however it is encoded.
 */
function refuseDotSegments(target: string): void {
  const path = target.split('?', 1)[0] ?? '';
  if (!/\.|%2e/i.test(path)) return;
  const segments = path.replaceAll(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i);
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw forbidden('A path must not have . or .. as a segment');
}

/** Refuses requests with an Origin. Programs send none; a browser that sends it acts for a page. */
function refuseBrowsers(headers: ReadonlyMap<string, string>): void {
  if (headers.has('origin') || headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw forbidden('Requests from web pages are not accepted');
}

/**
 * Refuses changes unless a page of the sandbox sends them and says so. A link may be followed from any site, because the browser then
 * withholds the session cookie.
 */
function refuseOtherPages(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  doors: Doors,
): void {
  refuseForeignForms(request, headers, doors);
  // The comparison includes the port, because cookies are sent to every port of a host.
  const own = `${doors.scheme}://${headers.get('host')}`;
  if (request.method === 'POST' && headers.get('origin')?.toLowerCase() !== own.toLowerCase())
    throw forbidden('Changes are accepted only from pages of the sandbox');
  const isFollowed =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  // Another port of this host counts as the same site and gets the cookie.
  if (/^(?:cross|same)-site$/i.test(headers.get('sec-fetch-site') ?? '') && !isFollowed)
    throw forbidden('Requests from other sites are not accepted');
}

/** Refuses forms of other sites. A link in a message may be followed from anywhere; only the sandbox's own page may send its form. */
function refuseForeignForms(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  doors: Doors,
): void {
  const origin = headers.get('origin');
  if (origin !== undefined && !isOurOrigin(origin, doors))
    throw forbidden('Requests from other sites are not accepted');
  if (request.method === 'POST' && headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw forbidden('Requests from other sites are not accepted');
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    throw new ServiceError(405, 'Only GET, HEAD and POST', { headers: { allow: 'GET, HEAD, POST' } });
}
