/** Shortens the marks that campaigns put at the end of names (src/campaign/README.md). */

/** Returns the text with each campaign mark shortened to a tag: `Spring sale ⟨9aw0rm⟩`. All records of one campaign have the same tag. */
export const shortMarks = (text: string): string =>
  text.includes(' [svc-') ? text.replace(MARKS, ' ⟨$1⟩') : text;

/** Finds the tag at the end of a name. */
export const TAG_AT_END = /⟨[0-9a-z]{6}⟩(?= \([\w:]+\)$|$)/;

const MARKS = / \[svc-([0-9a-z]{6})-[0-9a-z]{5}[0-9a-z-]{2,13}\]/g;
