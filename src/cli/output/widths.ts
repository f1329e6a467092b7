/** How wide each column of a table may be. */

/** Columns of blank between two columns of a table. */
export const GAP = 2;

export interface Need {
  /** Columns that its widest cell takes. */
  readonly natural: number;
  /** Whether its texts may be cut. Numbers, times and ids never are. */
  readonly shrinks: boolean;
}

/**
 * Widths of as many columns as fit, from the first on, into `width`. The widest texts are cut first, all to the same
 * width, none below 12; when even that is too wide, the last columns are left out, or where none may be (`keepAll`),
 * lines are longer than `width`.
 * @param width undefined: nothing is cut
 */
export function fitWidths(
  needs: readonly Need[],
  width: number | undefined,
  keepAll: boolean,
): readonly number[] {
  const natural = needs.map((need) => need.natural);
  if (width === undefined || lineWidth(natural) <= width) return natural;
  const narrow = cappedAt(needs, NARROWEST);
  let count = needs.length;
  while (!keepAll && count > 1 && lineWidth(narrow.slice(0, count)) > width) count--;
  const kept = needs.slice(0, count);
  let low = NARROWEST;
  let high = Math.max(low, ...natural);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineWidth(cappedAt(kept, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cappedAt(kept, low);
}

const NARROWEST = 12;

const cappedAt = (needs: readonly Need[], cap: number): readonly number[] =>
  needs.map(({ natural, shrinks }) => (shrinks ? Math.min(natural, cap) : natural));

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
