/** Declares the kinds of parameters of flags, operands and operations: how people and JSON write a value, and its bounds. */
import { isEmailAddress, normaliseMsisdn, readUrl } from '../text/address.ts';
import { explainInvalidDuration, parseDuration } from '../text/duration.ts';
import { isObject } from '../text/json-object.ts';
import { MAX_UNIX_SECONDS } from './integer.ts';

/** Reason that a value is not valid. */
export interface ParameterFault {
  /** End of a sentence about the parameter or the given value: `is not a length of time`. */
  readonly reason: string;
  /** Advice: `write 30s or 2m`. */
  readonly instead?: string;
  /** Complete sentence for the error. If set, the error shows this sentence instead of the given value and `reason`. */
  readonly sentence?: string;
}

/** Result of parsing or checking: the value, or the reason why it is not valid. */
export type Parsed<T> = { readonly value: T } | { readonly fault: ParameterFault };

interface Kind<T, P, W = T> {
  /** Placeholder for the parameter's value in help. */
  readonly placeholder: string;
  /** Parses the value as a person writes it. A time remains text, because its meaning depends on the present time. */
  readonly parse: (text: string, parameter: P) => Parsed<W>;
  /** Checks a value that comes from JSON. Returns the value in canonical form, or the fault. */
  readonly check: (value: unknown, parameter: P) => Parsed<T>;
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly default?: number | undefined;
}

interface DurationBounds {
  /** Unit of the value in programs and JSON. */
  readonly unit: 'seconds' | 'milliseconds';
  /** Shortest duration, as a person writes it: `2m`. If omitted, the duration must be above zero. */
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly default?: string | undefined;
  /** True if a duration that a person writes is rounded to whole seconds, or to whole milliseconds if `unit` is `milliseconds`. */
  readonly whole?: true;
  /** True if a number without a unit is refused, because it could mean days or minutes. */
  readonly needsUnit?: true;
}

interface Choices {
  readonly choices: readonly string[];
  /** Noun for the value in error messages, such as `output format`. */
  readonly what?: string | undefined;
  /** Plural noun before the list of choices in error messages, such as `formats`. Default: the noun in the property `what`, with an s. */
  readonly listed?: string | undefined;
  /** Maps a common wrong value to the choice that the error suggests. */
  readonly near?: Readonly<Record<string, string>> | undefined;
}

const kind = <T, P = object, W = T>(kind: Kind<T, P, W>): Kind<T, P, W> => kind;

