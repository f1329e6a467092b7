/** Writes rows of CSV by RFC 4180, and changes cells that a spreadsheet would run as formulas. */
import { stringify } from 'csv-stringify/sync';

/**
 * Returns one line that ends in LF. Quotes cells with a comma, a quote or a line break. Also quotes the empty text, which must differ from
 * null, and cells with spaces at either end, which importers would trim.
 * @param cells cells of the row; null becomes an empty cell
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return stringify([cells], { quoted_match: [READS_AS_OTHER] });
}

/**
 * Returns the cell with a leading `'` if a spreadsheet would run it as a formula. Such a cell starts with `=`, `+`, `-`, `@`, a full-width
 * form of these, TAB, CR or LF. Phone numbers (6 to 15 digits, with or without `+`) and plain numbers (`-5`, `-1.5`) stay unchanged,
 * because they can't be formulas. Contract, Forms and Output.
 */
export function escapeCsvFormula(cell: string): string {
  return STARTS_FORMULA.test(cell) && !PHONE_NUMBER.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Returns the cell without the `'` that `escapeCsvFormula` adds. */
export function unescapeCsvFormula(cell: string): string {
  return cell.startsWith("'") && escapeCsvFormula(cell.slice(1)) === cell ? cell.slice(1) : cell;
}

const READS_AS_OTHER = /^$|^\s|\s$/;
// Differs from csv-stringify's `escape_formulas`, which guards phone numbers too, and misses LF.
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PHONE_NUMBER = /^\+?[0-9]{6,15}$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
