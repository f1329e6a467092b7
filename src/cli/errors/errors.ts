/** Error types of a command. `explain-error.ts` finds their messages. */

import type { AccountId } from '../../auth/credentials.ts';
import type { Finding } from '../../schema/resource.ts';
import { type ErrorAbout, SvcError } from '../../text/svc-error.ts';
import type { ExitCode } from './exit-codes.ts';

/** Invalid command, or one refused before anything was sent: exit 2. */
export class UsageError extends SvcError<'usage'> {
  override readonly name = 'UsageError';
  declare readonly details: readonly Finding[];

  constructor(message: string, about: ErrorAbout & { readonly details?: readonly Finding[] } = {}) {
    super('usage', message, about);
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
      hint,
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
export class CliError extends SvcError {
  override readonly name = 'CliError';
  readonly exit: ExitCode;

  constructor(kind: string, message: string, { exit, ...about }: ErrorAbout & { readonly exit: ExitCode }) {
    super(kind, message, about);
    this.exit = exit;
  }
}

/**
 * Error with its message, exit code and hint. The texts may contain secrets and control sequences, which `printError` removes. An empty
 * message prints nothing.
 */
export interface Explained {
  /** Kind of the error, a single word for scripts: `conflict`. */
  readonly kind: string;
  readonly exit: ExitCode;
  readonly message: string;
  /** Status of the service's response, if there was one. */
  readonly http?: number | undefined;
  readonly subcode?: number | null | undefined;
  /** Set if `details` are findings. The message is then built from them when it is printed. */
  readonly findings?: { readonly also: string };
  /** Findings, or other details that the service sent with its error. */
  readonly details: readonly unknown[];
  /** Next steps for the user. Each sentence is printed on its own line. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Company that failed, in a run over many companies. */
  readonly company?: FailedCompany | undefined;
}

export interface FailedCompany {
  readonly id: AccountId;
  readonly name: string | undefined;
}
