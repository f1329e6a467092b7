/** The authentication check that a request failed. The request log shows it; the response never does. */
import type { Claim } from '../../auth/verify.ts';
import type { Naming } from '../../protocol/naming.ts';
import { ServiceError, unauthenticated } from '../../protocol/service-errors.ts';

export type CheckName = 'headers' | 'clock' | 'id' | 'signature' | 'nonce' | 'login' | 'token';

export interface FailedCheck {
  readonly check: CheckName;
  /** A sentence without a full stop. */
  readonly why: string;
  /** The header with the unknown id, without its prefix; only for the check `id`. */
  readonly header?: 'PID' | 'CID' | 'UID';
  /** The claim of the headers; undefined if they could not be read. */
  readonly claimed?: Claimed | undefined;
}

export interface Claimed {
  readonly claim: Claim;
  readonly naming: Naming;
  /** The key that the signature was checked with; undefined if the id is unknown. */
  readonly key?: string | undefined;
}

/** A 401 that looks the same for every cause; `failed` never leaves the process. */
export class NotAuthenticated extends ServiceError {
  readonly failed: FailedCheck;

  /** @param now the machine's clock, Unix seconds */
  constructor(now: number, failed: FailedCheck) {
    const { status, message, details } = unauthenticated(now);
    super(status, message, details);
    this.failed = failed;
  }
}
