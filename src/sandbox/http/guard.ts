/** What no request may pass without, whatever it asks: judged on the request as it came, before any routing. */
import type { IncomingMessage } from 'node:http';
import { forbidden, malformed, ServiceError } from '../../protocol/service-errors.ts';
import { type Doors, isOurHost, isOurOrigin } from './doors.ts';

/** Where a page in a browser may lead; everything else is for programs alone. */
const TRACKING_PREFIX = '/t/';

/**
 * Throws 403 for a request that a web page could have caused (another site's page that reaches for this machine, or
 * a name that resolves to it), and 400 for one whose headers could be read in two ways. Acceptance, X4.
 * @param headerPrefix of the headers that are signed
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

/** Of the pages, which ask for a session besides. */
const isPagePath = (target: string): boolean => /^\/(?:\?|$|ui(?:[/?]|$)|open\/)/.test(target);

/** Beside those with the prefix. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'date', 'authorization', 'origin', 'content-type']);

/**
 * `/t/../control/status` is judged as what it says, and routed as what it means: whatever the way to write it, it is
 * no path that a client of ours, or a link of ours, has.
 */
function refuseDotSegments(target: string): void {
  const path = target.split('?', 1)[0] ?? '';
  if (!/\.|%2e/i.test(path)) return;
  const segments = path.replaceAll(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i);
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw forbidden('A path with . or .. as a segment is not taken');
}

/** Programs send no Origin; a browser that does is at work for some page. */
function refuseBrowsers(headers: ReadonlyMap<string, string>): void {
  if (headers.has('origin') || headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw forbidden('Requests of web pages are not taken');
}

/**
 * What changes something comes from a page of ours, and says so. A link may be followed from anywhere: the browser keeps
 * the session to itself then.
 */
function refuseOtherPages(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  doors: Doors,
): void {
  refuseForeignForms(request, headers, doors);
  // With the port: cookies go to every port of a host.
  const own = `${doors.scheme}://${headers.get('host')}`;
  if (request.method === 'POST' && headers.get('origin')?.toLowerCase() !== own.toLowerCase())
    throw forbidden('A change that no page of the sandbox sends is not taken');
  const isFollowed =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  // Another port of this host is the same site, and gets the cookie.
  if (/^(?:cross|same)-site$/i.test(headers.get('sec-fetch-site') ?? '') && !isFollowed)
    throw forbidden('Requests of other sites are not taken');
}

/** A link in a message may be followed from anywhere; a form of ours is sent by our own page only. */
function refuseForeignForms(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  doors: Doors,
): void {
  const origin = headers.get('origin');
  if (origin !== undefined && !isOurOrigin(origin, doors))
    throw forbidden('Requests of other sites are not taken');
  if (request.method === 'POST' && headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw forbidden('Requests of other sites are not taken');
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    throw new ServiceError(405, 'Only GET, HEAD and POST', { headers: { allow: 'GET, HEAD, POST' } });
}
