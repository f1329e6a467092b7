/** Measures an SMS: its alphabet, its length and its cost for each recipient. */
export type SmsMeasure = {
  readonly alphabet: 'GSM' | 'UCS-2';
  readonly characters: number;
  /**
   * Length of the SMS as the service counts the length, with the characters that the service adds. In the GSM alphabet, the length is in
   * septets (7 bits); an extension character takes two. In UCS-2, the length is in UTF-16 code units, although this property is called
   * `septets`; an emoji takes two or more.
   */
  readonly septets: number;
  readonly parts: number;
  readonly credits: number;
};

/**
 * Capacity in septets: of a message with one part, and of each part of a longer message. A part of a longer message holds less, because it
 * starts with a header.
 */
const GSM_LIMITS = { single: 160, part: 153 } as const;
const UCS2_LIMITS = { single: 70, part: 67 } as const;

/** Maximum parts of an SMS. Interface, Limits, 'SMS parts'. */
export const MAX_SMS_PARTS = 3;

/**
 * Measures the length and the parts of an SMS as 3GPP TS 23.038 (alphabet) and 23.040 (parts) define them. Lengths are in units: septets (7
 * bits) in the GSM alphabet, UTF-16 code units in UCS-2. Two units of one character are never split over two parts, so a part can be one
 * unit shorter than the capacity. See the interface, smsMessage, 'Concatenation and credits', and wire.md, 'SMS outside the GSM alphabet'.
 * @param extraOctets number of octets that the service adds at the end of the text: 30 for a message with `subinfo` (Limits, 'subinfo
 * overhead'). Each octet counts as one unit.
 * @returns zero characters, parts and credits for an empty text, whatever `extraOctets` is
 */
export function measureSms(text: string, extraOctets = 0): SmsMeasure {
  if (text === '') return { alphabet: 'GSM', characters: 0, septets: 0, parts: 0, credits: 0 };
  const gsm = hasOnlyGsmCharacters(text);
  const limits = gsm ? GSM_LIMITS : UCS2_LIMITS;
  let parts = 1;
  let used = 0;
  let characters = 0;
  let total = 0;
  for (const character of text) {
    const width = gsm ? septets(character) : character.length;
    if (used + width > limits.part) {
      parts += 1;
      used = 0;
    }
    used += width;
    total += width;
    characters += 1;
  }
  total += extraOctets;
  parts += Math.max(0, Math.ceil((used + extraOctets - limits.part) / limits.part));
  if (total <= limits.single) parts = 1;
  return { alphabet: gsm ? 'GSM' : 'UCS-2', characters, septets: total, parts, credits: parts };
}

export function hasOnlyGsmCharacters(text: string): boolean {
  for (const character of text) if (!inGsm(character)) return false;
  return true;
}

/** Reports whether the character is in the extension table. Such a character counts twice, because an escape precedes it. */
export function isExtendedGsmCharacter(character: string): boolean {
  return EXTENSION.has(character);
}

/**
 * Characters of the basic table of the GSM alphabet, in the order of the table and without ESC. It has a capital Ç (0x09), but no small ç.
 */
export const BASIC_GSM_CHARACTERS =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Characters of the extension table of the GSM alphabet. Each takes two septets in an SMS. */
export const EXTENDED_GSM_CHARACTERS = '\f^{}\\[~]|€';
const BASIC = new Set(BASIC_GSM_CHARACTERS);
const EXTENSION = new Set(EXTENDED_GSM_CHARACTERS);

function inGsm(character: string): boolean {
  return BASIC.has(character) || EXTENSION.has(character);
}

function septets(character: string): 1 | 2 {
  return isExtendedGsmCharacter(character) ? 2 : 1;
}
