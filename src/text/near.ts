/** The words that a misspelt one was most likely meant to be. */

/** The nearest of `known` first, three at most: those few letters away, and those that begin with it or hold it. */
export function nearWords(word: string, known: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase().slice(0, LONGEST);
  if (wanted === '') return [];
  return [...new Set(known)]
    .map((each) => ({ each, away: distanceTo(each.toLowerCase(), wanted) }))
    .filter(({ away }) => away <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ each }) => each);
}

/** No name that we know is longer, and the work grows with the square. */
const LONGEST = 64;

/** Half a letter for a word that goes on, or has it inside: less than one that is spelt otherwise. */
function distanceTo(known: string, wanted: string): number {
  if (wanted.length >= 3 && known.includes(wanted)) return known.startsWith(wanted) ? 0.5 : 0.75;
  return changesBetween(known, wanted);
}

/** How many letters are added, left out, replaced, or changed places with their neighbour. */
function changesBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const same = a[row - 1] === b[at - 1];
      const swapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      line.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (line[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[b.length] ?? 0;
}
