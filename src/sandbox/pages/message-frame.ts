/** Shows the HTML of a message in a frame, at the width and in the colours of a reader. */
import { hasDarkStyles, type Scheme } from './inert.ts';
import type { PageCall, Shown } from './page.ts';
import { type Html, html, NONE, tabs, viewLink } from './parts.ts';

/** Widths of the frame: like a phone, a tablet and a window. */
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

/** @param given a width without a choice, for a frame beside other content */
export function htmlFrame(call: PageCall, shown: Shown, given?: 'narrow'): Html {
  const { query } = call;
  const source = shown['html'];
  if (typeof source !== 'string' || source === '') return html`<p class="soft">There is no HTML part.</p>`;
  const width =
    given ?? WIDTHS.map(([name]) => name).find((name) => name === query.get('width')) ?? 'desktop';
  const scheme = schemeIn(call);
  const widths = WIDTHS.map(([value, label]) => ({ value, label, href: viewLink(call, { width: value }) }));
  const schemes = SCHEMES.map(([value, label]) => ({
    value,
    label,
    href: viewLink(call, { scheme: value }),
  }));
  return html`<div class="tools">${given === undefined ? html`<div class="widths">${tabs('Width', width, widths)}</div>` : NONE}${tabs('Colours', scheme, schemes)}</div>
${schemeNote(scheme, source)}
<div class="stage" tabindex="0" role="group" aria-label="The message as the recipient sees it"><iframe class="${width} ${scheme}" sandbox="" referrerpolicy="no-referrer" title="The HTML of the message" src="${call.pathOf(
    `outbox/${call.params['id']}?frame=html&scheme=${scheme}`,
  )}"></iframe></div>
<p class="soft small">Remote images, scripts and links are off. To follow a link, use “Click” under “Be the recipient”.</p>`;
}

export const schemeIn = ({ query }: PageCall): Scheme =>
  SCHEMES.map(([name]) => name).find((name) => name === query.get('scheme')) ?? 'light';

/** Explains a dark preview. Most messages have no dark styles, and then the preview changes nothing. */
function schemeNote(scheme: Scheme, source: string): Html {
  if (scheme === 'forced')
    return html`<p class="note">Some apps, such as Outlook and Gmail on phones, invert messages that have no dark styles. This preview is an approximation: each app has its own rules.</p>`;
  if (scheme === 'dark' && !hasDarkStyles(source))
    return html`<p class="note">This message has no dark styles, so many mail apps show it like this in dark mode too. Choose “Forced dark” to see it inverted.</p>`;
  return NONE;
}
