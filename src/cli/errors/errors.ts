/** How a command can end badly; `explain-error.ts` finds the words. */
import type { Finding } from '../../schema/resource.ts';
import type { ExitCode } from './exit-codes.ts';

interface About {
  readonly details?: readonly Finding[];
  /** What to do next; `hint` where it is one sentence. */
  readonly hints?: readonly string[];
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Asked wrongly, or refused before anything was sent: exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly details: readonly Finding[];
  readonly hints: readonly string[];

  constructor(message: string, about: About = {}) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.details = about.details ?? [];
    this.hints = about.hints ?? (about.hint === undefined ? [] : [about.hint]);
  }
}

/** What is wrong with what was asked, one finding or several: the words are made of them where they are printed. */
export class FindingsError extends UsageError {
  /** After the findings: `nothing was sent`. */
  readonly also: string;

  /** @param findings at least one */
  constructor(findings: readonly Finding[], also = 'nothing was sent', hint?: string) {
    super(findings.map(({ attribute, reason }) => `${attribute} ${reason}`).join('; '), {
      details: findings,
      ...(hint === undefined ? {} : { hint }),
    });
    this.also = also;
  }
}

/** A finding in a file: it is printed after `FILE:LINE:COLUMN`. Lines and columns count from 1. */
export interface FileFinding extends Finding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Any other failure that we know the words for. `kind` is what a script reads of it in JSON. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly kind: string;
  readonly exit: ExitCode;
  readonly details: readonly unknown[];
  readonly hints: readonly string[];

  constructor(
    kind: string,
    message: string,
    about: Omit<About, 'details'> & { readonly exit: ExitCode; readonly details?: readonly unknown[] },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.exit = about.exit;
    this.details = about.details ?? [];
    this.hints = about.hints ?? (about.hint === undefined ? [] : [about.hint]);
  }
}
