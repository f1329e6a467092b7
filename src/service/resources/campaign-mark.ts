/**
 * Reads and writes marks at the end of names, ` [svc-…]`, by which a campaign finds its records: hashes of the campaign, of the item and of the
 * content (src/features/campaign/README.md).
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
/** Matches all marks in a text. The first group is the hash of the campaign. */
export const MARKS = new RegExp(MARK, 'g');
