/**
 * Reads a phone number as people paste it: white space around it, and spaces, dashes, dots and parentheses
 * inside, are dropped, a leading `+` too. `(0)`, as in `+49 (0)170 …`, is refused: that zero is dialled
 * inside the country only, and keeping it would name somebody else's phone. wire.md, 'sender'.
 * @returns 7 to 15 digits, the first not 0; undefined where the text is none
 */
export function normaliseMsisdn(text: string): string | undefined {
  if (text.length > LONGEST_PASTE || TRUNK_ZERO.test(text)) return undefined;
  const bare = text.trim().replace(PUNCTUATION, '');
  return isMsisdn(bare) ? withoutPlus(bare) : undefined;
}

/** True for `[1-9][0-9]{6,14}`, with or without a leading `+`, and nothing else around or inside. */
export function isMsisdn(text: string): boolean {
  return text.length <= LONGEST_PASTE && MSISDN.test(text);
}

const LONGEST_PASTE = 64;
const MSISDN = /^\+?[1-9][0-9]{6,14}$/;
const TRUNK_ZERO = /\(\s?0\s?\)/;
const PUNCTUATION = /[\s().\-\u2010-\u2015]/g;

function withoutPlus(msisdn: string): string {
  return msisdn.startsWith('+') ? msisdn.slice(1) : msisdn;
}
