/** The mark of an idempotency key in a record's name. Every start of a command that creates a record loads this file, so it loads no other. */
import { createHash } from 'node:crypto';

const MARK_DIGITS = 8;

/** Returns the name with the mark of a key: `Sale [svc-7f3a9c12]`. */
export function nameUnderKey(name: string, token: string): string {
  const digest = createHash('sha256').update(token, 'utf8').digest('hex');
  return `${name} [svc-${digest.slice(0, MARK_DIGITS)}]`;
}

/** Returns the name of a rule that svc has created paused under a key and not resumed yet: `Welcome [svc-7f3a9c12-new]`. */
export const unfinishedName = (name: string): string => name.replace(/\]$/, '-new]');
