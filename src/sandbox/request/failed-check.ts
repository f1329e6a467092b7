/** Describes the authentication check that a request failed. The request log shows it, and the response never does. */
import type { Claim } from '../../auth/verify.ts';
import type { Naming } from '../../protocol/naming.ts';
import { ServiceError, unauthenticated } from '../../protocol/service-errors.ts';

export type CheckName = 'headers' | 'clock' | 'id' | 'signature' | 'nonce' | 'login' | 'token';

export interface FailedCheck {
  readonly check: CheckName;
  /** A sentence without a full stop. */
  readonly why: string;
  /** Header with the unknown id, without its prefix. Set only for the check `id`. */
  readonly header?: 'PID' | 'CID' | 'UID';
  /** Claim in the headers. Undefined if the claim could not be read. */
  readonly claimed?: Claimed | undefined;
}

export interface Claimed {
  readonly claim: Claim;
  readonly naming: Naming;
  /** Key with which the signature was checked. Undefined if the id is unknown. */
  readonly key?: string | undefined;
}

/** A 401 whose response is the same for every cause. `failed` never leaves the process. */
export class NotAuthenticated extends ServiceError {
  readonly failed: FailedCheck;

  /** @param now the machine's clock, Unix seconds */
  constructor(now: number, failed: FailedCheck) {
    const { status, message, details } = unauthenticated(now);
    super(status, message, details);
    this.failed = failed;
  }
}
