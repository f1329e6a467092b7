/** Errors of bulk jobs that occur on this machine. For errors of the service see `ClientError`. */
import { SvcError } from '../text/svc-error.ts';
export type BulkErrorKind =
  /** The command is wrong, or names a file that can't be used. */
  | 'input'
  /** The input file has changed since svc checked it. */
  | 'changed'
  /** The checkpoint of an earlier run can't be resumed. Nothing was sent. */
  | 'damaged-checkpoint'
  /** The checkpoint can no longer be written. No more rows are sent. */
  | 'unwritable-checkpoint'
  /** Another run has taken the lock of the checkpoint. */
  | 'lost-lock'
  /** svc can't write a file of results, such as the rejects file. */
  | 'unwritable-file';

export class BulkError extends SvcError<BulkErrorKind> {
  override readonly name = 'BulkError';
}

export const isBulkError = (error: unknown, ...kinds: readonly BulkErrorKind[]): error is BulkError =>
  error instanceof BulkError && kinds.includes(error.kind);
