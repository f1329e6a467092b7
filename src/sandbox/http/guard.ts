/** The addresses of a sandbox, and checks of host, origin and path, which is decoded here as the router does it. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import {
  createForbiddenError,
  createMalformedRequestError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import { isLoopback } from '../../service/protocol/wire.ts';
import { isApiPath } from '../request/route.ts';

/** Prefix of the links in delivered messages, which any mail program or page may open. Browsers may also open the sandbox's pages. */
const TRACKING_PREFIX = '/t/';

/**
 * Throws 403 for a request that a page of another site could cause: to the address of this machine, or to a name that its owner has
 * registered for this address. Throws 400 for an important header that occurs twice (docs/acceptance.md, X4).
 */
export function checkRequestIsNotCrossSite(
  request: IncomingMessage,
  origins: PublicOrigins,
  headerPrefix: string,
): void {
  const seen = new Map<string, string>();
  const prefix = headerPrefix.toLowerCase();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name) && (SINGLE.has(name) || name.startsWith(prefix)))
      throw createMalformedRequestError(`The header ${name} is given twice`);
    seen.set(name, request.rawHeaders[at + 1] ?? '');
  }
  if (!isSandboxHost(seen.get('host'), origins))
    throw createForbiddenError('The Host header names another server');
  const target = request.url ?? '';
  if (!target.startsWith('/')) throw createMalformedRequestError('The request target must be a path');
  refuseDotSegments(target);
  // Paths of the interface are routed by their text, without decoding it first.
  const path = isApiPath(target) ? target : routedPath(target);
  if (path?.startsWith(TRACKING_PREFIX)) refuseForeignForms(request, seen, origins);
  else if (path !== undefined && isPagePath(path)) refuseOtherPages(request, seen, origins);
  else refuseBrowsers(seen);
  if (path === undefined)
    throw createMalformedRequestError('The path has an encoded separator, or is not percent-encoded text');
}

