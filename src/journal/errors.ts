/** What can go wrong with the journal itself. No message, hint or cause ever holds a secret. */
export type JournalErrorKind =
  /** The folder or a file of it: not there, unsafe, not ours. */
  | 'storage'
  /** What can't be taken back was not sent, since it could not be noted before. */
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
