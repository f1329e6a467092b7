/** Errors of bulk work on this machine. Errors of the service are `ClientError`s, as everywhere. */
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

export class BulkError extends Error {
  override readonly name = 'BulkError';
  readonly kind: BulkErrorKind;
  readonly hints: readonly string[];
  /** Sentences that a script reads one by one. */
  readonly details: readonly string[];

  constructor(
    kind: BulkErrorKind,
    message: string,
    about: {
      readonly hint?: string;
      readonly hints?: readonly string[];
      readonly details?: readonly string[];
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.hints = about.hints ?? (about.hint === undefined ? [] : [about.hint]);
    this.details = about.details ?? [];
  }
}

export const isBulkError = (error: unknown, ...kinds: readonly BulkErrorKind[]): error is BulkError =>
  error instanceof BulkError && kinds.includes(error.kind);
