/** Defines the error types of commands. `explain-error.ts` converts them to messages and exit codes. */

import { sayFinding } from '../../kit/schema/reason.ts';
import type { Finding } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { SvcError, type SvcErrorOptions } from '../../kit/text/svc-error.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { ExitCode } from './exit-codes.ts';

/** svc refuses the command before it sends anything (exit code 2). */
export class UsageError extends SvcError<'usage'> {
  override readonly name = 'UsageError';
  declare readonly details: readonly Finding[];

  constructor(message: string, about: SvcErrorOptions & { readonly details?: readonly Finding[] } = {}) {
    super('usage', message, about);
  }
}

export const companiesConflictError = (flag: string): UsageError =>
  new UsageError(`cannot combine --${flag} with --companies`, { hint: 'choose one company with --company' });

/** The printed message lists the findings. */
export class InvalidInputError extends UsageError {
  /** Follows the findings: `nothing was sent`. */
  readonly footer: string;

  /** @param findings at least one */
  constructor(findings: readonly Finding[], footer = 'nothing was sent', hint?: string) {
    super(findings.map(sayFinding).join('; '), { details: findings, hint });
    this.footer = footer;
  }
}

/** Printed after `FILE:LINE:COLUMN`. Lines and columns count from 1. */
export interface FileFinding extends Finding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `kind` is a word for scripts in the JSON output. */
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

/** The cause, which concerns one of several records. The message is the words before it. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** `printError` removes secrets and control sequences, and prints nothing for an empty message. */
export interface ErrorExplanation {
  readonly kind: string;
  readonly exit: ExitCode;
  readonly message: string;
  readonly http?: number | undefined;
  readonly subcode?: number | null | undefined;
  /** Set if the findings in the details replace the message. */
  readonly findings?:
    | { readonly label?: string; readonly footer: string; readonly isOneLine?: true }
    | undefined;
  /** Findings, or other details that the service sent with its error. */
  readonly details: readonly unknown[];
  /** Each sentence is printed on its own line. */
  readonly hint?: string | undefined;
  /** The part of the hint that names no command and no flag. */
  readonly suggestions?: readonly string[];
  readonly cause?: unknown;
  readonly company?: CompanyWithError | undefined;
}

export function isFinding(detail: unknown): detail is Finding {
  const { attribute, reason } = isObject(detail) ? detail : {};
  return (
    typeof attribute === 'string' && (typeof reason === 'string' || (isObject(reason) && 'kind' in reason))
  );
}

export interface CompanyWithError {
  readonly id: AccountId;
  readonly name: string | undefined;
}

/** Returns the uncaught error that aborted the signal, if any. */
export function findUncaughtErrorThatAborted({ aborted, reason }: AbortSignal): Error | undefined {
  return aborted && reason instanceof Error && reason.name !== 'AbortError' ? reason : undefined;
}
