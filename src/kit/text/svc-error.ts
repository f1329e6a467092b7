/**
 * Defines the base class of all errors that svc explains to a person, and the message for a file that a newer svc wrote.
 * `cli/errors/explain-error.ts` maps kinds to exit codes.
 */

export interface SvcErrorOptions {
  /** Steps that the user can take next. Use `hint` for a single step. */
  readonly hints?: readonly string[] | undefined;
  readonly hint?: string | undefined;
  /** Sentences that name no command and no flag, so that an assistant can follow them, too. They come before the other hints. */
  readonly suggestions?: readonly string[] | undefined;
  readonly details?: readonly unknown[] | undefined;
  readonly cause?: unknown;
}

/** Error that svc explains to a person. `kind` determines the exit code. */
export class SvcError<Kind extends string = string> extends Error {
  readonly kind: Kind;
  /** Includes the suggestions. */
  readonly hints: readonly string[];
  readonly suggestions: readonly string[];
  readonly details: readonly unknown[];

  constructor(kind: Kind, message: string, options: SvcErrorOptions = {}) {
    const { hint, hints, suggestions = [], details = [], cause } = options;
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.suggestions = suggestions;
    this.hints = [...suggestions, ...(hints ?? (hint === undefined ? [] : [hint]))];
    this.details = details;
  }
}

export const UPDATE_SVC_HINT = 'update svc; the file was left as it is';

/**
 * Returns the message for a file that a newer svc wrote, or undefined if this svc can read the version. The
 * caller must refuse such a file and leave it unchanged (test/upgrades/README.md lists the formats). A file
 * without `version` has version 1.
 * @param file name of the file in the message
 * @param versionedPart what has the version: the file, or a part of it
 */
export function explainTooNewFileVersion(
  file: string,
  version: unknown,
  newestKnownVersion = 1,
  versionedPart = 'file',
): string | undefined {
  const isNewer =
    (typeof version === 'number' || typeof version === 'bigint') && version > newestKnownVersion;
  return isNewer
    ? `${file} was written by a newer svc (version ${version} of the ${versionedPart})`
    : undefined;
}

export function explainNewerFile(
  file: string,
  content: unknown,
  newestKnownVersion?: number,
): string | undefined {
  const { version }: { readonly version?: unknown } = Object(content);
  return explainTooNewFileVersion(file, version, newestKnownVersion);
}
