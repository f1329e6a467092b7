/** The service put together: store, rules and clock behind one `handle`. No socket, no timer. */
import { type Naming, NEUTRAL_NAMING } from '../protocol/naming.ts';
import { behaviours } from './behaviours/index.ts';
import { readClock } from './engine/clock.ts';
import { createHandle, type Handle } from './handle.ts';
import type { Store } from './store/open.ts';

export interface Outside {
  /** Milliseconds since the epoch. */
  readonly machineNow: () => number;
  readonly random: (octets: number) => Uint8Array;
  /** Where links of messages lead: scheme, host and port. */
  readonly trackingBase: () => string;
  readonly report: (requestId: string, error: unknown) => void;
}

export interface Service {
  readonly store: Store;
  readonly outside: Outside;
  readonly handle: Handle;
}

/** @param companions whether lists, subscribers, subscriptions and profile fields are answered under /v1 too */
export function createService(
  store: Store,
  outside: Outside,
  naming: Naming = NEUTRAL_NAMING,
  companions = false,
): Service {
  const handle = createHandle({
    store,
    behaviours,
    naming,
    companions,
    machineNow: outside.machineNow,
    readClock: (db) => readClock(db, outside.machineNow()),
    trackingBase: outside.trackingBase,
    random: outside.random,
    report: outside.report,
  });
  return { store, outside, handle };
}
