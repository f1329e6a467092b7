/** Decides which columns of a table fit a terminal, and how wide each may be. */

/** Spaces between two columns of a table. */
export const GAP = 2;

export interface Need {
  /** Width of its widest cell. */
  readonly natural: number;
  /**
   * Kind of truncation: a text may be truncated; a name after the texts; a wrapped text continues on the next line; an id, a number, a time
   * or a state never.
   */
  readonly cut: 'text' | 'name' | 'wrap' | 'never';
  /** Importance of the column. Less important columns are omitted first; of two equal ones, the later one. */
  readonly rank: Rank;
}

export const RANK = {
  /** Has the same value in every row. */
  constant: 0,
  ordinary: 1,
  /** Tells what the row is about: a name, a subject, a recipient. */
  essential: 2,
  id: 3,
} as const;

export type Rank = (typeof RANK)[keyof typeof RANK];

/**
 * Returns the width of each column, or undefined for a column that is omitted.
 * 1. Texts and names are truncated, but not below a comfortable width as long as a less important column can be omitted.
 * 2. Less important columns are omitted: first the constant ones, then the ordinary ones.
 * 3. If the essential columns are still too wide, they are truncated to no less than 12, and finally omitted too.
 * @param width if undefined, nothing is truncated or omitted
 * @param keepAll the user asked for every column: texts are truncated first, then names; finally lines exceed `width`
 */
export function fitWidths(
  needs: readonly Need[],
  width: number | undefined,
  keepAll: boolean,
): readonly (number | undefined)[] {
  const natural = needs.map((need) => need.natural);
  if (width === undefined || lineWidth(natural) <= width) return natural;
  const kept = keepAll ? new Set(needs) : keptNeeds(needs, width);
  const widths = shrunk([...kept], width);
  const widthOf = new Map([...kept].map((need, index) => [need, widths[index]]));
  return needs.map((need) => widthOf.get(need));
}

/** Returns the columns to show, in their order. At least one stays. */
function keptNeeds(needs: readonly Need[], width: number): ReadonlySet<Need> {
  const byRank = [...needs].sort((one, other) => other.rank - one.rank);
  const kept = new Set(byRank.slice(0, 1));
  let isShort = false;
  for (const need of byRank.slice(1)) {
    // A column that is the same in every row never replaces one that tells something.
    if (need.rank === RANK.constant && isShort) continue;
    const widths = [...kept, need].map((each) => leastBeside(need, each, width));
    if (lineWidth(widths) <= width) kept.add(need);
    else isShort = true;
  }
  return new Set(needs.filter((need) => kept.has(need)));
}

/** Returns how far `each` may shrink before `need` is omitted. Nothing shrinks for a column that is the same in every row. */
function leastBeside({ rank }: Need, each: Need, width: number): number {
  if (rank === RANK.constant) return each.natural;
  return rank >= RANK.essential ? leastWidth(each) : comfortableWidth(each, width);
}

/** Width of a short text, such as an address. It is not truncated to make room, because half of it would be useless. */
const SHORT_TEXT = 30;
/** Columns of a long text that are useful: of any, and of one that tells what the row is about. */
const USEFUL_TEXT = 20;
const USEFUL_SUBJECT = 30;
/** Part of the line that a name may take before other columns are omitted for it. */
const SHARE_OF_NAME = 0.4;
const LEAST = 12;

const leastWidth = ({ natural, cut }: Need): number => (cut === 'never' ? natural : Math.min(natural, LEAST));

function comfortableWidth({ natural, cut, rank }: Need, width: number): number {
  if (cut === 'never' || (cut === 'text' && natural <= SHORT_TEXT)) return natural;
  if (cut === 'name') return Math.min(natural, Math.max(USEFUL_TEXT, Math.floor(SHARE_OF_NAME * width)));
  return Math.min(natural, rank === RANK.essential && cut === 'text' ? USEFUL_SUBJECT : USEFUL_TEXT);
}

/** Truncates the widest texts to one width, and if that is not enough, the widest names too. */
function shrunk(needs: readonly Need[], width: number): readonly number[] {
  const [texts = []] = [
    fitted(needs, width, ['text', 'wrap'], USEFUL_TEXT),
    fitted(needs, width, ['text', 'wrap', 'name'], LEAST),
  ].filter((widths) => lineWidth(widths) <= width);
  return texts.length > 0 ? texts : fitted(needs, width, ['text', 'wrap', 'name'], LEAST);
}

function fitted(
  needs: readonly Need[],
  width: number,
  which: readonly Need['cut'][],
  least: number,
): readonly number[] {
  const cappedAt = (cap: number) =>
    needs.map(({ natural, cut }) => (which.includes(cut) ? Math.min(natural, cap) : natural));
  let low = least;
  let high = Math.max(low, ...needs.map(({ natural }) => natural));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineWidth(cappedAt(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cappedAt(low);
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
