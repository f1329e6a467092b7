/** Sums up the cost of the SMS of a file: alphabets, parts, credits, and possible savings. */
import { measureSms } from '../../../text/gsm.ts';
import { cheaperText, costlyCharacters } from '../../../text/sms-characters.ts';
import { groupThousands } from '../../../text/words.ts';
import {
  formatCharacterList,
  formatReplacementList,
  formatSmsCredits,
  formatSmsPartCount,
} from '../../request/sms-words.ts';

/**
 * Maximum number of different characters that the counter keeps for its summary. The summary lists characters that make an SMS more
 * expensive.
 */
const MAX_KEPT = 20;

export interface SmsCostCounter {
  readonly credits: () => number;
  readonly add: (text: string) => void;
  /** Returns the summary in one line. */
  readonly line: () => string;
}

/**
 * Creates a counter that adds up the costs of all SMS of a file. The caller adds the text of each row. The counter keeps no texts in
 * memory, only some of the characters that make an SMS more expensive, for the summary.
 */
export function createSmsCostCounter(): SmsCostCounter {
  const total = { sms: 0, ucs2: 0, parts: 0, credits: 0, saves: 0 };
  const outside = new Set<string>();
  const served = new Map<string, string>();
  return {
    credits: () => total.credits,
    add: (text) => {
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
    line: () => {
      const { sms, ucs2, parts, credits, saves } = total;
      const because = ucs2 === 0 ? '' : ` (${formatCharacterList([...outside])})`;
      const cost = `SMS: ${groupThousands(sms)} in the file, ${groupThousands(ucs2)} with characters that need UCS-2 encoding${because}; ${formatSmsPartCount(parts)}, ${formatSmsCredits(credits, 1)}`;
      if (saves === 0) return cost;
      const serving = [...served].map(([character, instead]) => ({ character, instead }));
      return `${cost}; ${formatReplacementList(serving)} ${serving.length === 1 ? 'saves' : 'save'} ${formatSmsCredits(saves, 1)}`;
    },
  };
}
