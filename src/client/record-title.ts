/** What a record is called in notes, questions, the journal and errors. */
import type { Json, JsonObject } from '../protocol/envelope.ts';
import type { Resource } from '../schema/resource.ts';
import { bounded } from '../text/bounded.ts';

/** `folder 12 (News)`, `automation click:3 (Welcome)`. */
export function titleOf(resource: Resource, record: JsonObject): string {
  return `${resource.noun} ${idText(resource, record['id'])}${nameIn(resource, record)}`;
}

/** `12`; of a rule, whose bare id may stand for one of each kind, `click:12` (contract, "Numbers, ids and names"). */
export function idText({ variant }: { readonly variant?: string | undefined }, id: Json | undefined): string {
  return variant === undefined ? String(id) : `${variant}:${String(id)}`;
}

/** ` (News)`, or nothing where it has no name; a long one is cut. */
export function nameIn({ calledBy }: Resource, record: JsonObject): string {
  const name = calledBy === undefined ? undefined : record[calledBy];
  return typeof name === 'string' ? ` (${bounded(name, LONGEST_NAME)})` : '';
}

const LONGEST_NAME = 60;
