/** Turns the HTML of a message into a page for a browser. The HTML comes from the service and is not trusted. */
import { type Span, visitHtml } from '../../../text/html-tokens.ts';

export interface PreviewPageOptions {
  /** True if the page may load images and style sheets from the web. */
  readonly allowsNetwork: boolean;
  /** Seconds after which an open page reloads in the browser. If omitted, the page never reloads. */
  readonly refresh?: number;
}

/**
 * Returns the page with a Content Security Policy at its start, which blocks scripts, frames, plug-ins and forms. If `allowsNetwork` is
 * false, the policy allows only images that the HTML itself contains.
 */
export function createPreviewPage(html: string, { allowsNetwork, refresh }: PreviewPageOptions): string {
  const web = allowsNetwork ? ' https: http:' : '';
  const policy = [
    "default-src 'none'",
    `img-src data:${web}`,
    `style-src 'unsafe-inline'${web}`,
    `font-src data:${web}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  const again = refresh === undefined ? '' : `<meta http-equiv="refresh" content="${refresh}">`;
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">${again}`;
  const { doctype, refreshes } = placesIn(html);
  const pieces: string[] = [];
  let at = doctype;
  for (const { start, end } of refreshes) {
    pieces.push(html.slice(at, start));
    at = end;
  }
  return html.slice(0, doctype) + head + pieces.join('') + html.slice(at);
}

/** Returns the offset after the doctype (0 without a doctype), and the positions of the tags that would redirect the browser. */
function placesIn(html: string): { readonly doctype: number; readonly refreshes: readonly Span[] } {
  let doctype: number | undefined;
  const refreshes: Span[] = [];
  const begin = (): void => {
    doctype ??= 0;
  };
  visitHtml(html, {
    onDoctype: ({ end }) => {
      doctype ??= end;
    },
    onText: (text) => {
      if (text.trim() !== '') begin();
    },
    onEndTag: begin,
    onStartTag: (tag) => {
      begin();
      if (tag.name === 'meta' && /refresh/i.test(tag.attribute('http-equiv') ?? ''))
        refreshes.push({ start: tag.start, end: tag.end });
    },
  });
  return { doctype: doctype ?? 0, refreshes };
}
