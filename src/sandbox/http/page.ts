/** Builds the pages of tracking links. A page has no script, loads nothing, and contains only the sandbox's own text. */
import { SAFE_HEADERS } from './wire.ts';

export const PAGE_HEADERS = {
  ...SAFE_HEADERS,
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
} as const;

/** Returns a page. @param button label of a button that sends a POST to the page's own address */
export function htmlPage(status: number, title: string, text: string, button?: string): Response {
  const form =
    button === undefined ? '' : `<form method="post"><button type="submit">${asText(button)}</button></form>`;
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${asText(title)}</title></head>
<body><h1>${asText(title)}</h1><p>${asText(text)}</p>${form}</body></html>
`;
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  });
}

const asText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
