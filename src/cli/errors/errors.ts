/** Error types of a command. `explain-error.ts` finds their messages. */
import type { Finding } from '../../schema/resource.ts';
import type { ExitCode } from './exit-codes.ts';

interface About {
  readonly details?: readonly Finding[];
  /** Steps to take next; `hint` if there is only one. */
  readonly hints?: readonly string[];
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Invalid command, or one refused before anything was sent: exit 2. */
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

/** Invalid input with one or more findings. The message is built from them when it is printed. */
export class FindingsError extends UsageError {
  /** Text after the findings: `nothing was sent`. */
  readonly also: string;

  /** Creates the error. @param findings at least one */
  constructor(findings: readonly Finding[], also = 'nothing was sent', hint?: string) {
    super(findings.map(({ attribute, reason }) => `${attribute} ${reason}`).join('; '), {
      details: findings,
      ...(hint === undefined ? {} : { hint }),
    });
    this.also = also;
  }
}

/** Finding in a file, printed after `FILE:LINE:COLUMN`. Lines and columns count from 1. */
export interface FileFinding extends Finding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Any other known failure. Scripts read `kind` in the JSON. */
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
