/** HTTP headers of all responses of the pages. */
import { RESPONSE_SECURITY_HEADERS } from '../http/wire.ts';

/** Content security policy of all pages. It allows no foreign sources, no inline code and no embedding in other pages. */
const POLICY = [
  "default-src 'none'",
  ...["style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * HTTP headers of every page of the sandbox. `Referrer-Policy: same-origin` hides the address of the page from other sites. The stricter
 * `no-referrer` would break the forms of these pages: browsers would send `Origin: null` with them, and `refuseOtherPages` accepts a form
 * only with the origin of the sandbox.
 */
export const PAGE_HEADERS = {
  ...RESPONSE_SECURITY_HEADERS,
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * Headers of the response with the HTML of a message, which a page shows in a frame. The message runs no code, loads nothing, and sends no
 * form.
 */
export const MESSAGE_IFRAME_HTTP_HEADERS = {
  ...RESPONSE_SECURITY_HEADERS,
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

/** Sends an e-mail as a file. The browser saves it and never shows it. @param id id of the outbox entry: letters, digits and `-` */
export const emlResponse = (id: string, octets: string): Response =>
  new Response(octets, {
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id.replace(/[^\w-]/g, '')}.eml"`,
    },
  });

/** Redirects to a path of the sandbox. */
export const redirect = (path: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { ...PAGE_HEADERS, ...headers, location: path } });
