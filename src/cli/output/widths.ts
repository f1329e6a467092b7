/** Decides which columns of a table fit a terminal, and how wide each may be. */

/** Spaces between two columns of a table. */
export const GAP = 2;

export interface Need {
  /** Width of its widest cell. */
  readonly natural: number;
  /** Kind of truncation: a text may be truncated, a name only as a last resort; an id, a number, a time or a state never. */
  readonly cut: 'text' | 'name' | 'never';
  /** True if the column identifies the row: the ids, names, times and states at the beginning. */
  readonly leads: boolean;
}

/**
 * Returns the widths of the columns that fit into `width`, from the first on.
 * 1. The last columns are omitted, but not the leading ones.
 * 2. The beginning of a long text after the remaining columns is shown if there is room.
 * 3. If the leading columns are too wide, their names are truncated to no less than 12, and finally columns are omitted too.
 * @param width if undefined, nothing is truncated or omitted
 * @param keepAll the user asked for every column: texts are truncated first, then names; finally lines exceed `width`
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

/** Width of a short text, such as an address. It is not truncated, because half of it would be useless. */
const SHORT_TEXT = 30;
/** Fewest columns of a long text that are useful. */
const LEAST_TEXT = 20;
const LEAST_NAME = 12;

/** Truncates the widest texts to one width, and if that is not enough, the widest names too. */
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
