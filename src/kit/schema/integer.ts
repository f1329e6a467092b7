/** Whole numbers of any size: a bigint if JavaScript does not represent the number exactly. */

/** Last second of the year 9999, in Unix seconds. No date later than this is formatted or scheduled. */
export const MAX_UNIX_SECONDS = 253_402_300_799;

/** Value that a service may give as an id. */
export type Id = number | bigint | string;

/** Maximum digits of an id. A longer digit string on a command line or in a path is not an id. */
export const MAX_ID_DIGITS = 40;

/** Pattern of an id as text. An id of more than 15 digits has no leading zeros. */
export const ID_PATTERN = `^(?:[0-9]{1,15}|[1-9][0-9]{15,${MAX_ID_DIGITS - 1}})$`;
const ID = new RegExp(ID_PATTERN);

/** Returns the value of decimal digits, with or without a leading sign. Equal integers are equal by `===`. */
export function parseIntegerDigits(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits.replace(/^\+/, ''));
}

/** Returns the id in `text`. One of more than 15 digits has no leading zeros, and so only one spelling. */
export function readIdText(text: string): number | bigint | undefined {
  return ID.test(text) ? parseIntegerDigits(text) : undefined;
}

/** Compares integers of any size, of which a subtraction of numbers may lose digits. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reports whether a value can be an id. A number with a fraction can't, nor can a number that JavaScript does not represent exactly. */
export const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);

/** Reports whether two values are spellings of one id: `5`, `5n` and `"5"`, or composite ids with equal parts. */
export const isSameId = (a: unknown, b: unknown): boolean =>
  isId(a) && isId(b) && canonicalIdText(a) === canonicalIdText(b);

const canonicalIdText = (id: Id): string => String(id).replaceAll(/(?<![0-9])0+(?=[0-9])/g, '');

/** Returns the id of a record as a number, or NaN, which is neither above nor below any number. */
export function idNumber({ id }: { readonly [attribute: string]: unknown }): number | bigint {
  if (typeof id === 'number' || typeof id === 'bigint') return id;
  return (typeof id === 'string' ? readIdText(id) : undefined) ?? Number.NaN;
}

/** Compares records by their ids, like `compareNumbers`. */
export const compareIds = (a: Parameters<typeof idNumber>[0], b: Parameters<typeof idNumber>[0]): number =>
  compareNumbers(idNumber(a), idNumber(b));
