/**
 * Errors that occur before anything is signed, and the checks of profile names and ids. Shell completion needs nothing else of
 * profiles. No message, hint or cause of an error ever holds a key.
 */

import { codeOf, FileError, type FileErrorKind } from '../../kit/files/errors.ts';
import { MAX_ID_DIGITS } from '../../kit/schema/integer.ts';
import { SvcError } from '../../kit/text/svc-error.ts';
import type { AccountId } from '../../service/auth/credentials.ts';

export type ProfileErrorKind =
  /** No source gives the credentials, or the key is not available. */
  | 'no-credentials'
  /** The command, a flag or an environment variable is wrong, or values don't fit together. */
  | 'usage'
  /** The configuration file or its directory is unreadable, unsafe, locked, or written by another program. */
  | 'storage';

export class ProfileError extends SvcError<ProfileErrorKind> {
  override readonly name = 'ProfileError';
}

/**
 * Runs `work`, and converts errors of files to a ProfileError.
 * @param extraHints hints in addition to those of the errors, by the kind of the error
 * @throws ProfileError `storage`
 */
export async function asStorageError<T>(
  path: string,
  work: () => Promise<T>,
  extraHints: Partial<Readonly<Record<FileErrorKind, string>>> = {},
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FileError) {
      const extra = extraHints[cause.kind];
      const hints = extra === undefined ? cause.hints : [...cause.hints, extra];
      throw new ProfileError('storage', cause.message, { hints, cause });
    }
    const code = cause instanceof ProfileError ? undefined : codeOf(cause);
    if (code === undefined) throw cause;
    throw new ProfileError('storage', `can't use ${path} (${code})`, { cause });
  }
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function isProfileName(name: string): boolean {
  return NAME.test(name);
}

/** Reports whether the value is an id of a company, user or partner: a whole number of at least 1, without a sign or leading zeros. */
export function isAccountId(value: unknown): value is AccountId {
  if (typeof value === 'bigint') return value >= 1n && String(value).length <= MAX_ID_DIGITS;
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
