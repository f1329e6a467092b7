/** Shows the HTML of a message in a frame. Its links, forms and scripts are disabled. The reader chooses the width and the colours. */
import { type Span, visitHtml } from '../../kit/text/html-tokens.ts';
import type { CompanyPageRequest, DeliveredMessage } from './page.ts';
import { type Html, html, linkWith, tabs } from './parts.ts';

const WIDTHS = [
  ['phone', 'Phone'],
  ['tablet', 'Tablet'],
  ['desktop', 'Desktop'],
] as const;

const SCHEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['forced', 'Forced dark'],
] as const;

/**
 * Shows the HTML of a message in a frame with a choice of widths and colours. A frame beside other content has a
 * fixed width. The frame may not run scripts. It has the origin of the page, so that the script of the page can measure how high the message is.
 */
export function renderHtmlFrame(
  call: CompanyPageRequest,
  message: DeliveredMessage,
  fixedWidth?: 'narrow',
): Html {
  const { query } = call;
  const source = message.html;
  if (!source) return html`<p class="soft">There is no HTML part.</p>`;
  const width =
    fixedWidth ?? WIDTHS.map(([name]) => name).find((name) => name === query.get('width')) ?? 'desktop';
  const scheme = readColourScheme(call);
  const link = (changes: Readonly<Record<string, string>>): string =>
    linkWith(call, `outbox/${call.id}`, changes);
  const widths =
    fixedWidth === undefined
      ? html`<div class="widths">${tabs('Width', width, WIDTHS, (each) => link({ width: each }))}</div>`
      : null;
  return html`<div class="tools">${widths}${tabs('Colours', scheme, SCHEMES, (each) => link({ scheme: each }))}</div>
${schemeNote(scheme, source)}
<div class="stage" tabindex="0" role="group" aria-label="The message as the recipient sees it"><iframe class="${width} ${scheme}" sandbox="allow-same-origin" referrerpolicy="no-referrer" title="The HTML of the message" src="${call.pathOf(
    `outbox/${call.id}?frame=html&scheme=${scheme}`,
  )}"></iframe></div>
<p class="soft small">Remote images, scripts and links are off. To follow a link, use “Click”.</p>`;
}

export const readColourScheme = ({ query }: CompanyPageRequest): ColourScheme =>
  SCHEMES.map(([name]) => name).find((name) => name === query.get('scheme')) ?? 'light';

/** Returns the note for a dark preview: `forced` is an approximation, and most apps do not darken a message without dark styles. */
function schemeNote(scheme: ColourScheme, source: string): Html | null {
  if (scheme === 'forced')
    return html`<p class="note">Some apps, such as Outlook and Gmail on phones, invert messages that have no dark styles. This preview is an approximation: each app has its own rules.</p>`;
  if (scheme === 'dark' && !hasDarkStyles(source))
    return html`<p class="note">This message has no dark styles, so many mail apps show it like this in dark mode too. Choose “Forced dark” to see it inverted.</p>`;
  return null;
}

/** Colours in which a message is shown. `forced` imitates a mail program that inverts the message. */
type ColourScheme = 'light' | 'dark' | 'forced';

/**
 * Removes elements and attributes that lead to another address, load other content, or change the message later. The browser blocks these
 * parts too (`MESSAGE_IFRAME_HTTP_HEADERS`, `sandbox` of the frame, the policy of the page), but a reader could copy the address of a link.
 * The colours are part of the HTML, because a page cannot set them for a frame.
 */
export function makeHtmlInert(html: string, scheme: ColourScheme): string {
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
  const isDark = hasSchemeTag || hasDarkStyles(html);
  const head = HEAD + (scheme === 'forced' ? KEEP_IMAGES : isDark ? rootScheme(scheme) : '');
  return withScheme(html.slice(0, doctype) + head + pieces.join('') + html.slice(at), scheme);
}

/**
 * Reports whether the styles declare dark colours. Without the limits in the pattern, a message that repeats `color-scheme:` would block the
 * sandbox for minutes.
 */
const hasDarkStyles = (html: string): boolean => /color-schemes?\s{0,20}:[^;}]{0,100}dark/i.test(html);

const rootScheme = (scheme: ColourScheme): string => `<style>:root{color-scheme:${scheme}!important}</style>`;

/** Inverts images a second time, because the page inverts the whole frame: images keep their colours, as in mail programs. */
const KEEP_IMAGES = '<style>img,video{filter:invert(1) hue-rotate(180deg)!important}</style>';

/** Replaces the CSS conditions on `prefers-color-scheme` with conditions that are always true or always false. */
const withScheme = (html: string, scheme: ColourScheme): string =>
  html.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted: string) =>
    wanted.toLowerCase() === (scheme === 'dark' ? 'dark' : 'light') ? '(min-width:0px)' : '(max-width:0px)',
  );

/** Beginning of the HTML in the frame. Its style sheet makes links ignore clicks, and does not change how links look. */
const HEAD = '<meta charset="utf-8"><style>[href="#"]{pointer-events:none}</style>';

/** Elements that leave the page, load other content, or animate an attribute. */
const DROPPED: ReadonlySet<string> = new Set([
  ...['meta', 'base', 'link', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal'],
  ...['form', 'animate', 'set', 'animatemotion', 'animatetransform', 'animatecolor'],
]);

const IS_LINK = /^(xlink:)?href$/;
const LEADING =
  /^(xlink:href|href|target|ping|action|formaction|formtarget|srcdoc|manifest|background|on.*)$/;
const isLeading = (name: string): boolean => LEADING.test(name);
