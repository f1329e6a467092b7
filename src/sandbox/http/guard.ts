/** What no request may pass without, whatever it asks: judged on the request as it came, before any routing. */
import type { IncomingMessage } from 'node:http';
import { forbidden, malformed, ServiceError } from '../../protocol/service-errors.ts';

/** Where a page in a browser may lead; everything else is for programs alone. */
const TRACKING_PREFIX = '/t/';

/**
 * Throws 403 for a request that a web page could have caused (another site's page that reaches for this machine, or
 * a name that resolves to it), and 400 for one whose headers could be read in two ways. Acceptance, X4.
 * @param headerPrefix of the headers that are signed
 */
export function guard(request: IncomingMessage, port: number, headerPrefix: string): void {
  const seen = new Map<string, string>();
  const prefix = headerPrefix.toLowerCase();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name) && (SINGLE.has(name) || name.startsWith(prefix)))
      throw malformed(`The header ${name} is given twice`);
    seen.set(name, request.rawHeaders[at + 1] ?? '');
  }
  if (!isOurs(seen.get('host'), port)) throw forbidden('The Host header names another server');
  const target = request.url ?? '';
  if (!target.startsWith('/')) throw malformed('The request target must be a path');
  refuseDotSegments(target);
  if (target.startsWith(TRACKING_PREFIX)) refuseForeignForms(request, seen, port);
  else if (isPagePath(target)) refuseOtherPages(request, seen, port);
  else refuseBrowsers(seen);
}

/** Of the pages, which ask for a session besides. */
const isPagePath = (target: string): boolean => /^\/(?:\?|$|ui(?:[/?]|$)|open\/)/.test(target);

/** Beside those with the prefix. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'date', 'authorization', 'origin', 'content-type']);

function isOurs(host: string | undefined, port: number): boolean {
  const [, name, given] = /^(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?$/i.exec(host ?? '') ?? [];
  return name !== undefined && Number(given ?? 80) === port;
}

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
  port: number,
): void {
  refuseForeignForms(request, headers, port);
  if (request.method === 'POST' && !headers.has('origin'))
    throw forbidden('A change without an Origin is not taken');
  const isFollowed =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  if (headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site' && !isFollowed)
    throw forbidden('Requests of other sites are not taken');
}

/** A link in a message may be followed from anywhere; a form of ours is sent by our own page only. */
function refuseForeignForms(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  port: number,
): void {
  const origin = headers.get('origin');
  if (origin !== undefined && !(origin.startsWith('http://') && isOurs(origin.slice('http://'.length), port)))
    throw forbidden('Requests of other sites are not taken');
  if (request.method === 'POST' && headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw forbidden('Requests of other sites are not taken');
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    throw new ServiceError(405, 'Only GET, HEAD and POST', { headers: { allow: 'GET, HEAD, POST' } });
}