export const PARAMETER_KINDS = {
  /** Text of 1 to 4,000 characters. */
  text: kind<string, { readonly mayBeEmpty?: true }>({
    placeholder: 'text',
    parse: (text, { mayBeEmpty }) => (mayBeEmpty ? { value: text } : notEmpty(text)),
    check: (value, { mayBeEmpty }) => (mayBeEmpty && value === '' ? { value: '' } : textIn(value)),
  }),
  /** E-mail address. `check` converts the address to lower case. */
  email: kind<string>({
    placeholder: 'address',
    parse: notEmpty,
    check: (value) => ofText(value, addressIn, 'is not an e-mail address'),
  }),
  /** Phone number as bare digits. */
  msisdn: kind<string>({
    placeholder: 'number',
    parse: notEmpty,
    check: (value) => ofText(value, normaliseMsisdn, 'is not a phone number with its country code'),
  }),
  /** E-mail address, phone number, or the URL to which a notification goes. The placeholder does not mention the URL. */
  recipient: kind<string>({
    placeholder: 'address|number',
    parse: (text) => found(parseNotificationRecipient(text), NO_RECIPIENT),
    check: (value) => ofText(value, parseNotificationRecipient, NO_RECIPIENT),
  }),
  /** Kind and id of a rule: `click:12`. `isRule` reports whether the text names an existing kind of rule. */
  rule: kind<string, { readonly isRule?: (text: string) => boolean }>({
    placeholder: 'kind:id',
    parse: (text, { isRule }) =>
      isRule?.(text)
        ? { value: text }
        : { fault: { reason: 'is not the kind and the id of a rule', instead: 'write click:12' } },
    check: (value, { isRule }) =>
      typeof value === 'string' && isRule?.(value)
        ? { value }
        : fault('must be the kind and the id of a rule, such as click:12'),
  }),
  choice: kind<string, Choices>({
    placeholder: 'choice',
    parse: (text, { choices, what = 'choice', listed = `${what}s`, near }) => {
      if (choices.includes(text)) return { value: text };
      const meant = near && Object.hasOwn(near, text) ? `did you mean ${near[text]}? ` : '';
      return unknownNameFault(what, text, `${meant}${listed}: ${choices.join(', ')}`);
    },
    check: (value, { choices }) =>
      typeof value === 'string' && choices.includes(value)
        ? { value }
        : fault(`must be one of ${choices.join(', ')}`),
  }),
  id: kind<number>({ placeholder: 'id', parse: idIn, check: (value) => wholeNumber(value, 1, MAX_ID) }),
  /** Id or exact name of a record. For a subscriber, the id, e-mail address or phone number. */
  reference: kind<number | string>({
    placeholder: 'id|name',
    parse: (text) => (/^[0-9]+$/.test(text) ? idIn(text) : notEmpty(text)),
    check: (value) => (typeof value === 'number' ? wholeNumber(value, 1, MAX_ID) : textIn(value)),
  }),
  /** Ids, at least one if the parameter is required. On a command line, each value is one id. */
  ids: kind<readonly number[], { readonly required?: true }>({
    placeholder: 'id',
    parse: (text) => {
      const id = idIn(text);
      return 'fault' in id ? id : { value: [id.value] };
    },
    check: (value, parameter) => {
      if (!Array.isArray(value)) return fault('must be an array of ids');
      if (parameter.required && value.length === 0) return fault('must name at least one');
      const ids = value.map((each: unknown) => wholeNumber(each, 1, MAX_ID));
      return ids.find((each) => 'fault' in each) ?? { value };
    },
  }),
  /** Whole number from `min` (default 0) to `max`. */
  count: kind<number, Bounds>({
    placeholder: 'n',
    parse: (text, { min = 0, max }) => {
      const count = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (count >= min && count <= (max ?? Number.MAX_SAFE_INTEGER)) return { value: count };
      if (max !== undefined) return fault(`is not a number from ${min} to ${max}`);
      return fault(min > 0 ? `is not a number of at least ${min}` : 'is not a whole number');
    },
    check: (value, { min = 0, max = Number.MAX_SAFE_INTEGER }) => wholeNumber(value, min, max),
  }),
  share: kind<number, Pick<Bounds, 'default'>>({
    placeholder: 'n',
    parse: (text) => {
      const share = /^[0-9](\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN;
      return share <= 1 ? { value: share } : fault('is not a number from 0 to 1');
    },
    check: shareIn,
  }),
  /** Number from 0 to 1, which people write as a percentage: `35%` for 0.35. */
  percent: kind<number>({
    placeholder: 'percent',
    parse: (text) => {
      const value = readPercent(text);
      if (value !== undefined) return { value };
      const number = Number(text);
      const meant = number > 0 && number <= 100 ? `${number < 1 ? number * 100 : number}%` : '5% or 0.1%';
      return { fault: { reason: 'is not a share from 0% to 100%', instead: `write ${meant}` } };
    },
    check: shareIn,
  }),
  switch: kind<boolean>({
    placeholder: '',
    parse: () => ({ value: true }),
    check: (value) => (typeof value === 'boolean' ? { value } : fault('must be true or false')),
  }),
  /** Time in Unix seconds, up to the end of the year 9999. */
  time: kind<number, object, string>({
    placeholder: 'time',
    parse: notEmpty,
    check: (value) => wholeNumber(value, 0, MAX_UNIX_SECONDS),
  }),
  duration: kind<number, DurationBounds>({
    placeholder: 'duration',
    parse: durationIn,
    check: (value, { unit, min = '0s', max }) => {
      const most = max === undefined ? Number.MAX_SAFE_INTEGER : inUnit(secondsOf(max), unit);
      return wholeNumber(value, inUnit(secondsOf(min), unit), most);
    },
  }),
  /** Array of at most `max` objects. Only programs send it, in JSON. */
  rows: kind<readonly Readonly<Record<string, unknown>>[], { readonly max: number }>({
    placeholder: 'rows',
    parse: () => {
      throw new RangeError('a command line cannot give rows');
    },
    check: (value, { max }) =>
      Array.isArray(value) && value.length <= max
        ? { value: value.map((row: unknown) => (isObject(row) ? row : {})) }
        : fault(`must be an array of at most ${max} objects`),
  }),
};

type Kinds = typeof PARAMETER_KINDS;

/** Kind of a parameter, together with the options that this kind has. */
export type ParameterKind = {
  readonly [K in keyof Kinds]: { readonly kind: K } & (Kinds[K] extends Kind<infer _, infer P, infer _W>
    ? P
    : never);
}[keyof Kinds];

/** Type of a parameter's value in a program. */
export type ParameterValue<P> = P extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
  ? C
  : P extends { readonly kind: keyof Kinds }
    ? Kinds[P['kind']] extends Kind<infer T, infer _, infer _W>
      ? T
      : never
    : never;

type Value = ParameterValue<{ readonly kind: keyof Kinds }>;

const kindOf = (parameter: ParameterKind): Kind<Value, ParameterKind> =>
  PARAMETER_KINDS[parameter.kind] as Kind<Value, ParameterKind>;

export const parseParameter = (parameter: ParameterKind, text: string): Parsed<Value> =>
  kindOf(parameter).parse(text, parameter);

/** Checks a value from JSON, and returns it in canonical form. The reason of a fault continues a sentence that begins with the name. */
export const checkParameter = (parameter: ParameterKind, value: unknown): Parsed<Value> =>
  kindOf(parameter).check(value, parameter);

export function defaultParameterValue(parameter: ParameterKind): Value | undefined {
  if (parameter.kind === 'switch') return false;
  if (parameter.kind === 'ids') return [];
  if (!('default' in parameter) || parameter.default === undefined) return undefined;
  const parsed = parseParameter(parameter, String(parameter.default));
  if ('value' in parsed) return parsed.value;
  throw new RangeError(`the default ${parameter.default} ${parsed.fault.reason}`);
}

const MAX_ID = 999_999_999_999_999;
const MAX_DIGITS = 15;
const NO_RECIPIENT = 'is not an e-mail address, a phone number or a URL';

const fault = (reason: string): { readonly fault: ParameterFault } => ({ fault: { reason } });

/** Returns the fault for an unknown name, such as `unknown time zone Mars`, with advice that lists the known names. */
export const unknownNameFault = (
  what: string,
  text: string,
  instead: string,
): { readonly fault: ParameterFault } => ({
  fault: { reason: `is not a known ${what}`, sentence: `unknown ${what} ${text}`, instead },
});

const found = <T>(value: T | undefined, reason: string): Parsed<T> =>
  value === undefined ? fault(reason) : { value };

function notEmpty(text: string): Parsed<string> {
  if (text !== '') return { value: text };
  return { fault: { reason: 'is empty', instead: 'give a value, or leave it out' } };
}

function textIn(value: unknown): Parsed<string> {
  if (typeof value !== 'string' || value === '') return fault('must be text, and not empty');
  if (value.length > 4000) return fault('is longer than 4000 characters');
  // The store truncates a text at U+0000 and replaces lone surrogates (wire, "text").
  if (/\0|\p{Surrogate}/u.test(value)) return fault('contains U+0000 or an incomplete character');
  return { value };
}

function ofText(value: unknown, read: (text: string) => string | undefined, reason: string): Parsed<string> {
  const text = textIn(value);
  return 'fault' in text ? text : found(read(text.value), reason);
}

function addressIn(text: string): string | undefined {
  const bare = text.trim();
  return isEmailAddress(bare) ? bare.toLowerCase() : undefined;
}

/** Reads an e-mail address, a phone number as bare digits, or the URL for a notification. Returns undefined for anything else. */
export function parseNotificationRecipient(text: string): string | undefined {
  const bare = text.trim();
  if (bare.includes('@') && isEmailAddress(bare)) return bare;
  if (/^https?:\/\//i.test(bare)) return readUrl(bare) === undefined ? undefined : bare;
  return normaliseMsisdn(bare);
}

function idIn(text: string): Parsed<number> {
  const isId = text.length <= MAX_DIGITS && /^0*[1-9][0-9]*$/.test(text);
  return isId ? { value: Number(text) } : fault('is not a whole number of at least 1');
}

function wholeNumber(value: unknown, least: number, most: number): Parsed<number> {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most)
    return { value: Number(value) };
  return fault(`must be a whole number from ${least} to ${most}`);
}

function shareIn(value: unknown): Parsed<number> {
  if (typeof value === 'number' && value >= 0 && value <= 1) return { value };
  return fault('must be a number from 0 to 1');
}

/** Reads `35%` or `0.02%` as a number from 0 to 1. The `%` is required, because 0.35 could mean 0.35 % or 35 %. */
export function readPercent(text: string): number | undefined {
  const digits = /^([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%$/.exec(text.trim())?.[1];
  const share = digits === undefined ? Number.NaN : Number(digits) / 100;
  return share <= 1 ? share : undefined;
}

function durationIn(text: string, { unit, min, max, whole, needsUnit }: DurationBounds): Parsed<number> {
  const bare = text.trim();
  const seconds = parseDuration(text);
  if (seconds === undefined || (seconds === 0 && min === undefined)) {
    const instead = needsUnit ? 'write 2d, 3h or 90m' : 'write a duration such as 30s or 2m';
    return { fault: { reason: explainInvalidDuration(text), instead } };
  }
  if (needsUnit && /^[0-9.]*[1-9][0-9.]*$/.test(bare))
    return { fault: { reason: 'has no unit', instead: `write ${bare}d, ${bare}h or ${bare}m` } };
  const exact = inUnit(seconds, unit);
  const value = whole ? Math.round(exact) : exact;
  if (min !== undefined && value < inUnit(secondsOf(min), unit))
    return { fault: { reason: `is too short: ${min} is the least`, instead: `write ${min} or more` } };
  if (max !== undefined && value > inUnit(secondsOf(max), unit))
    return { fault: { reason: `is too long: the maximum is ${max}`, instead: `write ${max} or less` } };
  return { value };
}

const inUnit = (seconds: number, unit: DurationBounds['unit']): number =>
  unit === 'seconds' ? seconds : seconds * 1000;

function secondsOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new RangeError(`${text} is not a length of time`);
  return seconds;
}
