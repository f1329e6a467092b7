import type { AccountId } from '../../auth/credentials.ts';
import type { ExitCode } from './exit-codes.ts';

/** Explained error. Not yet safe to print: `printError` escapes and redacts. An empty message prints nothing. */
export interface Explained {
  /** Single word for scripts: `conflict`. */
  readonly kind: string;
  readonly exit: ExitCode;
  readonly message: string;
  /** Status of the service's response, if there was one. */
  readonly http?: number | undefined;
  readonly subcode?: number | null | undefined;
  /** Set if the details are findings, from which the message is built when it is printed. */
  readonly findings?: { readonly also: string };
  /** Findings, or other details that the service sent with its error. */
  readonly details: readonly unknown[];
  /** Steps to take next. Several sentences stand on lines of their own. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Company that failed, in a run over many companies. */
  readonly company?: FailedCompany | undefined;
}

export interface FailedCompany {
  readonly id: AccountId;
  readonly name: string | undefined;
}
