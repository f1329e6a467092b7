/** Errors that occur before anything is signed. No message, hint or cause ever holds a key. */
import { SvcError } from '../text/svc-error.ts';
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
