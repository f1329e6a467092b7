/** Computes the hashes of marks (src/features/campaign/README.md). */
import { createHash } from 'node:crypto';
import {
  CAMPAIGN_LETTERS,
  CONTENT_LETTERS,
  FOLDER_CONTENT_LETTERS,
  KEY_LETTERS,
  WORDS_LETTERS,
} from '../../service/resources/campaign-mark.ts';
import type { ItemKind } from './model.ts';

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

/** 6 characters hold 31 bits. */
function lettersOf(parts: readonly string[], count: number): string {
  const digest = createHash('sha256').update(parts.join('\0'), 'utf8').digest('hex');
  const number = BigInt(`0x${digest.slice(0, 32)}`);
  return number.toString(36).padStart(count, '0').slice(-count);
}
