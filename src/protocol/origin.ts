/** Parses the base URL of a service. svc sends an API key only to one origin: scheme, host and port (contract, "Safety"). */
import { readUrl } from '../text/address.ts';

export interface BaseUrl {
  /** Origin such as `https://host` or `https://host:8443`: lower case, without the scheme's default port. */
  readonly origin: string;
  /** Prefix before `/v1` in every path: empty, or a path such as `/mail/api`, without a slash at the end. */
  readonly basePath: string;
}

const MAX_LENGTH = 2048;
/** Matches a base path. The path is signed as it is sent, so it may hold no characters that a proxy could rewrite. */
const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

/**
 * Parses a base URL that a person wrote. Two URLs with the same `origin` belong to the same service, so they may use the same key. A host
 * with a dot at its end has another origin than the host without the dot. Plain http is valid only for this machine (wire, "transport").
 * For an invalid URL, `problem` is the end of a sentence that starts with "the base URL". `problem` never contains the URL, because the URL
 * may contain a password.
 */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (text === '') return { problem: 'is empty' };
  if (text.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  // `URL` would silently remove or replace these characters.
  if (!/^[\x21-\x7e\u00a1-\uffff]+$/.test(text) || text.includes('\\'))
    return { problem: 'has a space, a control character or a backslash in it' };
  if (!/^https?:\/\/[^/]/i.test(text)) return { problem: 'must start with https:// and a host name' };
  if (/^[^/]*\/\/[^/?#]*@/.test(text))
    return { problem: 'must not hold a user name or password; signatures identify the caller' };
  const url = readUrl(text);
  if (url === undefined) return { problem: 'is not a URL that can be read' };
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment' };
  if (url.port === '0') return { problem: 'has port 0, where no service can listen' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return {
      problem: 'must start with https://; plain http is only for this machine (127.0.0.1, localhost)',
    };
  const basePath = url.pathname.replace(/\/+$/, '');
  if (basePath.includes('//')) return { problem: 'has an empty part (//) in its path' };
  if (!BASE_PATH.test(basePath))
    return { problem: 'has a path with characters other than letters, digits and . _ ~ -' };
  if (/\/v1$/i.test(basePath))
    return { problem: 'must end before /v1, which every path already starts with' };
  return { origin: url.origin, basePath };
}

/** Reports whether a host name can only be this machine: `localhost`, 127.0.0.0/8 or ::1, with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(name);
}
