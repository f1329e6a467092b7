/** Which columns of a table fit a terminal, and how wide each may be. */

/** Columns of blank between two columns of a table. */
export const GAP = 2;

export interface Need {
  /** Columns that its widest cell takes. */
  readonly natural: number;
  /** What may be cut: a text, a name only where nothing else helps, and never an id, a number, a time or a state. */
  readonly cut: 'text' | 'name' | 'never';
  /** It says what the row is: ids, names, times and states at the beginning. */
  readonly leads: boolean;
}

/**
 * Widths of as many columns as fit, from the first on, into `width`.
 * 1. The last columns are left out, up to those that lead.
 * 2. Of a long text that stands after those that stay the beginning is shown, where there is room for that.
 * 3. Where those that lead are too wide, their names are cut, none below 12, and at last they are left out too.
 * @param width undefined: nothing is cut or left out
 * @param keepAll every column was asked for: texts are cut first, then names; at last lines are longer than `width`
 */
export function fitWidths(
  needs: readonly Need[],
  width: number | undefined,
  keepAll: boolean,
): readonly number[] {
  const natural = needs.map((need) => need.natural);
  if (width === undefined || lineWidth(natural) <= width) return natural;
  if (keepAll) return shrunk(needs, width);
  const others = needs.findIndex(({ leads }) => !leads);
  const leading = Math.max(1, others === -1 ? needs.length : others);
  let count = Math.max(leading, needs.length - 1);
  while (count > leading && lineWidth(natural.slice(0, count)) > width) count -= 1;
  const whole = natural.slice(0, count);
  const room = width - lineWidth(whole) - GAP;
  if (room >= -GAP) {
    const next = needs[count];
    const isLong = next?.cut === 'text' && next.natural > SHORT_TEXT;
    return isLong && room >= LEAST_TEXT ? [...whole, room] : whole;
  }
  const narrow = needs.map((need) => capped(need, LEAST_NAME, ['text', 'name']));
  while (count > 1 && lineWidth(narrow.slice(0, count)) > width) count -= 1;
  return shrunk(needs.slice(0, count), width);
}

/** An address, say: half of it tells nothing. */
const SHORT_TEXT = 30;
/** Fewer columns of a long text tell nothing. */
const LEAST_TEXT = 20;
const LEAST_NAME = 12;

/** The widest texts cut to one width, and where that isn't enough the widest names too. */
function shrunk(needs: readonly Need[], width: number): readonly number[] {
  const texts = needs.some(({ cut }) => cut === 'text') ? fitted(needs, width, ['text']) : undefined;
  return texts !== undefined && lineWidth(texts) <= width ? texts : fitted(needs, width, ['text', 'name']);
}

function fitted(needs: readonly Need[], width: number, which: readonly Need['cut'][]): readonly number[] {
  const cappedAt = (cap: number) => needs.map((need) => capped(need, cap, which));
  let low = LEAST_NAME;
  let high = Math.max(low, ...needs.map(({ natural }) => natural));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineWidth(cappedAt(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cappedAt(low);
}

const capped = ({ natural, cut }: Need, cap: number, which: readonly Need['cut'][]): number =>
  which.includes(cut) ? Math.min(natural, cap) : natural;

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
