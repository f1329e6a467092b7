/** The state that all calls of a client share, and the description of one call. */
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

/** State that all calls of one client share. */
export interface Connection {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** Prefix before `/v1` in every path. */
  readonly basePath: string;
  readonly clock: Clock;
  readonly random: RandomOctets;
  readonly timeLimits: TimeLimits;
  /** Milliseconds for a whole call, retries included. */
  readonly timeout: number;
  readonly retries: number;
  readonly quota: RetryQuota;
  readonly serviceClock: ServiceClock;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
  /** True if the trace includes the signed string. */
  readonly explainsSignature?: boolean | undefined;
  readonly onWait?: OnWait | undefined;
}

/** Check before an attempt. It returns a promise only if it has to wait, because each promise would delay the attempts of a bulk job. */
export type BeforeAttempt = () => Promise<void> | undefined;

export interface CallRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string | undefined;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Called before every attempt. An error that it throws ends the call. */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /** True if a partner signs and sends the request without company and user (interface, "Partner hash"). */
  readonly withoutCompany?: boolean | undefined;
  /** Maximum number of retries of this call, if it is lower than that of the connection. */
  readonly retries?: number | undefined;
  /** Returns what the user should check when the outcome of a write is unknown. */
  readonly check?: (() => string) | undefined;
  /** Minimum clock difference in milliseconds for which a request is signed again after a 401. See `service-clock.ts`. */
  readonly leastSkew?: number | undefined;
}