/** Returns the path as the router decodes it: `/%75i` is `/ui`. Returns undefined for a path that could be read in another way. */
function routedPath(target: string): string | undefined {
  const path = target.split('?', 1)[0] ?? '';
  if (AMBIGUOUS.test(path)) return undefined;
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

const AMBIGUOUS = /[\\#]|%(?:2[35f]|3f|5c|[01][0-9a-f]|7f)/i;

/** Reports whether the path is one of the sandbox's pages. A page requires a session in addition to the checks of this file. */
const isPagePath = (path: string): boolean => /^\/(?:$|ui(?:\/|$)|open\/)/.test(path);

/** Headers that a request may contain only once, besides those with the deployment's prefix. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'date', 'authorization', 'origin', 'content-type']);

/** Refuses dot segments: the router would resolve `/t/../control/status`, whose text looks harmless. No client uses such paths. */
function refuseDotSegments(target: string): void {
  const path = target.split('?', 1)[0] ?? '';
  if (!/\.|%2e/i.test(path)) return;
  const segments = path.replaceAll(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i);
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw createForbiddenError('A path must not have . or .. as a segment');
}

/** Refuses requests that a web page causes. Only browsers send an `Origin` header, and only on behalf of a page. */
function refuseBrowsers(headers: ReadonlyMap<string, string>): void {
  if (headers.has('origin') || headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw createForbiddenError('Requests from web pages are not accepted');
}

/**
 * Refuses a POST whose `Origin` is not the sandbox, and other requests that another site causes. A link is safe, because the browser does
 * not send the session cookie then.
 */
function refuseOtherPages(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  origins: PublicOrigins,
): void {
  refuseForeignForms(request, headers, origins);
  // The comparison includes the port, because cookies are sent to every port of a host.
  const own = `${origins.scheme}://${headers.get('host')}`;
  if (request.method === 'POST' && headers.get('origin')?.toLowerCase() !== own.toLowerCase())
    throw createForbiddenError('Changes are accepted only from pages of the sandbox');
  const isFollowed =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  // Another port of this host counts as the same site and gets the cookie.
  if (/^(?:cross|same)-site$/i.test(headers.get('sec-fetch-site') ?? '') && !isFollowed)
    throw createForbiddenError('Requests from other sites are not accepted');
}

/** Refuses forms of other sites, and methods other than GET, HEAD and POST. Links may come from any site, such as web mail. */
function refuseForeignForms(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  origins: PublicOrigins,
): void {
  const origin = headers.get('origin');
  if (origin !== undefined && !isSandboxOrigin(origin, origins))
    throw createForbiddenError('Requests from other sites are not accepted');
  if (request.method === 'POST' && headers.get('sec-fetch-site')?.toLowerCase() === 'cross-site')
    throw createForbiddenError('Requests from other sites are not accepted');
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    throw new ServiceError(405, 'Only GET, HEAD and POST are allowed', {
      headers: { allow: 'GET, HEAD, POST' },
    });
}

/** The scheme, port and host names by which clients reach a sandbox. */
export interface PublicOrigins {
  /** Scheme of the sandbox's URL. It is also `https` if a proxy in front of the sandbox handles HTTPS. */
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** Public host names, in addition to the loopback ones: lower case, IPv6 in brackets. */
  readonly names: ReadonlySet<string>;
}

const USUAL_PORTS = { http: 80, https: 443 } as const;

/**
 * Reports whether a `Host` header names this sandbox. A hostile site could let its own name resolve to this machine (DNS rebinding). An
 * allowed name may have any port, because a container or a proxy can change it; a loopback name must have the sandbox's own.
 */
export function isSandboxHost(host: string | undefined, { scheme, port, names }: PublicOrigins): boolean {
  const [, loopback, given] = LOOPBACK_HOST.exec(host ?? '') ?? [];
  if (loopback !== undefined && Number(given ?? USUAL_PORTS[scheme]) === port) return true;
  if (names.size === 0) return false;
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i.exec(host ?? '') ?? [];
  return name !== undefined && names.has(name.toLowerCase());
}

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?$/i;

/** Reports whether an `Origin` is that of a page of this sandbox. */
export const isSandboxOrigin = (origin: string, origins: PublicOrigins): boolean =>
  origin.startsWith(`${origins.scheme}://`) &&
  isSandboxHost(origin.slice(origins.scheme.length + 3), origins);

interface ServerAddress {
  readonly listen: string;
  /** The host to which commands on this machine connect. */
  readonly connect: string;
  readonly baseUrl: (port: number) => string;
  readonly originsAt: (port: number) => PublicOrigins;
  readonly servesOthers: boolean;
}

interface AddressOptions {
  readonly host?: string | undefined;
  readonly certificate?: unknown;
  readonly behindProxy?: boolean | undefined;
  readonly allowHosts?: readonly string[] | undefined;
}

const LOOPBACK = '127.0.0.1';

/** Addresses of all network interfaces, each with the loopback address that commands on this machine use. */
const EVERY: Readonly<Record<string, string>> = { '0.0.0.0': LOOPBACK, '::': '::1' };

/** Returns the addresses of a sandbox. Its URL has the first of `allowHosts`, or the host for commands on this machine. */
export function serverAddress({
  host = LOOPBACK,
  certificate,
  behindProxy = false,
  allowHosts = [],
}: AddressOptions): ServerAddress {
  const scheme = certificate !== undefined || behindProxy ? 'https' : 'http';
  const connect = EVERY[host] ?? host;
  const named = allowHosts[0] ?? inUrl(connect);
  const names = new Set([...allowHosts, inUrl(connect).toLowerCase()]);
  return {
    listen: host,
    connect,
    baseUrl: (port) => (behindProxy ? `https://${named}` : `${scheme}://${named}:${port}`),
    // Loopback names are accepted only with the port.
    originsAt: (port) => ({ scheme, port, names: withoutLoopback(names) }),
    servesOthers: behindProxy || !isLoopback(host),
  };
}

const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

const withoutLoopback = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => ![LOOPBACK, 'localhost', '[::1]'].includes(name)));
