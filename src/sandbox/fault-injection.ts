/** Makes the service misbehave on purpose (contract, "Sandbox": `fault set`). */
import type { InjectedFaultEffect, InjectedFaultKind } from '../service/protocol/control/faults.ts';
import { createMalformedRequestError, ServiceError } from '../service/protocol/service-errors.ts';
import { seededRandom } from './seeded-random.ts';

interface InjectedFault {
  readonly kind: InjectedFaultKind;
  /** The share of matching requests that fail, 0 to 1. */
  readonly rate: number;
  /** Remaining number of requests that fail; null for no limit. */
  readonly times: number | null;
  /** A method, a path or both: `POST /v1/task`, `POST` or `/v1/task`; null matches all requests under /v1. */
  readonly match: string | null;
  /** Milliseconds that a `slow` fault waits before the service handles the request. */
  readonly delay: number;
}

export interface FaultInjection {
  readonly add: (wanted: InjectedFault) => void;
  readonly clear: () => number;
  readonly list: () => readonly InjectedFault[];
  /** Returns the fault that applies to this request, if any, and counts the request. */
  readonly next: (method: string, path: string) => InjectedFault | undefined;
}

/** Makes requests fail on purpose, so that users can test their clients. The same requests in the same order fail. */
export function createFaultInjection(): FaultInjection {
  let active: readonly InjectedFault[] = [];
  let random = seededRandom(SEED);
  return {
    add: (wanted) => {
      checkMatch(wanted.match);
      active = [...active, wanted];
      random = seededRandom(SEED);
    },
    clear: () => {
      const { length } = active;
      active = [];
      return length;
    },
    list: () => active,
    next: (method, path) => {
      const hit = active.find((each) => matches(each.match, method, path) && random() < each.rate);
      if (hit && hit.times !== null) {
        const left = { ...hit, times: hit.times - 1 };
        active = active.flatMap((each) => (each !== hit ? [each] : left.times > 0 ? [left] : []));
      }
      return hit;
    },
  };
}

/** Returns the error with which the service answers the request instead of processing it. */
export function createFaultError({
  status,
  message,
  retryAfter,
}: Extract<InjectedFaultEffect, { readonly kind: 'refuse' }>): ServiceError {
  return new ServiceError(
    status,
    message,
    retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } },
  );
}

const SEED = 20_261_120;

const MATCH = /^(?:(GET|HEAD|POST|PUT|DELETE)(?: |$))?(\/v1\/\S*)?$/;

function checkMatch(match: string | null): void {
  if (match !== null && (match === '' || !MATCH.test(match)))
    throw createMalformedRequestError(
      'match must be a method, a path below /v1/, or both, such as POST /v1/task',
    );
}

function matches(match: string | null, method: string, path: string): boolean {
  const [, wantedMethod, wantedPath] = MATCH.exec(match ?? '') ?? [];
  if (wantedMethod !== undefined && wantedMethod !== method) return false;
  return (
    wantedPath === undefined || path === wantedPath || path.startsWith(`${wantedPath.replace(/\/$/, '')}/`)
  );
}
