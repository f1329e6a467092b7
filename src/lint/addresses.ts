/** Checks the target of a link or image, as far as that is possible without a network. */
import { readUrl } from '../text/url.ts';

export type AddressProblem = 'local-address' | 'relative-address' | 'plain-http' | 'active-content';

/**
 * Returns the problem with the address of a link or image. Returns undefined if there is none, or if the address is put together when the
 * message is sent.
 * @param href as a browser reads it
 */
export function addressProblem(href: string): AddressProblem | undefined {
  const address = href.trim();
  if (address === '' || address.startsWith('#') || isPutIn(address)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'relative-address';
  if (scheme === 'javascript' || scheme === 'vbscript') return 'active-content';
  // Example: `C:\images\cup.png`
  if (scheme === 'file' || scheme.length === 1) return 'local-address';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  const host = hostOf(address);
  if (host === undefined) return 'relative-address';
  if (isLocal(host)) return 'local-address';
  return scheme === 'http' ? 'plain-http' : undefined;
}

/** Returns the host in lower case. It is undefined without a host, and empty if personalisation provides it. */
export function hostOf(address: string): string | undefined {
  const plain = address.replace(/\{\{[^{}]{0,1000}\}\}|\{%[^%]{0,1000}%\}/g, 'x');
  return readUrl(plain)?.hostname.toLowerCase();
}

/** Reports whether the address begins with personalisation, or with a word of a deployment such as `%svc_optin%`. */
const isPutIn = (address: string): boolean => /^(\{\{|\{%|%[a-z_]+%)/i.test(address);

/** Reports whether only this machine or its network can reach the host. */
function isLocal(host: string): boolean {
  if (/^(localhost|\[::1?\])$/.test(host) || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host))
    return true;
  if (/^\[f[cde]/.test(host)) return true;
  const [a = -1, b = -1, ...rest] = host.split('.').map(Number);
  const isIpv4 = rest.length === 2 && [a, b, ...rest].every((octet) => octet >= 0 && octet <= 255);
  if (isIpv4)
    return (
      a === 0 ||
      a === 10 ||
      a === 127 ||
      (a === 172 && b >= 16 && b <= 31) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254)
    );
  // A name without a dot is resolved in the local network.
  return !host.includes('.') && !host.startsWith('[');
}
