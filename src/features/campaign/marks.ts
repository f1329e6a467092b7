/** Reads and writes marks at the end of names, ` [svc-…]`: hashes of the item and of the content (src/features/campaign/README.md). */
import { createHash } from 'node:crypto';
import type { ItemKind } from './model.ts';

const CAMPAIGN_LETTERS = 6;
const KEY_LETTERS = 5;
const CONTENT_LETTERS = 7;
const FOLDER_CONTENT_LETTERS = 3;
const WORDS_LETTERS = 4;

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

export const computeCampaignNameHash = (campaignName: string): string =>
  lettersOf(['campaign', campaignName], CAMPAIGN_LETTERS);

export const computeItemKeyHash = (kind: ItemKind, key: string): string =>
  lettersOf(['item', kind, key], KEY_LETTERS);

/** Objects that differ only in the order of their members have different hashes. */
export const computeContentHash = (content: unknown): string =>
  lettersOf(['content', JSON.stringify(content)], CONTENT_LETTERS);

export const computeFolderNameHash = (folderName: string): string =>
  lettersOf(['folder', folderName], FOLDER_CONTENT_LETTERS);

/** Ignores case and spacing. */
export const computeRelativeTimeHash = (relativeTime: string): string =>
  lettersOf(['words', relativeTime.trim().toLowerCase().replace(/\s+/g, ' ')], WORDS_LETTERS);

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

/** Returns undefined for a name without a mark. */
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
    earlier = '',
  ] = found;
  return {
    name: bare,
    mark: {
      campaignHash,
      keyHash,
      contentHashOrReason,
      ...(relativeTimeHash === undefined ? {} : { relativeTimeHash }),
      ...(earlier === '' ? {} : { earlierCampaignHashes: earlier.slice(1).split('-') }),
    },
  };
}

export const CONTENT_HASH_PATTERN = new RegExp(`^[0-9a-z]{${CONTENT_LETTERS}}$`);

const letters = (count: number): string => `[0-9a-z]{${count}}`;
const MARKED = new RegExp(
  `^(.*) \\[svc-(${letters(CAMPAIGN_LETTERS)})-(${letters(KEY_LETTERS)})(?:(${letters(FOLDER_CONTENT_LETTERS)})|(?:-(${letters(WORDS_LETTERS)}))?-(${letters(CONTENT_LETTERS)}|${REPLACED_RECORD_MARK_LETTER}|${CANCELLED_DUPLICATE_MARK_LETTER})((?:-${letters(CAMPAIGN_LETTERS)})*))\\]$`,
  's',
);

/** 6 characters hold 31 bits. */
function lettersOf(parts: readonly string[], count: number): string {
  const digest = createHash('sha256').update(parts.join('\0'), 'utf8').digest('hex');
  const number = BigInt(`0x${digest.slice(0, 32)}`);
  return number.toString(36).padStart(count, '0').slice(-count);
}
