/** Shows the HTML of a message in a frame. Its links, forms and scripts are disabled. The reader chooses the width and the colours. */
import { type ColourScheme, hasDarkStyles } from '../../kit/text/html-inert.ts';
import type { CompanyPageRequest, ShownMessage } from './page.ts';
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
  message: ShownMessage,
  fixedWidth?: 'narrow',
): Html {
  const { query } = call;
  const source = message.html;
  if (!source) return html`<p class="soft">There is no HTML part.</p>`;
  const width =
    fixedWidth ?? WIDTHS.map(([name]) => name).find((name) => name === query.get('width')) ?? 'desktop';
  const scheme = readColourScheme(call);
  const reader = query.get('as');
  const link = (changes: Readonly<Record<string, string>>): string => linkWith(call, message.path, changes);
  const widths =
    fixedWidth === undefined
      ? html`<div class="widths">${tabs('Width', width, WIDTHS, (each) => link({ width: each }))}</div>`
      : null;
  return html`<div class="tools">${widths}${tabs('Colours', scheme, SCHEMES, (each) => link({ scheme: each }))}</div>
${schemeNote(scheme, source)}
<div class="stage" tabindex="0" role="group" aria-label="The message as the recipient sees it"><iframe class="${width} ${scheme}" sandbox="allow-same-origin" referrerpolicy="no-referrer" title="The HTML of the message" src="${call.pathOf(
    `${message.path}?frame=html&scheme=${scheme}${reader === null ? '' : `&as=${encodeURIComponent(reader)}`}`,
  )}"></iframe></div>
<p class="soft small">Remote images (in a dashed frame), scripts and links are off.${message.isDelivered ? ' To follow a link, use “Click”.' : null}</p>`;
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
