/** Suggests known words for a misspelt one. */

/**
 * Returns up to three words of `known` that are similar to `word`, the most similar first. A word is similar if it differs in at most two
 * letters (one letter if `word` has fewer than six letters). A word that contains `word` is also similar if `word` has at least three
 * letters.
 */
export function similarWords(word: string, known: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_WORD_LENGTH);
  if (wanted === '') return [];
  return [...new Set(known)]
    .map((each) => ({ each, away: distanceTo(each.toLowerCase(), wanted) }))
    .filter(({ away }) => away <= Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3))))
    .sort((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ each }) => each);
}

/** Maximum number of letters in which a suggestion may differ from the word. A suggestion that differs in more letters would mislead. */
const MAX_DISTANCE = 2;

/**
 * Maximum number of letters that are compared. No known name is longer, and the time of a comparison grows with the square of the length.
 */
const MAX_WORD_LENGTH = 64;

/**
 * Returns the number of letters in which the words differ. Returns less than 1 if `wanted` has at least three letters and `known` contains
 * `wanted`. `known` then comes before the other suggestions.
 */
function distanceTo(known: string, wanted: string): number {
  if (wanted.length >= 3 && known.includes(wanted)) return known.startsWith(wanted) ? 0.5 : 0.75;
  return changesBetween(known, wanted);
}

/** Returns how many letters are added, missing, replaced, or swapped with their neighbor, from `a` to `b`. */
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
