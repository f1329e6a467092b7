/** The HTML of a message for a frame in which nothing of it does anything. */
import { readHtml, type Span } from '../../text/html-tokens.ts';

export type Scheme = 'light' | 'dark';

/**
 * The page without what leads anywhere or changes it later. The headers that it is served with (`MESSAGE_HEADERS`), the
 * sandbox of the frame and the policy of the page around it each keep it from doing anything; this keeps a reader from
 * following a link by hand.
 * @param scheme the colours of the reader: what it says of them is decided here, since a frame can't be told
 * @returns the HTML, in which a link stays a link to the eye, and leads to where it is
 */
export function inertHtml(html: string, scheme: Scheme): string {
  const cuts: (Span & { readonly put: string })[] = [];
  let isFirst = true;
  let doctype = 0;
  readHtml(html, {
    onDoctype: (span) => {
      if (isFirst) doctype = span.end;
      isFirst = false;
    },
    onStartTag: (tag) => {
      isFirst = false;
      if (DROPPED.has(tag.name)) {
        cuts.push({ start: tag.start, end: tag.end, put: '' });
        return;
      }
      for (const name of tag.attributeNames) {
        const span = isLeading(name) ? tag.spanOf(name) : undefined;
        if (span) cuts.push({ ...span, put: IS_LINK.test(name) ? 'href="#"' : '' });
      }
    },
    onEndTag: () => {
      isFirst = false;
    },
  });
  const pieces: string[] = [];
  let at = doctype;
  for (const { start, end, put } of cuts) {
    pieces.push(html.slice(at, start), put);
    at = end;
  }
  const head =
    HEAD + (KNOWS_SCHEMES.test(html) ? `<style>:root{color-scheme:${scheme}!important}</style>` : '');
  return withScheme(html.slice(0, doctype) + head + pieces.join('') + html.slice(at), scheme);
}

/** It says of itself that it has dark colours too. */
const KNOWS_SCHEMES = /color-schemes?\s*:[^;}]*dark|<meta[^>]*color-schemes?[^>]*>/i;

/** Conditions on the reader's colours are true or false at once. */
const withScheme = (html: string, scheme: Scheme): string =>
  html.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted: string) =>
    wanted.toLowerCase() === scheme ? '(min-width:0px)' : '(max-width:0px)',
  );

/** What links look like is the message's to say, or the browser's. */
const HEAD = '<meta charset="utf-8"><style>[href="#"]{pointer-events:none}</style>';

/** Whatever leads elsewhere, holds a page of its own, or sets an attribute later. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['meta', 'base', 'link', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal'],
  ...['form', 'animate', 'set', 'animatemotion', 'animatetransform', 'animatecolor'],
]);

const IS_LINK = /^(xlink:)?href$/;
const LEADING =
  /^(xlink:href|href|target|ping|action|formaction|formtarget|srcdoc|manifest|background|on.*)$/;
const isLeading = (name: string): boolean => LEADING.test(name);
