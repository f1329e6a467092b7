import { DAY_NAMES, MONTHS } from './calendar.ts';
import { similarWords } from './words.ts';

const DAYS = [...DAY_NAMES, 'today', 'tomorrow'];
const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3).toLowerCase());
const PARTS_OF_DAY: Readonly<Record<string, string>> = {
  morning: '09:00',
  noon: '12:00',
  midday: '12:00',
  afternoon: '14:00',
  evening: '18:00',
  midnight: '00:00',
};

/**
 * Returns a phrase that `isTime` accepts and that most likely means what the user meant, or undefined.
 * @param phrase phrase in lower case, without spaces at its ends
 * @param year the present year, for dates without a year
 */
export function suggestTimePhrase(
  phrase: string,
  year: number,
  isTime: (phrase: string) => boolean,
): string | undefined {
  for (const rewrite of REWRITES) {
    const rewritten = rewrite(phrase, year);
    if (rewritten === undefined || rewritten === phrase) continue;
    const near = [rewritten, `${rewritten} 09:00`, withTimeOfDay(rewritten)].find((each) => isTime(each));
    if (near !== undefined) return near;
  }
  return undefined;
}

/** Returns the phrase with its last number written as a time of day: `tomorrow 9` becomes `tomorrow 09:00`. */
const withTimeOfDay = (phrase: string): string =>
  phrase.replace(/ (?:at )?([0-9]{1,2})$/, (_, hour: string) => ` ${hour.padStart(2, '0')}:00`);

const REWRITES: readonly ((phrase: string, year: number) => string | undefined)[] = [
  (phrase) => phrase.replace(/(^| )([0-9]{1,2})[.h]([0-9]{2})$/, '$1$2:$3'),
  withTimeOfDay,
  (phrase) => /^(.+) from now$/.exec(phrase)?.[1]?.replace(/^/, 'in '),
  (phrase) => (/^[0-9.]+ ?[a-z]/.test(phrase) ? `in ${phrase}` : undefined),
  (phrase) => phrase.replace(/ ?(?:utc|gmt)$/, 'z'),
  (phrase) => phrase.replace(/^tonight$/, 'today 20:00').replace(/^(?:this )?(?:tonight|evening)/, 'today'),
  (phrase) => (phrase === 'next week' ? 'next monday 09:00' : undefined),
  (phrase) => phrase.replace(/^([0-9]{4})([0-9]{2})([0-9]{2})t?([0-9]{2})([0-9]{2})$/, '$1-$2-$3 $4:$5'),
  (phrase) =>
    phrase.replace(/^([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})/, (_, y, m, d) => dateText(y, m, d)),
  inWords,
  partOfDay,
  withCorrectDay,
];

const dateText = (year: string | number, month: string | number, day: string | number): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** Rewrites a date with the name of a month, such as `25 december 2026 9am` or `dec 25th, 9am`, as a date that svc can read. */
function inWords(phrase: string, thisYear: number): string | undefined {
  const dayFirst =
    /^([0-9]{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]{3,9})\.?,?(?: ([0-9]{4}))?(?:,? (.*))?$/.exec(phrase);
  const monthFirst = /^([a-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,?(?: ([0-9]{4}))?(?:,? (.*))?$/.exec(
    phrase,
  );
  const [, day = '', name = '', year = thisYear, rest] =
    dayFirst ?? (monthFirst && [monthFirst[0], monthFirst[2], monthFirst[1], ...monthFirst.slice(3)]) ?? [];
  const month = SHORT_MONTHS.indexOf(name.slice(0, 3)) + 1;
  if (month === 0) return undefined;
  return `${dateText(year, month, day)}${rest ? ` ${rest}` : ''}`;
}

function partOfDay(phrase: string): string | undefined {
  const word = Object.keys(PARTS_OF_DAY).find((each) => phrase.endsWith(each));
  if (word === undefined) return undefined;
  const day = phrase
    .slice(0, -word.length)
    .trimEnd()
    .replace(/(?:at|this|in the)$/, '')
    .trim();
  return `${day === '' ? 'today' : day} ${PARTS_OF_DAY[word]}`;
}

/**
 * Returns the phrase with a misspelt day corrected: `tomorow 9am` becomes `tomorrow 9am`. Returns undefined if no day has a similar name.
 */
function withCorrectDay(phrase: string): string | undefined {
  const [, before = '', word = '', rest = ''] = /^(next |on )?([a-z]{3,10})(.*)$/.exec(phrase) ?? [];
  const [near] = /^tmr|^tmw/.test(word) ? ['tomorrow'] : similarWords(word, DAYS);
  return near === undefined ? undefined : `${before === 'next ' ? before : ''}${near}${rest}`;
}
