/** Errors that occur before anything is signed. No message, hint or cause ever holds a key. */
export type ProfileErrorKind =
  /** No source gives the credentials, or the key is not available. */
  | 'no-credentials'
  /** The command, a flag or an environment variable is wrong, or values don't fit together. */
  | 'usage'
  /** The configuration file or its directory is unreadable, unsafe, of another program, or locked. */
  | 'storage';

export class ProfileError extends Error {
  override readonly name = 'ProfileError';
  readonly kind: ProfileErrorKind;
  readonly hints: readonly string[];

  constructor(
    kind: ProfileErrorKind,
    message: string,
    options: { readonly hints?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.hints = options.hints ?? [];
  }
}
