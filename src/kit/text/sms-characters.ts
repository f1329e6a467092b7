/**
 * Finds the characters that make an SMS more expensive, and suggests replacements in the GSM alphabet. The service does not make these
 * replacements. The interface does not say whether the service composes characters (Unicode NFC), such as `e` and a separate accent to `é`.
 * The last functions describe characters in words, for people who can't tell the characters apart by looking. The caller escapes the words
 * for a terminal.
 */
import { hasOnlyGsmCharacters, isExtendedGsmCharacter, measureSms, type SmsMeasure } from './gsm.ts';
import { joinAnd, joinFirst } from './words.ts';

export interface CostlyCharacter {
  /** Character as people see one: a letter with its combining accents, or an emoji of several code points. */
  readonly character: string;
  readonly count: number;
  /** Text that can replace the character; it can be empty (`''`). Null if no replacement keeps the meaning. */
  readonly instead: string | null;
}

/**
 * Returns the characters that make an SMS with this text more expensive, in the order in which they first appear (docs/contract.md,
 * "Insight"). If the text has characters outside the GSM alphabet, these characters force the SMS into UCS-2. Otherwise, the result has the
 * characters of the GSM alphabet that count twice.
 */
export function costlyCharacters(text: string): readonly CostlyCharacter[] {
  const found = new Map<string, { count: number; readonly instead: string | null }>();
  for (const { character, instead } of costlyPlaces(text)) {
    const known = found.get(character);
    if (known) known.count += 1;
    else found.set(character, { count: 1, instead });
  }
  return [...found].map(([character, { count, instead }]) => ({ character, count, instead }));
}

/** Position of a character that makes an SMS more expensive: `at` is an index into the text. */
interface CostlyPlace extends Omit<CostlyCharacter, 'count'> {
  readonly at: number;
}

export function* costlyPlaces(text: string): Generator<CostlyPlace> {
  const gsm = hasOnlyGsmCharacters(text);
  if (!gsm) {
    for (const { segment, index } of graphemesOf(text))
      if (!hasOnlyGsmCharacters(segment))
        yield { character: segment, instead: insteadOf(segment), at: index };
    return;
  }
  // Every character of the GSM alphabet is one code unit.
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isExtendedGsmCharacter(character)) yield { character, instead: SINGLE.get(character) ?? null, at };
  }
}

export interface CheaperText {
  readonly text: string;
  readonly measure: SmsMeasure;
  /**
   * Credits that `text` saves for each recipient in comparison with the original text. 0 if both texts cost the same and only their
   * alphabets (GSM or UCS-2) differ.
   */
  readonly saves: number;
}

/**
 * Returns the text with replacements for the characters that make an SMS more expensive. Returns undefined if the new text costs more
 * credits than the original text. Also returns undefined if both texts cost the same and have the same alphabet (GSM or UCS-2).
 * @param extraOctets octets that the service adds, as in `measureSms`
 */
export function cheaperText(text: string, extraOctets = 0): CheaperText | undefined {
  const before = measureSms(text, extraOctets);
  const written = replaceCostlyCharacters(text, (place) => place.instead ?? place.character);
  const measure = measureSms(written, extraOctets);
  const saves = before.credits - measure.credits;
  if (saves < 0 || (saves === 0 && measure.alphabet === before.alphabet)) return undefined;
  return { text: written, measure, saves };
}

/**
 * Returns the text with a replacement for each character that makes an SMS more expensive.
 * @param by returns the replacement of one character
 */
export function replaceCostlyCharacters(text: string, by: (place: CostlyPlace) => string): string {
  let written = '';
  let from = 0;
  for (const place of costlyPlaces(text)) {
    written += text.slice(from, place.at) + by(place);
    from = place.at + place.character.length;
  }
  return written + text.slice(from);
}

/**
 * Returns the replacement of a grapheme (a character as people see one), or null if there is no replacement. Composes the grapheme (NFC),
 * and then replaces each code point of the composed form. If a code point has no replacement, returns the composed form if that form is
 * shorter than the grapheme, otherwise null.
 */
function insteadOf(grapheme: string): string | null {
  const composed = grapheme.normalize('NFC');
  let written = '';
  for (const character of composed) {
    const same = hasOnlyGsmCharacters(character) ? character : (SAME.get(character) ?? fullWidth(character));
    if (same === undefined) return composed.length < grapheme.length ? composed : null;
    written += same;
  }
  return written;
}

/**
 * Returns the ASCII character for a full-width character that East Asian keyboards write: `A` for `Ａ`. Returns undefined for any other
 * character.
 */
function fullWidth(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0xff01 || code > 0xff5e) return undefined;
  const narrow = String.fromCharCode(code - 0xfee0);
  return hasOnlyGsmCharacters(narrow) ? narrow : undefined;
}

/** Returns pairs of a character and a replacement. Each character of `characters` gets the same replacement. */
const all = (replacement: string, characters: string): readonly (readonly [string, string])[] =>
  Array.from(characters, (character) => [character, replacement]);

const pairs = (from: string, to: string): readonly (readonly [string, string])[] => {
  const written = [...to];
  return Array.from(from, (character, index) => [character, written[index] ?? '']);
};

/**
 * Replacements that keep the meaning. Accents are not removed: `papá` is not `papa`, `sûr` not `sur`, and a Turkish `ı` not `i`. An acute
 * accent that the alphabet lacks may become a grave one, and a letter may change its case.
 */
