/**
 * Puts a `'` before a cell that a spreadsheet would run as a formula: one that starts with `=`, `+`, `-`,
 * `@`, their full-width forms, TAB, CR or LF. A phone number (6 to 15 digits, `+` or not) stays as it is, and
 * so does a plain number (`-5`, `-1.5`): neither can be a formula. Contract, Forms and Output.
 */
export function guardFormula(cell: string): string {
  return STARTS_FORMULA.test(cell) && !PHONE_NUMBER.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PHONE_NUMBER = /^\+?[0-9]{6,15}$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
