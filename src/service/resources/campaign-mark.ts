/**
 * Reads and writes marks at the end of names, ` [svc-…]`, by which a campaign finds its records: hashes of the campaign, of the item and of the
 * content (src/features/campaign/README.md). Programs need them and people do not, so people see a short sign (src/cli/README.md, "Output").
 */

export const CAMPAIGN_LETTERS = 6;
export const KEY_LETTERS = 5;
export const CONTENT_LETTERS = 7;
export const FOLDER_CONTENT_LETTERS = 3;
export const WORDS_LETTERS = 4;

/** Replaces the content hash of a record that `apply` cancelled or paused, usually because another record replaces it. */
export const REPLACED_RECORD_MARK_LETTER = 'x';
/** Replaces the content hash of a duplicate that `apply` cancelled, which never counts as the item's latest record. */
export const CANCELLED_DUPLICATE_MARK_LETTER = 'w';

export interface CampaignMarkInRecordName {
  readonly campaignHash: string;
  readonly keyHash: string;
  readonly contentHashOrReason: string;
  readonly relativeTimeHash?: string | undefined;
  /** Hashes of earlier names of the campaign. By them an earlier file finds out that its campaign has another name now. */
  readonly earlierCampaignHashes?: readonly string[] | undefined;
}

export const FOLDER_CAMPAIGN_MARK_OCTETS =
  ' [svc--]'.length + CAMPAIGN_LETTERS + KEY_LETTERS + FOLDER_CONTENT_LETTERS;

export function appendCampaignMark(
  name: string,
  {
    campaignHash,
    keyHash,
    contentHashOrReason,
    relativeTimeHash,
    earlierCampaignHashes = [],
  }: CampaignMarkInRecordName,
): string {
  const dash = contentHashOrReason.length === FOLDER_CONTENT_LETTERS ? '' : '-';
  const time = relativeTimeHash === undefined ? '' : `-${relativeTimeHash}`;
  const earlier = earlierCampaignHashes.map((hash) => `-${hash}`).join('');
  return `${name} [svc-${campaignHash}-${keyHash}${time}${dash}${contentHashOrReason}${earlier}]`;
}

export interface MarkedName {
  /** The name without the mark. */
  readonly name: string;
  /** The mark as it stands, such as `[svc-9aw0rm-zp1lp-zjpeqd6]`. */
  readonly text: string;
  readonly mark: CampaignMarkInRecordName;
}

/** Returns undefined for a name without a mark. */
export function parseCampaignMark(name: unknown): MarkedName | undefined {
  const found = typeof name === 'string' ? MARK_AT_END.exec(name) : null;
  if (!found) return undefined;
  const [
    text,
    campaignHash = '',
    keyHash = '',
    folderNameHash,
    relativeTimeHash,
    contentHashOrReason = folderNameHash ?? '',
    earlier = '',
  ] = found;
  return {
    name: found.input.slice(0, found.index),
    text: text.trim(),
    mark: {
      campaignHash,
      keyHash,
      contentHashOrReason,
      ...(relativeTimeHash === undefined ? {} : { relativeTimeHash }),
      ...(earlier === '' ? {} : { earlierCampaignHashes: earlier.slice(1).split('-') }),
    },
  };
}

/** Reports whether svc itself cancelled or paused the record, to replace it or because it was a duplicate. */
export function isMarkedAsSetAside(name: unknown): boolean {
  const reason = parseCampaignMark(name)?.mark.contentHashOrReason;
  return reason === REPLACED_RECORD_MARK_LETTER || reason === CANCELLED_DUPLICATE_MARK_LETTER;
}

export const CONTENT_HASH_PATTERN = new RegExp(`^[0-9a-z]{${CONTENT_LETTERS}}$`);

const letters = (count: number): string => `[0-9a-z]{${count}}`;
const MARK = ` \\[svc-(${letters(CAMPAIGN_LETTERS)})-(${letters(KEY_LETTERS)})(?:(${letters(FOLDER_CONTENT_LETTERS)})|(?:-(${letters(WORDS_LETTERS)}))?-(${letters(CONTENT_LETTERS)}|${REPLACED_RECORD_MARK_LETTER}|${CANCELLED_DUPLICATE_MARK_LETTER})((?:-${letters(CAMPAIGN_LETTERS)})*))\\]`;
const MARK_AT_END = new RegExp(`${MARK}$`);
/** The first group is the hash of the campaign. */
const MARKS = new RegExp(MARK, 'g');

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
