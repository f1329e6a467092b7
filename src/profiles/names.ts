/** Checks profile names and ids. These checks are in a separate file, because shell completion needs nothing else of profiles. */

import type { AccountId } from '../auth/credentials.ts';
import { MAX_ID_DIGITS } from '../schema/integer.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function isProfileName(name: string): boolean {
  return NAME.test(name);
}

/** Reports whether the value is an id of a company, user or partner: a whole number of at least 1, without a sign or leading zeros. */
export function isAccountId(value: unknown): value is AccountId {
  if (typeof value === 'bigint') return value >= 1n && String(value).length <= MAX_ID_DIGITS;
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
