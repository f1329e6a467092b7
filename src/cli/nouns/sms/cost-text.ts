import { alignColumns, displayWidth } from '../../../kit/text/display-width.ts';
import { MAX_SMS_PARTS, measureSms, type SmsMeasure } from '../../../kit/text/gsm.ts';
import {
  type CostlyCharacter,
  cheaperText,
  costlyCharacters,
  describeReplacement,
  formatCharacterOrCode,
  formatCodePoints,
  formatOccurrences,
  isVisible,
  joinFirstFive,
  replaceCostlyCharacters,
} from '../../../kit/text/sms-characters.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import {
  findCheaperReplacements,
  formatCharacterList,
  formatReplacementList,
  formatSmsAlphabetAndPartCount,
  formatSmsCredits,
  formatSmsPartCount,
} from '../../request/sms-words.ts';

/** A text in Greek, for example, can have dozens of costly characters. */
const MAX_SHOWN = 20;

/** Wraps lines at `width`, the columns of a terminal, if it is given. The text ends in a newline. */
export async function describeSmsCostEstimate(
  text: string,
  recipients: number | undefined,
  width?: number,
): Promise<string> {
  const measure = measureSms(text);
  if (measure.parts === 0) return 'The text is empty. No SMS would be sent.\n';
  const costly = costlyCharacters(text);
  const lines = [
    summaryOf(measure, recipients),
    ...(measure.parts > MAX_SMS_PARTS
      ? [`The service rejects this text: the maximum is ${MAX_SMS_PARTS} parts.`]
      : []),
    ...(costly.length === 0
      ? []
      : ['', ...costlyLines(measure, costly), '', ...savingLines(text, costly, recipients)]),
    // An estimate asks no service, so it works without a profile and in a build. The question before a send names the balance.
    ...(recipients === undefined ? [] : ['svc account get shows how many SMS credits you have.']),
  ];
  const { wrapWithHangingIndent } = await import('../../../kit/text/wrapped.ts');
  const wrap = (line: string): string =>
    width === undefined || displayWidth(line) <= width ? line : wrapWithHangingIndent(line, width);
  return lines.map((line) => `${wrap(escapeForTerminal(line))}\n`).join('');
}

function summaryOf(measure: SmsMeasure, recipients: number | undefined): string {
  const { alphabet, characters, septets, parts, credits } = measure;
  const count = septets === characters ? '' : `, which count as ${septets}`;
  const what = `${formatCountWithNoun(characters, 'character')}${count}`;
  return `${alphabet}: ${what}, in ${formatSmsPartCount(parts)}: ${formatSmsCredits(credits, recipients)}`;
}

function costlyLines({ alphabet }: SmsMeasure, costly: readonly CostlyCharacter[]): readonly string[] {
  const heading =
    alphabet === 'UCS-2'
      ? 'These characters are outside the GSM alphabet, so a part holds 70 characters instead of 160:'
      : 'These characters count twice:';
  const rows = costly
    .slice(0, MAX_SHOWN)
    .map(({ character, count, instead }) => [
      isVisible(character) ? escapeForTerminal(formatCharacterOrCode(character)) : '',
      formatCodePoints(character),
      formatOccurrences(count),
      instead === null ? 'no equivalent' : `write ${describeReplacement(character, instead)}`,
    ]);
  const more = costly.length - rows.length;
  return [
    heading,
    ...alignColumns(rows).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more; -o json shows all`] : []),
  ];
}

function savingLines(
  text: string,
  costly: readonly CostlyCharacter[],
  recipients: number | undefined,
): readonly string[] {
  const serving = findCheaperReplacements(costly);
  const leftOut = savingsWithoutCharacters(text, costly, recipients);
  if (serving.length === 0) return ['These characters have no cheaper equivalent.', ...leftOut];
  const cheaper = cheaperText(text);
  if (!cheaper) return ['With these replacements, the text costs as much as the original text.', ...leftOut];
  const outcome = `With these replacements, the text is ${formatSmsAlphabetAndPartCount(cheaper.measure)}`;
  if (cheaper.saves === 0) return [`${outcome}, and costs as much as the original text.`, ...leftOut];
  return [`${outcome}, which saves ${formatSmsCredits(cheaper.saves, recipients)}.`, ...leftOut];
}

const MAX_LEFT_OUT = 3;

/** Counts the costly characters without a cheaper replacement as removed, if they are few and no letters. */
function savingsWithoutCharacters(
  text: string,
  costly: readonly CostlyCharacter[],
  recipients: number | undefined,
): readonly string[] {
  const others = costly.filter(({ instead }) => instead === null).map(({ character }) => character);
  if (others.length === 0 || others.length > MAX_LEFT_OUT || others.some((each) => /\p{L}/u.test(each)))
    return [];
  const measure = measureSms(replaceCostlyCharacters(text, ({ instead }) => instead ?? ''));
  const least = cheaperText(text)?.measure.credits ?? measureSms(text).credits;
  if (measure.credits >= least || measure.credits === 0) return [];
  const saves = measureSms(text).credits - measure.credits;
  const also = others.length < costly.length ? ' as well' : '';
  return [
    `Without ${joinFirstFive(others.map(formatCharacterOrCode))}${also}, the text is ${formatSmsAlphabetAndPartCount(measure)}, which saves ${formatSmsCredits(saves, recipients)}.`,
  ];
}

/** Maximum number of different costly characters in the summary. */
const MAX_KEPT = 20;

/** Keeps no texts in memory, only some costly characters for the summary. */
export function createSmsCostCounter() {
  const total = { sms: 0, ucs2: 0, parts: 0, credits: 0, saves: 0 };
  const outside = new Set<string>();
  const served = new Map<string, string>();
  return {
    credits: () => total.credits,
    add: (text: string): void => {
      const { alphabet, parts, credits } = measureSms(text);
      total.sms += 1;
      total.parts += parts;
      total.credits += credits;
      if (alphabet === 'GSM') return;
      total.ucs2 += 1;
      const saves = cheaperText(text)?.saves ?? 0;
      total.saves += saves;
      for (const { character, instead } of costlyCharacters(text)) {
        if (outside.size < MAX_KEPT) outside.add(character);
        if (saves > 0 && instead !== null && served.size < MAX_KEPT) served.set(character, instead);
      }
    },
    line: (): string => {
      const { sms, ucs2, parts, credits, saves } = total;
      const because = ucs2 === 0 ? '' : ` (${formatCharacterList([...outside])})`;
      const cost = `SMS: ${groupThousands(sms)} in the file, ${groupThousands(ucs2)} with characters that need UCS-2 encoding${because}; ${formatSmsPartCount(parts)}, ${formatSmsCredits(credits, 1)}`;
      if (saves === 0) return cost;
      const serving = [...served].map(([character, instead]) => ({ character, instead }));
      return `${cost}; ${formatReplacementList(serving)} ${serving.length === 1 ? 'saves' : 'save'} ${formatSmsCredits(saves, 1)}`;
    },
  };
}
