/** Assembles the service from store, behaviours and clock. Its function `handle` answers requests; it has no socket and no timer. */
import { DEFAULT_WIRE_NAMING, type Naming } from '../protocol/naming.ts';
import { behaviours } from './behaviours/index.ts';
import { readClock } from './engine/clock.ts';
import { createRequestHandler, type RequestHandler } from './handle.ts';
import type { Store } from './store/open.ts';

export interface ServiceEnvironment {
  /** Returns this machine's time in milliseconds since the epoch. */
  readonly machineNow: () => number;
  readonly random: (octets: number) => Uint8Array;
  /** Scheme, host and port for links in messages. */
  readonly trackingBaseUrl: () => string;
  readonly report: (requestId: string, error: unknown) => void;
}

export interface Service {
  readonly store: Store;
  readonly environment: ServiceEnvironment;
  readonly handle: RequestHandler;
  /** Returns whether requests are in progress. */
  readonly hasRequests: () => boolean;
}

/** Creates the service. @param companions whether lists, subscribers, subscriptions and profile fields are also served under /v1 */
export function createService(
  store: Store,
  environment: ServiceEnvironment,
  naming: Naming = DEFAULT_WIRE_NAMING,
  companions = false,
): Service {
  const handle = createRequestHandler({
    store,
    behaviours,
    naming,
    companions,
    machineNow: environment.machineNow,
    readClock: (db) => readClock(db, environment.machineNow()),
    trackingBaseUrl: environment.trackingBaseUrl,
    random: environment.random,
    report: environment.report,
  });
  let inProgress = 0;
  return {
    store,
    environment,
    handle: async (...request) => {
      inProgress += 1;
      try {
        return await handle(...request);
      } finally {
        inProgress -= 1;
      }
    },
    hasRequests: () => inProgress > 0,
  };
}
