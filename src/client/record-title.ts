/** Titles of records for notes, questions, the journal and errors. */
import type { Json, JsonObject } from '../protocol/envelope.ts';
import type { Resource } from '../schema/resource.ts';
import { shortMarks } from '../text/mark-tag.ts';
import { bounded } from '../text/words.ts';

/** Returns the title: `folder 12 (News)`, `automation click:3 (Welcome)`. */
export function titleOf(resource: Resource, record: JsonObject): string {
  return `${resource.noun} ${idText(resource, record['id'])}${nameIn(resource, record)}`;
}

/**
 * Returns the id as text: `12`. The id of a rule carries its kind, `click:12`, since each kind counts its own ids (contract, "Numbers, ids
 * and names").
 */
export function idText({ variant }: { readonly variant?: string | undefined }, id: Json | undefined): string {
  return variant === undefined ? String(id) : `${variant}:${String(id)}`;
}

/** Returns ` (News)`, or an empty text if the record has no name. A long name is cut, and a campaign's mark is a short tag. */
export function nameIn({ calledBy }: Resource, record: JsonObject): string {
  const name = calledBy === undefined ? undefined : record[calledBy];
  return typeof name === 'string' ? ` (${bounded(shortMarks(name), LONGEST_NAME)})` : '';
}

const LONGEST_NAME = 60;
