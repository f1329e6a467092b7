/** Builds titles of records for notes, questions, the journal and errors. */
import type { Json, JsonObject } from '../protocol/envelope.ts';
import type { Resource } from '../schema/resource.ts';
import { truncateText } from '../text/words.ts';

/** Returns the title: `folder 12 (News)`, `automation click:3 (Welcome)`. */
export function titleOf(resource: Resource, record: JsonObject): string {
  return `${resource.noun} ${formatRecordId(resource, record['id'])}${formatNameInBrackets(resource, record)}`;
}

/**
 * Returns the id as text: `12`. The id of a rule includes its kind, `click:12`, because each kind of rule counts its ids separately
 * (contract, "Numbers, ids and names").
 */
export function formatRecordId(
  { variant }: { readonly variant?: string | undefined },
  id: Json | undefined,
): string {
  return variant === undefined ? String(id) : `${variant}:${String(id)}`;
}

/**
 * Returns ` (News)`, or an empty text if the record has no name. A long name is shortened, and the mark that svc adds to the names of a
 * campaign's records is shown as a short tag.
 */
export function formatNameInBrackets({ calledBy }: Resource, record: JsonObject): string {
  const name = calledBy === undefined ? undefined : record[calledBy];
  return typeof name === 'string'
    ? ` (${truncateText(shortenCampaignMarksInNames(name), MAX_NAME_LENGTH)})`
    : '';
}

const MAX_NAME_LENGTH = 60;

/**
 * Returns the text with each mark of a campaign shortened to a tag: `Spring sale [svc-9aw0rm-…]` becomes `Spring sale ⟨9aw0rm⟩`. All
 * records of one campaign have the same tag.
 */
export const shortenCampaignMarksInNames = (text: string): string =>
  text.includes(' [svc-') ? text.replace(MARKS, ' ⟨$1⟩') : text;

/** Matches a campaign's tag, such as `⟨9aw0rm⟩`, at the end of a name. */
export const CAMPAIGN_TAG_AT_END = /⟨[0-9a-z]{6}⟩(?= \([\w:]+\)$|$)/;

const MARKS = / \[svc-([0-9a-z]{6})-[0-9a-z]{5}[0-9a-z-]{2,13}\]/g;
