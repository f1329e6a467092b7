import type { AccountId } from '../../auth/credentials.ts';
import type { ExitCode } from './exit-codes.ts';

/** An error in words. Not yet safe to print: `printError` escapes and redacts. An empty message prints nothing. */
export interface Explained {
  /** One word for scripts: `conflict`. */
  readonly kind: string;
  readonly exit: ExitCode;
  readonly message: string;
  /** Status of the service's answer, where there was one. */
  readonly http?: number | undefined;
  readonly subcode?: number | null | undefined;
  /** The message is made of the details, which are findings, where it is printed. */
  readonly findings?: { readonly also: string };
  /** Findings, or what else the service sent with its refusal. */
  readonly details: readonly unknown[];
  /** What to do next; several sentences stand on lines of their own. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Of work over many companies: the one that failed. */
  readonly company?: FailedCompany | undefined;
}

export interface FailedCompany {
  readonly id: AccountId;
  readonly name: string | undefined;
}
