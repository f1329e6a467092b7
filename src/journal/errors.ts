/** Errors of the journal itself. No message, hint or cause ever holds a secret. */
import { SvcError } from '../text/svc-error.ts';
export type JournalErrorKind =
  /** The folder or one of its files is missing, unsafe, or of another program. */
  | 'storage'
  /** A write that can't be undone was not sent, because it could not be noted first. */
  | 'journal';

export class JournalError extends SvcError<JournalErrorKind> {
  override readonly name = 'JournalError';
}
