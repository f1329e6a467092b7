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
 * because they can't be formulas. A program that separates cells by `;` or TAB, as Excel does in many languages, reads a part of the cell
 * as a cell of its own: such a part gets a `'` too. Contract, Forms and Output.
 */
export function escapeCsvFormula(cell: string): string {
  const guarded = cell.replace(PART_STARTS_FORMULA, "$&'");
  return STARTS_FORMULA.test(cell) && !PHONE_NUMBER.test(cell) && !NUMBER.test(cell)
    ? `'${guarded}`
    : guarded;
}

export function unescapeCsvFormula(cell: string): string {
  if (!cell.includes("'")) return cell;
  const parts = cell.replace(GUARDED_PART, '$1');
  return [parts.replace(/^'/, ''), parts].find((before) => escapeCsvFormula(before) === cell) ?? cell;
}

const READS_AS_OTHER = /^$|^\s|\s$/;
// Differs from csv-stringify's `escape_formulas`, which guards phone numbers too, and misses LF.
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/**
 * Matches the end of a part and quotes, which such a program removes, if a formula follows. Numbers are no exception, because the last part
 * of a cell continues with the next cells. A line break ends a part too: within quotes that do not begin a part, it ends the row.
 */
const PART_STARTS_FORMULA = /[;\t\r\n]"*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const GUARDED_PART = /([;\t\r\n]"*)'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const PHONE_NUMBER = /^\+?[0-9]{6,15}$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
