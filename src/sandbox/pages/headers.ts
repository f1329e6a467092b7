/** What every answer of the pages says to the browser. */
import { SAFE_HEADERS } from '../http/wire.ts';

/** Nothing from elsewhere, nothing written into the page itself, and never within a page of others. */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * `same-origin` says nothing to others either; with `no-referrer` a browser would name no origin in the forms of our own
 * pages, which is asked of them.
 */
export const PAGE_HEADERS = {
  ...SAFE_HEADERS,
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Of what a message itself says, in the frame of a page of ours: it runs nothing, loads nothing and leads nowhere. */
export const MESSAGE_HEADERS = {
  ...SAFE_HEADERS,
  'content-security-policy':
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

export const htmlResponse = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): Response =>
  new Response(text, { status, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } });

/** To a path of ours. */
export const redirect = (path: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, ...headers, location: path } });
