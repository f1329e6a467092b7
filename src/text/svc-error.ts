/** The base of every error that svc explains to a person. `cli/errors/outcomes.ts` maps kinds to exit codes. */

export interface ErrorAbout {
  /** Steps to take next; `hint` if there is only one. */
  readonly hints?: readonly string[] | undefined;
  readonly hint?: string | undefined;
  /** Values that a script reads one by one. */
  readonly details?: readonly unknown[] | undefined;
  readonly cause?: unknown;
}

export class SvcError<Kind extends string = string> extends Error {
  readonly kind: Kind;
  readonly hints: readonly string[];
  readonly details: readonly unknown[];

  constructor(kind: Kind, message: string, { hint, hints, details = [], cause }: ErrorAbout = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hints = hints ?? (hint === undefined ? [] : [hint]);
    this.details = details;
  }
}
