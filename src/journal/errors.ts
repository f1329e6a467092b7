/** Errors of the journal itself. No message, hint or cause ever holds a secret. */
export type JournalErrorKind =
  /** The folder or one of its files is missing, unsafe, or of another program. */
  | 'storage'
  /** A write that can't be undone was not sent, since it could not be noted first. */
  | 'journal';

export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly kind: JournalErrorKind;
  readonly hints: readonly string[];

  constructor(
    kind: JournalErrorKind,
    message: string,
    options: { readonly hints?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.hints = options.hints ?? [];
  }
}
