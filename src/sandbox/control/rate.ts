/** Limits how often other machines may call the control plane, and how often they may try a wrong token. */
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../protocol/origin.ts';
import { throttled } from '../../protocol/service-errors.ts';

export interface RateLimit {
  /** Counts a request. @throws ServiceError 429 with the seconds to wait */
  readonly check: (request: IncomingMessage) => void;
  /** Counts a wrong token. */
  readonly fail: (request: IncomingMessage) => void;
}

const WINDOW_MS = 60_000;
/** Limits for one address in a minute. */
const MAX_REQUESTS = 3_000;
const MOST_FAILURES = 10;
/** Maximum number of addresses that are remembered. A further address replaces the oldest. */
const MOST_ADDRESSES = 10_000;

interface Count {
  readonly since: number;
  requests: number;
  failures: number;
}

/**
 * Creates the limit.
 * @param behindProxy use the address that the proxy adds last; a client can forge the ones before it
 * @param machineNow milliseconds
 */
export function limitRate(behindProxy: boolean, machineNow: () => number): RateLimit {
  const counts = new Map<string, Count>();
  const countOf = (request: IncomingMessage): Count | undefined => {
    const address = addressOf(request, behindProxy);
    if (!behindProxy && isLoopback(address)) return undefined;
    const now = machineNow();
    const known = counts.get(address);
    if (known && now - known.since < WINDOW_MS && now >= known.since) return known;
    counts.delete(address);
    const [first] = counts.keys();
    if (counts.size >= MOST_ADDRESSES && first !== undefined) counts.delete(first);
    const fresh = { since: now, requests: 0, failures: 0 };
    counts.set(address, fresh);
    return fresh;
  };
  return {
    check: (request) => {
      const count = countOf(request);
      if (count === undefined) return;
      count.requests += 1;
      if (count.requests <= MAX_REQUESTS && count.failures < MOST_FAILURES) return;
      throw throttled(Math.max(1, Math.ceil((count.since + WINDOW_MS - machineNow()) / 1000)));
    },
    fail: (request) => {
      const count = countOf(request);
      if (count) count.failures += 1;
    },
  };
}

function addressOf({ socket, headers }: IncomingMessage, behindProxy: boolean): string {
  const forwarded = headers['x-forwarded-for'];
  const last = behindProxy ? [forwarded ?? []].flat().join(',').split(',').at(-1)?.trim() : undefined;
  return (last || socket.remoteAddress || '').replace(/^::ffff:/, '').slice(0, 60);
}
