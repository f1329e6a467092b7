/** Assembles the service from store, behaviours and clock. Its function `handle` answers requests; it has no socket and no timer. */
import { DEFAULT_WIRE_NAMING, type Naming } from '../service/protocol/naming.ts';
import { createRequestHandler, type RequestHandler, type ServiceEnvironment } from './handle.ts';
import type { Store } from './store/open.ts';

export interface Service {
  readonly store: Store;
  readonly environment: ServiceEnvironment;
  readonly handle: RequestHandler;
  readonly hasRequests: () => boolean;
}

/** Creates the service. The companions are lists, subscribers, subscriptions and profile fields under /v1. */
export function createService(
  store: Store,
  environment: ServiceEnvironment,
  naming: Naming = DEFAULT_WIRE_NAMING,
  companions = false,
): Service {
  const handle = createRequestHandler({ store, naming, companions, ...environment });
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
