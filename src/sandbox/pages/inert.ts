/** Makes the HTML of a message inert for display in a frame. */
import { readHtml, type Span } from '../../text/html-tokens.ts';

/** Colours of the reader. `forced` is a program that inverts the message. */
export type Scheme = 'light' | 'dark' | 'forced';

/**
 * Removes elements and attributes that lead elsewhere or change the page later. The headers of the response
 * (`MESSAGE_HEADERS`), the sandbox of the frame and the policy of the surrounding page each disable the message
 * already. This also keeps a reader from copying and following a link.
 * @param scheme the reader's colours, applied here, since a frame can't be told about them
 * @returns the HTML, in which links keep their look but lead nowhere
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
  const head = HEAD + (scheme === 'forced' ? KEEP_IMAGES : hasDarkStyles(html) ? rootScheme(scheme) : '');
  return withScheme(html.slice(0, doctype) + head + pieces.join('') + html.slice(at), scheme);
}

/** Reports whether the styles of a message declare dark colours. */
export const hasDarkStyles = (html: string): boolean =>
  /color-schemes?\s*:[^;}]*dark|<meta[^>]*color-schemes?[^>]*>/i.test(html);

const rootScheme = (scheme: Scheme): string => `<style>:root{color-scheme:${scheme}!important}</style>`;

/**
 * Inverts images a second time, because the page inverts the whole frame. Images then keep their colours, as in mail programs that invert
 * messages.
 */
const KEEP_IMAGES = '<style>img,video{filter:invert(1) hue-rotate(180deg)!important}</style>';

/** Replaces conditions on the reader's colours with conditions that are always true or always false. */
const withScheme = (html: string, scheme: Scheme): string =>
  html.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted: string) =>
    wanted.toLowerCase() === (scheme === 'dark' ? 'dark' : 'light') ? '(min-width:0px)' : '(max-width:0px)',
  );

/** Disables links but leaves their style to the message or the browser. */
const HEAD = '<meta charset="utf-8"><style>[href="#"]{pointer-events:none}</style>';

/** Elements that lead elsewhere, contain another page, or set an attribute later. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['meta', 'base', 'link', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal'],
  ...['form', 'animate', 'set', 'animatemotion', 'animatetransform', 'animatecolor'],
]);

const IS_LINK = /^(xlink:)?href$/;
const LEADING =
  /^(xlink:href|href|target|ping|action|formaction|formtarget|srcdoc|manifest|background|on.*)$/;
const isLeading = (name: string): boolean => LEADING.test(name);
