/** What can go wrong before anything is signed. No message, hint or cause ever holds a key. */
export type ProfileErrorKind =
  /** Nothing says who is asking, or the key can't be had. */
  | 'no-credentials'
  /** Asked wrongly: a flag, a variable of the environment, or values that don't go together. */
  | 'usage'
  /** The configuration file or its directory: unreadable, unsafe, not ours, busy. */
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