const SAME: ReadonlyMap<string, string> = new Map([
  ...all("'", '\u2018\u2019\u201a\u201b\u2032\u02b9\u02bb\u02bc\u02bd\u00b4\u0060\u2039\u203a'),
  ...all('"', '\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f'),
  ...all('-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63'),
  ...all('...', '\u2026'),
  // The alphabet lacks the tab too.
  ...all(
    ' ',
    '\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
  ),
  ...all('\n', '\u000b\u0085\u2028\u2029'),
  // Invisible: soft hyphen, zero-width spaces and joiners, marks of direction, variation selectors.
  ...all('', '\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff'),
  ...all('*', '\u2022\u2023\u25cf\u25aa\u2217'),
  ...all('/', '\u2044\u2215'),
  ...all('~', '\u223c'),
  ...all(':', '\u2236'),
  ['\u00a9', '(c)'],
  ['\u00ae', '(R)'],
  ['\u2122', 'TM'],
  ['\u2116', 'No.'],
  ['\u00d7', 'x'],
  ['\u2192', '->'],
  ['\u2190', '<-'],
  ['\u2264', '<='],
  ['\u2265', '>='],
  ['\u20a4', '£'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['ĳ', 'ij'],
  ['Ĳ', 'IJ'],
  ['\ufb00', 'ff'],
  ['\ufb01', 'fi'],
  ['\ufb02', 'fl'],
  ['\ufb03', 'ffi'],
  ['\ufb04', 'ffl'],
  ...pairs('çẞ', 'Çß'),
  ...pairs('ÀÈÌÒÙ', 'àèìòù'),
  ...pairs('áíóú', 'àìòù'),
  // Greek capitals are in the alphabet, or look like a Latin one. Greek written in capitals has no accents.
  ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'ABΓΔEZHΘIKΛMNΞOΠPΣΣTYΦXΨΩ'),
  ...pairs('άέήίόύώΆΈΉΊΌΎΏ', 'AEHIOYΩAEHIOYΩ'),
]);

/**
 * Maps each character of the GSM alphabet that counts as two characters in an SMS to a replacement that counts as one: `[` to `(`.
 * Characters without such a replacement, such as `€`, are left out.
 */
const SINGLE: ReadonlyMap<string, string> = new Map([...pairs('[]{}', '()()'), ['\f', '\n']]);

let segmenter: Intl.Segmenter | undefined;

const PIECE = 512;

/**
 * Yields the text as graphemes. Splits the text into pieces first, because the time that V8 needs grows with the square of the text's
 * length. The last grapheme of a piece may be incomplete, so the next piece begins with this grapheme again.
 */
function* graphemesOf(text: string): Generator<{ readonly segment: string; readonly index: number }> {
  // Created at its first use, which takes 10 ms.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let size = PIECE;
  for (let from = 0; from < text.length; ) {
    const end = wholeAt(text, from + size);
    let last: { readonly segment: string; readonly index: number } | undefined;
    for (const { segment, index } of segmenter.segment(text.slice(from, end))) {
      if (last) yield last;
      last = { segment, index: from + index };
    }
    if (!last || end >= text.length) {
      if (last) yield last;
      return;
    }
    size = last.index === from ? size * 2 : PIECE;
    from = last.index;
  }
}

const wholeAt = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;

const MAX_NAMED = 5;

export const joinFirstFive = (words: readonly string[]): string =>
  words.length > MAX_NAMED ? joinFirst(words, MAX_NAMED) : joinAnd(words);

/** Returns a visible character with the code, such as `’ (U+2019)`. Returns only the code of an invisible character, such as `U+200B`. */
export const formatCharacterWithCode = (character: string): string =>
  isVisible(character)
    ? `${shortened(character)} (${formatCodePoints(character)})`
    : formatCodePoints(character);

/** Returns a visible character itself, such as `’`, and the code of an invisible one, such as `U+200B`. */
export const formatCharacterOrCode = (character: string): string =>
  isVisible(character) ? shortened(character) : formatCodePoints(character);

/**
 * Maximum number of code points of one visible character that svc prints. An emoji has at most a dozen code points, but a letter may have
 * any number of accents.
 */
const MAX_CODE_POINTS = 16;

function shortened(character: string): string {
  const codes = [...character];
  return codes.length > MAX_CODE_POINTS ? `${codes.slice(0, MAX_CODE_POINTS).join('')}…` : character;
}

/** Reports whether people can see the character: whether one of its code points is a letter, a number, a punctuation mark or a symbol. */
export const isVisible = (character: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);

export function formatCodePoints(text: string): string {
  const codes = Array.from(
    text,
    (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return codes.length > MAX_CODE_POINTS ? `${codes.slice(0, MAX_CODE_POINTS).join(' ')} …` : codes.join(' ');
}

export const formatOccurrences = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/**
 * Returns a text that shows people the replacement `instead` for `character`. If the replacement is invisible, the text describes the
 * replacement in words: `a line break`. If the replacement looks like the character, the text also has the code of the replacement.
 */
export function describeReplacement(character: string, instead: string): string {
  if (instead === '') return 'nothing';
  if (instead === character.normalize('NFC'))
    return `${instead} as one character (${formatCodePoints(instead)})`;
  if (instead === '\n') return 'a line break';
  return instead === ' ' ? 'a plain space' : instead;
}
