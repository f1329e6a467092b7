/** What can go wrong with bulk work on this machine. What the service says is a `ClientError`, as everywhere. */
export type BulkErrorKind =
  /** Asked wrongly, or of a file that can't be used. */
  | 'input'
  /** The file is not the one that was checked. */
  | 'changed'
  /** The checkpoint of an earlier run can't be gone on with; nothing was sent. */
  | 'damaged-checkpoint'
  /** The checkpoint can't be written any more; no more rows are sent. */
  | 'unwritable-checkpoint'
  /** Another run holds the lock by now. */
  | 'lost-lock'
  /** What came of the rows can't be written to its file. */
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
