/** Small drawings as inline SVG, as wide as the available space. */
import { count, type Html, html, NONE } from './parts.ts';

export interface Share {
  readonly label: string;
  readonly count: number;
  readonly kind: 'done' | 'out' | 'ahead';
}

/** Draws the parts of a whole as one bar with a legend. @param title the text for screen readers */
export function shareBar(title: string, shares: readonly Share[]): Html {
  const whole = shares.reduce((sum, each) => sum + each.count, 0);
  let at = 0;
  const parts = shares.map((each) => {
    const width = whole === 0 ? 0 : (100 * each.count) / whole;
    const x = at;
    at += width;
    return width === 0
      ? NONE
      : html`<rect class="${each.kind}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" height="100%"/>`;
  });
  return html`<svg class="share" role="img" aria-label="${title}"><rect class="ahead" width="100%" height="100%"/>${parts}</svg>
<ul class="legend">${shares.map((each) => html`<li class="${each.kind}"><b>${count(each.count)}</b> ${each.label}</li>`)}</ul>`;
}

/** Draws a thin bar for a row. @param share 0 to 1 */
export const thinBar = (title: string, share: number): Html =>
  html`<svg class="thin" role="img" aria-label="${title}"><rect class="ahead" width="100%" height="100%"/><rect class="done" width="${(
    100 * Math.min(1, Math.max(0, share))
  ).toFixed(2)}%" height="100%"/></svg>`;
