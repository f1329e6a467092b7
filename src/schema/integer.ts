/** Whole numbers of any size, digit for digit: a number if a double holds it exactly, otherwise a bigint. */

/** Value that a service may give as an id. */
export type Id = number | bigint | string;

/** Maximum digits of an id. A longer digit string on a command line or in a path is not an id. */
export const MAX_ID_DIGITS = 40;

const ID = new RegExp(`^(?:[0-9]{1,15}|[1-9][0-9]{15,${MAX_ID_DIGITS - 1}})$`);

/** Returns the value of decimal digits, with or without a leading sign. Two integers are equal exactly if `===` says so. */
export function integerOf(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits.replace(/^\+/, ''));
}

/** Returns the id in `text`, or undefined. Beyond 15 digits it must have no leading zeros, so that each id has one spelling. */
export function readIdText(text: string): number | bigint | undefined {
  return ID.test(text) ? integerOf(text) : undefined;
}

/** Returns a number below 0 if `a` is less than `b`. It is exact, unlike a subtraction of the two as numbers. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Reports whether a value can be an id. A number with a fraction, or one that a double can't hold exactly, can't be one. */
export const isId = (value: unknown): value is Id =>
  typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);

/** Returns the id of a record as a number to compare by. Without an id it is NaN, which compares as neither above nor below any value. */
export function idNumber({ id }: { readonly [attribute: string]: unknown }): number | bigint {
  if (typeof id === 'number' || typeof id === 'bigint') return id;
  return (typeof id === 'string' ? readIdText(id) : undefined) ?? Number.NaN;
}
