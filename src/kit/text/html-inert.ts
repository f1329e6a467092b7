/** Makes the HTML of a message harmless, so that a page can show it in a frame. */
import { type Span, visitHtml } from './html-tokens.ts';

/** Colours in which a message is shown. `forced` imitates a mail program that inverts the message. */
export type ColourScheme = 'light' | 'dark' | 'forced';

/**
 * Removes elements and attributes that lead to another address, load other content, or change the message later. The browser blocks these
 * parts too (by the policy of the page, and `sandbox` of the frame), but a reader could copy the address of a link.
 * The colours are part of the HTML, because a page cannot set them for a frame.
 */
export function makeHtmlInert(
  html: string,
  scheme: ColourScheme,
  { keepsRemoteImages = true }: { readonly keepsRemoteImages?: boolean } = {},
): string {
  const cuts: (Span & { readonly put: string })[] = [];
  let isFirst = true;
  let doctype = 0;
  let hasSchemeTag = false;
  visitHtml(html, {
    onDoctype: (span) => {
      if (isFirst) doctype = span.end;
      isFirst = false;
    },
    onStartTag: (tag) => {
      isFirst = false;
      if (tag.name === 'meta' && /color-scheme/i.test(html.slice(tag.start, tag.end))) hasSchemeTag = true;
      if (DROPPED.has(tag.name)) {
        cuts.push({ start: tag.start, end: tag.end, put: '' });
        return;
      }
      for (const name of tag.attributeNames) {
        const isOwn = name === 'src' && /^\s*data:/i.test(tag.attribute(name) ?? '');
        const isDropped = isLeading(name) || (!keepsRemoteImages && LOADING.test(name) && !isOwn);
        const span = isDropped ? tag.spanOf(name) : undefined;
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
  const isDark = hasSchemeTag || hasDarkStyles(html);
  const head = HEAD + (scheme === 'forced' ? KEEP_IMAGES : isDark ? rootScheme(scheme) : '');
  return withScheme(html.slice(0, doctype) + head + pieces.join('') + html.slice(at), scheme);
}

/**
 * Reports whether the styles declare dark colours. Without the limits in the pattern, a message that repeats `color-scheme:` would block the
 * sandbox for minutes.
 */
export const hasDarkStyles = (html: string): boolean => /color-schemes?\s{0,20}:[^;}]{0,100}dark/i.test(html);

const rootScheme = (scheme: ColourScheme): string => `<style>:root{color-scheme:${scheme}!important}</style>`;

/** Inverts images a second time, because the page inverts the whole frame: images keep their colours, as in mail programs. */
const KEEP_IMAGES = '<style>img,video{filter:invert(1) hue-rotate(180deg)!important}</style>';

/** Replaces the CSS conditions on `prefers-color-scheme` with conditions that are always true or always false. */
const withScheme = (html: string, scheme: ColourScheme): string =>
  html.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted: string) =>
    wanted.toLowerCase() === (scheme === 'dark' ? 'dark' : 'light') ? '(min-width:0px)' : '(max-width:0px)',
  );

/**
 * Beginning of the HTML in the frame. Its style sheet makes links ignore clicks, and does not change how links look. An image that is not
 * loaded has its size and a dashed outline, unless the message says otherwise or counts opens with it.
 */
const HEAD =
  '<meta charset="utf-8"><style>[href="#"]{pointer-events:none}:where(img:not([src^="data:" i],[width="1"])){display:inline-block;outline:1px dashed #888;outline-offset:-1px;background:#8882}</style>';

/** Elements that leave the page, load other content, or animate an attribute. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['meta', 'base', 'link', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal'],
  ...['form', 'animate', 'set', 'animatemotion', 'animatetransform', 'animatecolor'],
]);

const IS_LINK = /^(xlink:)?href$/;
const LEADING =
  /^(xlink:href|href|target|ping|action|formaction|formtarget|srcdoc|manifest|background|on.*)$/;
/** Attributes with the address of an image or a sound. */
const LOADING = /^(src|srcset|imagesrcset|poster|dynsrc|lowsrc)$/;
const isLeading = (name: string): boolean => LEADING.test(name);
