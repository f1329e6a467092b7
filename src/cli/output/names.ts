/** Adds names to the ids that a table shows: `Newsletter (1)`. */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Column, Reference } from './result.ts';

/**
 * Function that requests the names of records and returns a lookup. The lookup returns undefined for a record that has no name or that
 * can't be read. Never rejects.
 */
export type NameLookup = (
  references: readonly Reference[],
) => Promise<(reference: Reference) => string | undefined>;

/** Returns a function that returns the name of the record that a cell refers to. Requests the names of all these records together. */
export async function lookUpNamesForCells(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  namesOf: NameLookup | undefined,
): Promise<(column: Column, row: JsonObject) => string | undefined> {
  const named = columns.filter(({ reference }) => reference !== undefined);
  if (namesOf === undefined || named.length === 0) return () => undefined;
  const references = rows.flatMap((row) => named.flatMap(({ reference }) => reference?.(row) ?? []));
  if (references.length === 0) return () => undefined;
  const nameOf = await namesOf(references);
  return (column, row) => {
    const reference = column.reference?.(row);
    const name = reference && nameOf(reference);
    return name === undefined ? undefined : `${name} (${String(reference?.id)})`;
  };
}
