/** Where the service is. A key belongs to one origin and is never sent to another (contract, "Safety"). */

export interface BaseUrl {
  /** Scheme, host and port, in lower case, the scheme's own port left out. */
  readonly origin: string;
  /** Empty, or what stands before `/v1`: `/api`. It is signed with the rest, as the whole path is. */
  readonly basePath: string;
}

const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

/** Reads a base URL, or says in a sentence what is wrong with it. Never repeats a password that stands in it. */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (!/^https?:\/\/[^/\\]/i.test(text))
    return { problem: 'a base URL begins with https:// and names a host' };
  if (/[\s\\]/.test(text) || !URL.canParse(text)) return { problem: 'this is not a URL' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/]*@/i.test(text))
    return { problem: 'a base URL holds no user name or password; the key is given apart from it' };
  if (text.includes('?') || text.includes('#')) return { problem: 'a base URL has no query and no fragment' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return { problem: `http:// is taken only for this machine; use https://${url.host}` };
  const basePath = url.pathname.replace(/\/+$/, '');
  if (!BASE_PATH.test(basePath)) return { problem: `${url.pathname} can't be part of a base URL` };
  if (basePath.endsWith('/v1'))
    return { problem: `leave out /v1: every request adds it (${url.origin}${basePath.slice(0, -3)})` };
  return { origin: url.origin, basePath };
}

/** Whether a host name, as `URL.hostname` gives it, is this machine: 127.0.0.0/8, [::1], localhost. */
export function isLoopback(host: string): boolean {
  return /^127(\.[0-9]{1,3}){3}$/.test(host) || host === '[::1]' || host === '::1' || host === 'localhost';
}
