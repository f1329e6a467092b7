/** Whole numbers of any size, digit for digit: a number where a double holds it exactly, a bigint beyond. */

/** What a service may give as an id. */
export type Id = number | bigint | string;

/** No id has more digits; a longer run of them on a command line or in a path is none. */
export const MAX_ID_DIGITS = 40;

const ID = new RegExp(`^(?:[0-9]{1,15}|[1-9][0-9]{15,${MAX_ID_DIGITS - 1}})$`);

/** The value of decimal digits, with or without a sign before them. Two integers are equal exactly when `===` says so. */
export function integerOf(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits.replace(/^\+/, ''));
}

/** The id that `text` is, or undefined. Beyond 15 digits without zeros in front, so that each id has one spelling. */
export function readIdText(text: string): number | bigint | undefined {
  return ID.test(text) ? integerOf(text) : undefined;
}

/** Below 0 when `a` is less than `b`: exact, which a difference of the two as numbers is not. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns whether a value can be an id. A number with a fraction, or one that a double holds only roughly, is none. */
export const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);

/** The id of a record as a number to compare by; NaN, which nothing is above or below, where it has none. */
export function idNumber({ id }: { readonly [attribute: string]: unknown }): number | bigint {
  if (typeof id === 'number' || typeof id === 'bigint') return id;
  return (typeof id === 'string' ? readIdText(id) : undefined) ?? Number.NaN;
}
