/** Marks at the end of names: whose a record is, and what was written to it. See src/campaign/README.md. */
import { createHash } from 'node:crypto';
import type { ItemKind } from './model.ts';

const CAMPAIGN_LETTERS = 6;
const KEY_LETTERS = 5;
const CONTENT_LETTERS = 7;

/** In place of a hash: cancelled or set aside by `apply` itself. */
export const SET_ASIDE = 'x';

export interface Mark {
  readonly campaign: string;
  readonly key: string;
  /** Of what was written, or `SET_ASIDE`; undefined for a folder. */
  readonly content: string | undefined;
}

export interface Marked {
  /** Without its mark. */
  readonly name: string;
  readonly mark: Mark;
}

/** Of the mark of a folder, with the blank before it. */
export const FOLDER_MARK_OCTETS = ` [svc-${'p'.repeat(CAMPAIGN_LETTERS)}-${'k'.repeat(KEY_LETTERS)}]`.length;

export const campaignPart = (campaign: string): string => lettersOf(['campaign', campaign], CAMPAIGN_LETTERS);

export const keyPart = (kind: ItemKind, key: string): string => lettersOf(['item', kind, key], KEY_LETTERS);

/** Of values that JSON can say. Objects with the same members in another order differ. */
export const contentPart = (content: unknown): string =>
  lettersOf(['content', JSON.stringify(content)], CONTENT_LETTERS);

export function withMark(name: string, { campaign, key, content }: Mark): string {
  return `${name} [svc-${campaign}-${key}${content === undefined ? '' : `-${content}`}]`;
}

/** Undefined for a name without a mark of a campaign. */
export function readMark(name: unknown): Marked | undefined {
  const found = typeof name === 'string' ? MARKED.exec(name) : null;
  if (!found) return undefined;
  const [, bare = '', campaign = '', key = '', content] = found;
  return { name: bare, mark: { campaign, key, content } };
}

/** What `contentPart` gives. */
export const CONTENT_PART = new RegExp(`^[0-9a-z]{${CONTENT_LETTERS}}$`);

const letters = (count: number): string => `[0-9a-z]{${count}}`;
const MARKED = new RegExp(
  `^(.*) \\[svc-(${letters(CAMPAIGN_LETTERS)})-(${letters(KEY_LETTERS)})(?:-(${letters(CONTENT_LETTERS)}|${SET_ASIDE}))?\\]$`,
  's',
);

/** Of 36 letters, so that a mark is short: 6 are 31 bits. */
function lettersOf(parts: readonly string[], count: number): string {
  const digest = createHash('sha256').update(parts.join('\0'), 'utf8').digest('hex');
  const number = BigInt(`0x${digest.slice(0, 32)}`);
  return number.toString(36).padStart(count, '0').slice(-count);
}
