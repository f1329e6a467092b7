/** Which check of its authentication a request failed: told in the log of requests, and never in the answer. */
import type { Claim } from '../../auth/verify.ts';
import type { Naming } from '../../protocol/naming.ts';
import { ServiceError, unauthenticated } from '../../protocol/service-errors.ts';

export type Check = 'headers' | 'clock' | 'id' | 'signature' | 'nonce';

export interface FailedCheck {
  readonly check: Check;
  /** A sentence without a full stop. */
  readonly why: string;
  /** The header that names nobody, without its prefix: of the check `id`. */
  readonly header?: 'PID' | 'CID' | 'UID';
  /** What was claimed, where the headers could be read. */
  readonly claimed?: Claimed | undefined;
}

export interface Claimed {
  readonly claim: Claim;
  readonly naming: Naming;
  /** What the signature was checked with; left out where nobody of that id has one. */
  readonly key?: string | undefined;
}

/** 401, the same for every cause; `failed` stays within the process. */
export class NotAuthenticated extends ServiceError {
  readonly failed: FailedCheck;

  /** @param now the machine's clock, Unix seconds */
  constructor(now: number, failed: FailedCheck) {
    const { status, message, details } = unauthenticated(now);
    super(status, message, details);
    this.failed = failed;
  }
}
