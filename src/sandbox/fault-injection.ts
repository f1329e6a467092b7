/** The service misbehaves on purpose, as it was told to (contract, "Sandbox": `fault set`). */
import { FAULTS, type FaultEffect, type FaultKind } from '../protocol/control/faults.ts';
import { malformed, ServiceError } from '../protocol/service-errors.ts';
import { seededRandom } from './seeded-random.ts';

export interface InjectedFault {
  readonly kind: FaultKind;
  /** The share of matching requests that it hits, 0 to 1. */
  readonly rate: number;
  /** How many it hits yet; null without end. */
  readonly times: number | null;
  /** `POST /v1/task`, `POST` or `/v1/task`; null hits everything under /v1. */
  readonly match: string | null;
  /** Of `slow`: milliseconds before the work is done. */
  readonly delay: number;
}

export interface FaultInjection {
  readonly add: (wanted: InjectedFault) => void;
  readonly clear: () => number;
  readonly list: () => readonly InjectedFault[];
  /** What is to go wrong with this request; counts it off. */
  readonly next: (method: string, path: string) => InjectedFault | undefined;
}

/** They live as long as the process. The same requests in the same order meet the same faults. */
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

/** What happens to a request that it hits, as its kind is declared. */
export const effectOf = ({ kind }: InjectedFault): FaultEffect => FAULTS[kind].effect;

/** The answer in place of the work. */
export function refusalBy({
  status,
  message,
  retryAfter,
}: Extract<FaultEffect, { readonly kind: 'refuse' }>): ServiceError {
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
    throw malformed('match is a method, a path below /v1/, or both: POST /v1/task');
}

function matches(match: string | null, method: string, path: string): boolean {
  const [, wantedMethod, wantedPath] = MATCH.exec(match ?? '') ?? [];
  if (wantedMethod !== undefined && wantedMethod !== method) return false;
  return (
    wantedPath === undefined || path === wantedPath || path.startsWith(`${wantedPath.replace(/\/$/, '')}/`)
  );
}
