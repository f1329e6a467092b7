/** Rows of CSV as RFC 4180 writes them, and cells that a spreadsheet would run. */
import { stringify } from 'csv-stringify/sync';

/**
 * One line, LF at its end. Quoted are cells with a comma, a quote or a line break, and those that a reader would take
 * for others without quotes: the empty text beside null, and blanks at either end, which importers trim.
 * @param cells null is an empty cell
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return stringify([cells], { quoted_match: [READS_AS_OTHER] });
}

/**
 * Puts a `'` before a cell that a spreadsheet would run as a formula: one that starts with `=`, `+`, `-`,
 * `@`, their full-width forms, TAB, CR or LF. A phone number (6 to 15 digits, `+` or not) stays as it is, and
 * so does a plain number (`-5`, `-1.5`): neither can be a formula. Contract, Forms and Output.
 */
export function guardFormula(cell: string): string {
  return STARTS_FORMULA.test(cell) && !PHONE_NUMBER.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** The cell without the `'` that `guardFormula` puts before it. */
export function unguardFormula(cell: string): string {
  return cell.startsWith("'") && guardFormula(cell.slice(1)) === cell ? cell.slice(1) : cell;
}

const READS_AS_OTHER = /^$|^\s|\s$/;
// Other ones than csv-stringify's `escape_formulas`: that guards phone numbers too, and no LF.
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PHONE_NUMBER = /^\+?[0-9]{6,15}$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
