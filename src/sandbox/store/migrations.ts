/** The steps from an empty file to today's tables. A step that has landed is never edited; a change is a new one. */
import { initialSchema } from './initial-schema.ts';

/** Each is SQL; the number of the last one that was run is kept in the database. */
export const migrations: readonly string[] = [initialSchema];
