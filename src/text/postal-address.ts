/** Compares a text with a postal address. */

/** Share of the address's words that must occur. Two of three are enough, because the address may be written in another way. */
const ENOUGH = 2 / 3;

/** Reports whether the text contains the address, in whatever order and punctuation. An empty address is in no text. */
export function mentionsAddress(text: string, address: string): boolean {
  const wanted = lowerCaseWords(address);
  if (wanted.length === 0) return false;
  const found = new Set(lowerCaseWords(text));
  return wanted.filter((word) => found.has(word)).length >= wanted.length * ENOUGH;
}

const lowerCaseWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
