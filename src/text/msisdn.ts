/**
 * Normalises a phone number as people paste it. It drops surrounding white space, inner spaces, dashes, dots and parentheses, and a leading
 * `+`. `(0)`, as in `+49 (0)170 …`, is rejected: that zero is dialled inside the country only, and keeping it would name another person's
 * phone. wire.md, 'sender'.
 * @returns 7 to 15 digits, the first not 0; undefined if the text is not a phone number
 */
export function normaliseMsisdn(text: string): string | undefined {
  if (text.length > LONGEST_PASTE || TRUNK_ZERO.test(text)) return undefined;
  const bare = text.trim().replace(PUNCTUATION, '');
  return isMsisdn(bare) ? withoutPlus(bare) : undefined;
}

/** Reports whether the text is `[1-9][0-9]{6,14}`, with or without a leading `+`, and nothing else around or inside. */
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
