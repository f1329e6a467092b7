/**
 * Names as people see them. A campaign finds its records by a mark at the end of their names, which programs need and people do not
 * (src/cli/README.md, "Output").
 */

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
  const found = MARK_AT_END.exec(text);
  if (found === null) return { name: text };
  const [whole, sign = ''] = found;
  return { name: text.slice(0, found.index), campaign: { mark: whole.trim(), sign } };
}

/** Reports whether svc itself cancelled or paused the record, to replace it (`x`) or because it was a duplicate (`w`). */
export const isSetAside = (text: string | null | undefined): boolean =>
  /-[xw](?:-[0-9a-z]{6})*\]$/.test(splitShownName(text ?? '').campaign?.mark ?? '');

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

const MARK = ' \\[svc-([0-9a-z]{6})-[0-9a-z]{5}[0-9a-z-]{2,13}(?:-[0-9a-z]{6})*\\]';
const MARKS = new RegExp(MARK, 'g');
const MARK_AT_END = new RegExp(`${MARK}$`);
