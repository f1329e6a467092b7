/** The mark of an idempotency key in a record's name. Every start of a command that creates a record loads this file, so it loads no other. */
import { createHash } from 'node:crypto';

const MARK_DIGITS = 8;

export function nameUnderKey(name: string, token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return `${name} [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/** Returns the name of a rule that svc has created paused under a key and not resumed yet: `Welcome [svc-7f3a9c12-new]`. */
export const unfinishedName = (name: string): string => name.replace(/\]$/, '-new]');

/** Returns the name without the mark of a key at its end, or undefined if it has none. */
export const parseKeyMark = (name: unknown): string | undefined =>
  typeof name === 'string' ? KEY_MARKED.exec(name)?.[1] : undefined;

const KEY_MARKED = new RegExp(`^(.*) \\[svc-[0-9a-f]{${MARK_DIGITS}}(?:-new)?\\]$`, 's');
