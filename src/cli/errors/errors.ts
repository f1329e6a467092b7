/** Defines the error types of commands. `explain-error.ts` converts them to messages and exit codes. */

import type { AccountId } from '../../auth/credentials.ts';
import type { Finding } from '../../schema/resource.ts';
import { SvcError, type SvcErrorOptions } from '../../text/svc-error.ts';
import type { ExitCode } from './exit-codes.ts';

/** Error for an invalid command, or for a command that svc refuses before it sends anything (exit code 2). */
export class UsageError extends SvcError<'usage'> {
  override readonly name = 'UsageError';
  declare readonly details: readonly Finding[];

  constructor(message: string, about: SvcErrorOptions & { readonly details?: readonly Finding[] } = {}) {
    super('usage', message, about);
  }
}

/** Error for invalid input with one or more findings. The printed message lists the findings. */
export class InvalidInputError extends UsageError {
  /** Text that is printed after the findings: `nothing was sent`. */
  readonly footer: string;

  /** Creates the error for invalid input. @param findings at least one finding */
  constructor(findings: readonly Finding[], footer = 'nothing was sent', hint?: string) {
    super(findings.map(({ attribute, reason }) => `${attribute} ${reason}`).join('; '), {
      details: findings,
      hint,
    });
    this.footer = footer;
  }
}

/** Finding about a place in a file, which is printed after `FILE:LINE:COLUMN`. Lines and columns count from 1. */
export interface FileFinding extends Finding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Error for a known failure without a class of its own. `kind` is a word for scripts in the JSON output. */
export class CliError extends SvcError {
  override readonly name = 'CliError';
  readonly exit: ExitCode;

  constructor(
    kind: string,
    message: string,
    { exit, ...about }: SvcErrorOptions & { readonly exit: ExitCode },
  ) {
    super(kind, message, about);
    this.exit = exit;
  }
}

/** Message, exit code and hint of an error. `printError` removes secrets and control sequences, and prints nothing for an empty message. */
export interface ErrorExplanation {
  /** Kind of the error, a single word for scripts: `conflict`. */
  readonly kind: string;
  readonly exit: ExitCode;
  readonly message: string;
  /** Status of the service's response, if there was one. */
  readonly http?: number | undefined;
  readonly subcode?: number | null | undefined;
  /** Set if `details` are findings. The printed message then lists the findings. */
  readonly findings?: { readonly footer: string };
  /** Findings, or other details that the service sent with its error. */
  readonly details: readonly unknown[];
  /** Next steps for the user. Each sentence is printed on its own line. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Company that failed, in a run over many companies. */
  readonly company?: CompanyWithError | undefined;
}

/** Company in which a command for many companies failed. */
export interface CompanyWithError {
  readonly id: AccountId;
  readonly name: string | undefined;
}

/** Returns the uncaught error that aborted the signal, if any. */
export function findUncaughtErrorThatAborted({ aborted, reason }: AbortSignal): Error | undefined {
  return aborted && reason instanceof Error && reason.name !== 'AbortError' ? reason : undefined;
}
