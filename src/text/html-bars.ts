/** Bars as inline SVG, for pages that stand alone: as wide as there is room, with words that keep their size. */
import { type Html, html } from './html-page.ts';

export interface Bar {
  /** Stands over the bar, at its beginning. */
  readonly label: string;
  /** Stands over the bar, at its end. */
  readonly value: string;
  /** 0 to 1; what is more fills the whole. */
  readonly share: number;
  /** The second of two that stand beside each other. */
  readonly isOther?: boolean;
  /** It goes with the bar before it. */
  readonly isNear?: boolean;
}

const NEAR = 46;
const APART = 58;
const BAR = 14;
const TEXT = 16;

/** Lengths are pixels, but for what goes with the width. @param title what a screen reader says of it */
export function barChart(title: string, bars: readonly Bar[]): Html {
  let y = 0;
  const rows = bars.map(({ label, value, share, isOther = false, isNear = false }, at) => {
    if (at > 0) y += isNear ? NEAR : APART;
    return html`<text x="0" y="${y + TEXT}">${label}</text><text class="end" x="100%" y="${y + TEXT}">${value}</text>
<rect class="track" x="0" y="${y + TEXT + 8}" width="100%" height="${BAR}" rx="3"/>${filled(share, y + TEXT + 8, isOther)}
`;
  });
  return html`<svg role="img" aria-label="${title}" width="100%" height="${y + NEAR}">
<title>${title}</title>
${rows}</svg>
`;
}

/** What is not nothing shows, and only the whole fills the whole. */
function filled(share: number, y: number, isOther: boolean): Html | undefined {
  if (!(share > 0)) return undefined;
  const width = share >= 1 ? 100 : Math.min(99.5, Math.max(0.5, Math.round(share * 10_000) / 100));
  return html`<rect class="${isOther ? 'other' : 'bar'}" x="0" y="${y}" width="${width}%" height="${BAR}" rx="3"/>`;
}
