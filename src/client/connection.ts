/** What every call of one client goes through, and what one of them asks for. */
import type { Credentials } from '../auth/credentials.ts';
import type { Naming } from '../protocol/naming.ts';
import type { Transport } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';
import type { Clock, RandomOctets } from './ports.ts';
import type { RetryQuota } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';
import type { TimeLimits } from './time-limits.ts';
import type { Trace } from './trace.ts';
import type { OnWait } from './wait.ts';

/** What all calls of one client share. */
export interface Connection {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** What stands before `/v1` in every path. */
  readonly basePath: string;
  readonly clock: Clock;
  readonly random: RandomOctets;
  readonly timeLimits: TimeLimits;
  /** Milliseconds for a whole call. */
  readonly timeout: number;
  readonly retries: number;
  readonly quota: RetryQuota;
  readonly serviceClock: ServiceClock;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
  /** Whether the trace has the string that was signed. */
  readonly explainsSignature?: boolean | undefined;
  readonly onWait?: OnWait | undefined;
}

/** A promise only where it takes one: an attempt of a bulk job isn't held up for nothing. */
export type BeforeAttempt = () => Promise<void> | undefined;

export interface CallRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** Checked before every attempt; what it throws ends the call. */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /** Signed and sent without company and user, by a partner (interface, "Partner hash"). */
  readonly withoutCompany?: boolean | undefined;
  /** Further attempts after the first, where fewer are left than the connection allows. */
  readonly retries?: number | undefined;
  /** What to look at when the outcome of a write is not known. */
  readonly check?: (() => string) | undefined;
  /** The least difference of clocks, in milliseconds, for which a 401 is signed again; see `service-clock.ts`. */
  readonly leastSkew?: number | undefined;
}
