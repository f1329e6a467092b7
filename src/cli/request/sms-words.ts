/** Describes an SMS for `sms estimate`, and in one line before every send. */
import { MAX_SMS_PARTS, measureSms, type SmsMeasure } from '../../kit/text/gsm.ts';
import {
  type CostlyCharacter,
  cheaperText,
  costlyCharacters,
  describeReplacement,
  formatCharacterOrCode,
  formatCodePoints,
  joinFirstFive,
} from '../../kit/text/sms-characters.ts';
import { formatCountWithNoun, groupThousands } from '../../kit/text/words.ts';

/**
 * Adds advice if other characters make the SMS cheaper: `SMS: UCS-2 (–), 3 parts, 3 credits × 12,430 =
 * 37,290; – → - makes it GSM, 1 part: saves 2 credits × 12,430 = 24,860`.
 */
export function formatSmsCostLine(text: string, extraOctets: number, recipients: number | undefined): string {
  const measure = measureSms(text, extraOctets);
  const costly = costlyCharacters(text);
  const because =
    measure.alphabet === 'UCS-2' ? ` (${formatCharacterList(costly.map(({ character }) => character))})` : '';
  const cost = `SMS: ${measure.alphabet}${because}, ${formatSmsPartCount(measure.parts)}, ${formatSmsCredits(measure.credits, recipients)}`;
  const cheaper = cheaperText(text, extraOctets);
  if (!cheaper || cheaper.saves === 0) return cost;
  const serving = findCheaperReplacements(costly);
  const make = serving.length === 1 ? 'makes' : 'make';
  return `${cost}; ${formatReplacementList(serving)} ${make} it ${formatSmsAlphabetAndPartCount(cheaper.measure)}: saves ${formatSmsCredits(cheaper.saves, recipients)}`;
}

/** Returns `’ and –`. */
export const formatCharacterList = (characters: readonly string[]): string =>
  joinFirstFive(characters.map(formatCharacterOrCode));

/** Returns `’ → ' and – → -`. */
export const formatReplacementList = (replacements: readonly Replacement[]): string =>
  joinFirstFive(replacements.map(replacementText));

interface Replacement {
  readonly character: string;
  readonly instead: string;
}

/** Returns `’ → '`, or `U+0065 U+0301 → é as one character (U+00E9)`. */
function replacementText({ character, instead }: Replacement): string {
  const looksTheSame = instead === character.normalize('NFC');
  const before = looksTheSame ? formatCodePoints(character) : formatCharacterOrCode(character);
  return `${before} → ${describeReplacement(character, instead)}`;
}

export const findCheaperReplacements = (costly: readonly CostlyCharacter[]): readonly Replacement[] =>
  costly.flatMap((each) =>
    each.instead === null ? [] : [{ character: each.character, instead: each.instead }],
  );

/** Returns `GSM, 1 part`. */
export function formatSmsAlphabetAndPartCount({ alphabet, parts }: SmsMeasure): string {
  return `${alphabet}, ${formatSmsPartCount(parts)}${parts > MAX_SMS_PARTS ? ', still too many' : ''}`;
}

export const formatSmsPartCount = (count: number): string =>
  formatCountWithNoun(count, 'part', groupThousands(count));

/** Returns `2 credits × 12,430 = 24,860`, `2 credits` for one recipient, or `2 credits for each recipient` for an unknown number. */
export function formatSmsCredits(credits: number, recipients: number | undefined): string {
  const each = formatCountWithNoun(credits, 'credit', groupThousands(credits));
  if (recipients === undefined) return `${each} for each recipient`;
  return recipients === 1
    ? each
    : `${each} × ${groupThousands(recipients)} recipients = ${groupThousands(credits * recipients)} credits`;
}
