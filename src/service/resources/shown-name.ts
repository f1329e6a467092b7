/**
 * Names as people see them. A campaign finds its records by a mark at the end of their names, which programs need and people do not
 * (src/cli/README.md, "Output").
 */

import { MARKS, parseCampaignMark } from './campaign-mark.ts';

export interface ShownName {
  /** The name without the mark. */
  readonly name: string;
  /** Undefined for a record that no campaign made. */
  readonly campaign?: {
    /** Whole mark, such as `[svc-9aw0rm-zp1lp-zjpeqd6]`. */
    readonly mark: string;
    /** Part of the mark that all records of a campaign share, such as `9aw0rm`. The campaign's name is not in the mark. */
    readonly sign: string;
  };
}

/** Splits a name into what people read and the mark of its campaign. */
export function splitShownName(text: string): ShownName {
  const found = parseCampaignMark(text);
  if (found === undefined) return { name: text };
  return { name: found.name, campaign: { mark: found.text, sign: found.mark.campaignHash } };
}

/** Returns the text without the marks of campaigns, which may stand before an id: `Spring sale (7)`. */
export const removeMarks = (text: string): string =>
  text.includes(' [svc-') ? text.replace(MARKS, '') : text;

/** Returns the text with each mark of a campaign as its sign: `Spring sale [svc-9aw0rm-…]` becomes `Spring sale ⟨9aw0rm⟩`. */
export const replaceMarksBySigns = (text: string): string =>
  text.includes(' [svc-') ? text.replace(MARKS, ' ⟨$1⟩') : text;

/** Matches a campaign's sign, such as `⟨9aw0rm⟩`, at the end of a name. */
export const CAMPAIGN_SIGN_AT_END = /⟨[0-9a-z]{6}⟩(?= \([\w:]+\)$|$)/;

/** Reports whether a person who types a part of the visible name, in any case, means this name. */
export const isPartOfShownName = (part: string, name: string): boolean =>
  replaceMarksBySigns(name).toLowerCase().includes(part.trim().toLowerCase());
