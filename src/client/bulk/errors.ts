/** Errors of bulk jobs that occur on this machine. */
import { SvcError } from '../../kit/text/svc-error.ts';
export type BulkErrorKind =
  | 'input'
  | 'changed'
  /** `damaged-checkpoint`: svc can't resume from the checkpoint of an earlier run. svc sent nothing. */
  | 'damaged-checkpoint'
  /** `unwritable-checkpoint`: svc can no longer write the checkpoint, so it sends no more rows. */
  | 'unwritable-checkpoint'
  | 'lost-lock'
  /** `unwritable-file`: svc can't write a file of results, such as the rejects file. */
  | 'unwritable-file';

export class BulkError extends SvcError<BulkErrorKind> {
  override readonly name = 'BulkError';
}

export const isBulkError = (error: unknown, ...kinds: readonly BulkErrorKind[]): error is BulkError =>
  error instanceof BulkError && kinds.includes(error.kind);
