/** A file or directory that can't be used safely, or is held by another. */
export type FileErrorKind =
  | 'held'
  | 'missing'
  | 'link'
  | 'not-a-file'
  | 'not-a-directory'
  | 'not-own'
  | 'open-to-others'
  | 'too-large'
  | 'not-text'
  /** The system says no; its error is the cause. */
  | 'unusable';

/** Nothing was changed. The words fit whatever the file is for; who knows that may have better ones for a kind. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly kind: FileErrorKind;
  readonly hints: readonly string[];

  constructor(kind: FileErrorKind, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hints = hint === undefined ? [] : [hint];
  }
}

/** `ENOENT` and its like; undefined for what isn't of the system. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
