/**
 * Splits a line into words as a shell would. Blanks separate words, `'…'` and `"…"` keep them together, and `\` takes the next character
 * literally. No other character is special.
 * @returns undefined if a quote isn't closed, or a `\` ends the line
 */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      if (at === line.length) return undefined;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}
