/**
 * Draws bars as inline SVG, for HTML pages that are complete in one file. The bars fill the available width, and their labels keep their
 * size.
 */
import { type Html, html } from './html-page.ts';

export interface ChartBar {
  /** Name of the bar, drawn above its left end. */
  readonly label: string;
  /** Formatted value of the bar, drawn above its right end. */
  readonly value: string;
  /** Filled part of the bar, from 0 to 1. A larger value fills the whole bar. */
  readonly share: number;
  /** True for the second of two compared bars. Such a bar has another color. */
  readonly isSecondOfPair?: boolean;
  /** True if the bar is drawn close to the previous bar, with which it is compared. */
  readonly isCloseToPrevious?: boolean;
}

const NEAR = 46;
const APART = 58;
const BAR = 14;
const TEXT = 16;

/**
 * Draws a chart with one row for each bar. Lengths are in pixels. Lengths that depend on the width of the page are in percent.
 * @param title text for screen readers
 */
export function barChart(title: string, bars: readonly ChartBar[]): Html {
  let y = 0;
  const rows = bars.map(({ label, value, share, isSecondOfPair = false, isCloseToPrevious = false }, at) => {
    if (at > 0) y += isCloseToPrevious ? NEAR : APART;
    return html`<text x="0" y="${y + TEXT}">${label}</text><text class="end" x="100%" y="${y + TEXT}">${value}</text>
<rect class="track" x="0" y="${y + TEXT + 8}" width="100%" height="${BAR}" rx="3"/>${filled(share, y + TEXT + 8, isSecondOfPair)}
`;
  });
  return html`<svg role="img" aria-label="${title}" width="100%" height="${y + NEAR}">
<title>${title}</title>
${rows}</svg>
`;
}

/** Draws the filled part of a bar. Any value above 0 is visible, and only 100 % fills the bar. */
function filled(share: number, y: number, isOther: boolean): Html | undefined {
  if (!(share > 0)) return undefined;
  const width = share >= 1 ? 100 : Math.min(99.5, Math.max(0.5, Math.round(share * 10_000) / 100));
  return html`<rect class="${isOther ? 'other' : 'bar'}" x="0" y="${y}" width="${width}%" height="${BAR}" rx="3"/>`;
}
