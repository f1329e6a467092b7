/** Errors of bulk jobs that occur on this machine. For errors of the service see `ClientError`. */
import { SvcError } from '../text/svc-error.ts';
export type BulkErrorKind =
  /** The command is wrong, or names a file that can't be used. */
  | 'input'
  /** The file has changed since it was checked. */
  | 'changed'
  /** The checkpoint of an earlier run can't be resumed. Nothing was sent. */
  | 'damaged-checkpoint'
  /** The checkpoint can no longer be written. No more rows are sent. */
  | 'unwritable-checkpoint'
  /** Another run has taken the lock. */
  | 'lost-lock'
  /** The outcomes of the rows can't be written to their file. */
  | 'unwritable-file';

export class BulkError extends SvcError<BulkErrorKind> {
  override readonly name = 'BulkError';
}

export const isBulkError = (error: unknown, ...kinds: readonly BulkErrorKind[]): error is BulkError =>
  error instanceof BulkError && kinds.includes(error.kind);
