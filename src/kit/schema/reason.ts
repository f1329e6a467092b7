/** Reasons of findings, as data. Whoever prints a finding names its attributes: as flags, as keys of a file, or as the interface does. */

/** A text is the end of a sentence about the attribute, such as `must not be empty`. It names no other attribute. */
export type Reason = string | Fault;

type Fault =
  | { readonly kind: 'required' }
  | { readonly kind: 'type'; readonly type: keyof typeof TYPES; readonly nullable?: boolean | undefined }
  | { readonly kind: 'one-of'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'at-least'; readonly min: number }
  | { readonly kind: 'at-most'; readonly max: number }
  | { readonly kind: 'bytes'; readonly least: number; readonly most: number }
  /** `form` follows "must be": `an e-mail address`. */
  | { readonly kind: 'form'; readonly form: string }
  | Phrase
  /** The other kinds are whole sentences. `sentence` is a text of the service. */
  | { readonly kind: 'at-least-one' | 'at-most-one'; readonly attributes: readonly string[] }
  | { readonly kind: 'sentence'; readonly sentence: string };

/** A text with attributes in its slots. `unset` is advice to give an attribute no value, and `amount` is a value of the attribute `of`. */
export interface Phrase {
  readonly kind: 'phrase';
  readonly texts: readonly string[];
  readonly slots: readonly Slot[];
}

type Slot = string | number | { readonly unset: string } | { readonly amount: number; readonly of: string };

/** Tag of a template. Texts in its slots are names of attributes. */
export const phrase = (texts: readonly string[], ...slots: readonly Slot[]): Phrase => ({
  kind: 'phrase',
  texts,
  slots,
});

interface SaidFinding {
  readonly attribute: string;
  readonly reason: Reason;
  readonly instead?: string | Phrase | undefined;
}

/** Words for attributes. Default of `unset`: `set list_id to null`. */
export interface AttributeWords {
  readonly nameOf: (attribute: string) => string;
  readonly unset?: (attribute: string) => string | undefined;
  /** Default: the number. */
  readonly sayAmount?: (attribute: string, amount: number) => string;
}

const INTERFACE_WORDS: AttributeWords = { nameOf: (attribute) => attribute };

export const isRequired = (reason: Reason): boolean =>
  typeof reason !== 'string' && reason.kind === 'required';

/** Reports whether the reason is a whole sentence. */
export const isSentence = (reason: Reason): boolean =>
  typeof reason !== 'string' && ['at-least-one', 'at-most-one', 'sentence'].includes(reason.kind);

/** Returns the whole sentence: `name must not be empty`, or `give list_id or search_id, not both`. */
export const sayFinding = ({ attribute, reason }: SaidFinding): string =>
  isSentence(reason) ? sayReason(reason) : `${attribute} ${sayReason(reason)}`;

/** Returns the finding as text, in these words. */
export function inWords<F extends SaidFinding>(finding: F, words: AttributeWords) {
  const { attribute, reason, instead } = finding;
  const sentence = sayReason(reason, words);
  return {
    ...finding,
    attribute: words.nameOf(attribute),
    reason: isSentence(reason) ? ({ kind: 'sentence', sentence } as const) : sentence,
    instead: instead && sayReason(instead, words),
  };
}

/** Returns the sentence, or its end after the name of the attribute. */
export function sayReason(reason: Reason, words = INTERFACE_WORDS): string {
  if (typeof reason === 'string') return reason;
  switch (reason.kind) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${TYPES[reason.type]}${reason.nullable ? ', or null' : ''}`;
    case 'one-of':
      return `must be one of ${reason.values.join(', ')}`;
    case 'at-least':
      return `must be ${reason.min} or more`;
    case 'at-most':
      return `must be ${reason.max} or less`;
    case 'bytes':
      return `must be ${reason.least} to ${reason.most} bytes long`;
    case 'form':
      return `must be ${reason.form}`;
    case 'at-least-one':
      return `give ${joinByOr(reason.attributes.map(words.nameOf))}`;
    case 'at-most-one':
      return `give ${joinByOr(reason.attributes.map(words.nameOf))}, not ${reason.attributes.length > 2 ? 'several' : 'both'}`;
    case 'sentence':
      return reason.sentence;
    default:
      return reason.texts.map((text, at) => `${text}${saySlot(reason.slots[at], words)}`).join('');
  }
}

const TYPES = { int: 'a whole number', decimal: 'a number', bool: 'true or false', string: 'text' } as const;

const joinByOr = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].join(' or ');

function saySlot(slot: Slot | undefined, { nameOf, unset, sayAmount }: AttributeWords): string {
  if (typeof slot === 'string') return nameOf(slot);
  if (typeof slot !== 'object') return String(slot ?? '');
  if ('amount' in slot) return sayAmount?.(slot.of, slot.amount) ?? String(slot.amount);
  return unset?.(slot.unset) ?? `set ${nameOf(slot.unset)} to null`;
}
