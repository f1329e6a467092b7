/** Reads and writes marks at the end of names, ` [svc-…]`: hashes of the item and of the content (src/campaign/README.md). */
import { createHash } from 'node:crypto';
import type { ItemKind } from './model.ts';

const CAMPAIGN_LETTERS = 6;
const KEY_LETTERS = 5;
const CONTENT_LETTERS = 7;
const FOLDER_CONTENT_LETTERS = 3;
const WORDS_LETTERS = 4;

/** Replaces the content hash in the mark of a record that `apply` cancelled or paused, usually because another record replaces it. */
export const REPLACED_RECORD_MARK_LETTER = 'x';
/** Replaces the content hash in the mark of a duplicate that `apply` cancelled. It never counts as the item's latest record. */
export const CANCELLED_DUPLICATE_MARK_LETTER = 'w';

/** Parts of the mark at the end of a record's name: ` [svc-…]`. */
export interface CampaignMarkInRecordName {
  readonly campaignHash: string;
  readonly keyHash: string;
  /** Hash of the content that apply wrote, or one of the two letters above. Shorter for a folder, whose mark must be short. */
  readonly contentHashOrReason: string;
  /** Hash of the text of a task's relative send time, such as `monday 09:00`. Undefined if the send time is absolute. */
  readonly relativeTimeHash?: string | undefined;
}

/** Number of octets in a folder's mark, including the space before it. */
export const FOLDER_CAMPAIGN_MARK_OCTETS =
  ' [svc--]'.length + CAMPAIGN_LETTERS + KEY_LETTERS + FOLDER_CONTENT_LETTERS;

/** Returns the hash of a campaign's name. It is in the marks of all records of the campaign. */
export const computeCampaignNameHash = (campaignName: string): string =>
  lettersOf(['campaign', campaignName], CAMPAIGN_LETTERS);

/** Returns the hash of an item's kind and key. It is in the marks of all records of the item. */
export const computeItemKeyHash = (kind: ItemKind, key: string): string =>
  lettersOf(['item', kind, key], KEY_LETTERS);

/** Returns a hash of a JSON value. Objects that differ only in the order of their members have different hashes. */
export const computeContentHash = (content: unknown): string =>
  lettersOf(['content', JSON.stringify(content)], CONTENT_LETTERS);

/** Returns the hash of a folder's name. A folder has no content except the name. */
export const computeFolderNameHash = (folderName: string): string =>
  lettersOf(['folder', folderName], FOLDER_CONTENT_LETTERS);

/** Returns a hash of the text of a relative time, such as `monday 09:00`. Ignores case and spacing. */
export const computeRelativeTimeHash = (relativeTime: string): string =>
  lettersOf(['words', relativeTime.trim().toLowerCase().replace(/\s+/g, ' ')], WORDS_LETTERS);

/** Returns the name with the mark at its end. */
export function appendCampaignMark(
  name: string,
  { campaignHash, keyHash, contentHashOrReason, relativeTimeHash }: CampaignMarkInRecordName,
): string {
  const dash = contentHashOrReason.length === FOLDER_CONTENT_LETTERS ? '' : '-';
  const time = relativeTimeHash === undefined ? '' : `-${relativeTimeHash}`;
  return `${name} [svc-${campaignHash}-${keyHash}${time}${dash}${contentHashOrReason}]`;
}

/** Splits a record's name at the mark: `Spring sale [svc-…]`. Returns undefined for a name without a mark. */
export function parseCampaignMark(
  name: unknown,
): { readonly name: string; readonly mark: CampaignMarkInRecordName } | undefined {
  const found = typeof name === 'string' ? MARKED.exec(name) : null;
  if (!found) return undefined;
  const [
    ,
    bare = '',
    campaignHash = '',
    keyHash = '',
    folderNameHash,
    relativeTimeHash,
    contentHashOrReason = folderNameHash ?? '',
  ] = found;
  return {
    name: bare,
    mark: {
      campaignHash,
      keyHash,
      contentHashOrReason,
      ...(relativeTimeHash === undefined ? {} : { relativeTimeHash }),
    },
  };
}

/** Pattern that matches every result of `computeContentHash`. */
export const CONTENT_HASH_PATTERN = new RegExp(`^[0-9a-z]{${CONTENT_LETTERS}}$`);

const letters = (count: number): string => `[0-9a-z]{${count}}`;
const MARKED = new RegExp(
  `^(.*) \\[svc-(${letters(CAMPAIGN_LETTERS)})-(${letters(KEY_LETTERS)})(?:(${letters(FOLDER_CONTENT_LETTERS)})|(?:-(${letters(WORDS_LETTERS)}))?-(${letters(CONTENT_LETTERS)}|${REPLACED_RECORD_MARK_LETTER}|${CANCELLED_DUPLICATE_MARK_LETTER}))\\]$`,
  's',
);

/** Returns a hash in digits and lower-case letters, which make a mark short: 6 characters hold 31 bits. */
function lettersOf(parts: readonly string[], count: number): string {
  const digest = createHash('sha256').update(parts.join('\0'), 'utf8').digest('hex');
  const number = BigInt(`0x${digest.slice(0, 32)}`);
  return number.toString(36).padStart(count, '0').slice(-count);
}
