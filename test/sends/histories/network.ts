/** The way of one runner to the service: slow, lossy, and cut for good when the runner is killed. */
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Clock } from '../../../src/client/requests/ports.ts';
import type { Transport, WireRequest, WireResponse } from '../../../src/service/protocol/wire.ts';
import { type Chance, createChance } from '../../client/simulation-world.ts';
import { signed } from '../../support/sandbox.ts';
import type { World } from './world.ts';

/** What a faulty network does to a request, with its share of all faults. */
const FAULTS = [
  ['refused', 0.08],
  ['lost-before', 0.1],
  ['lost-after', 0.17],
  ['late', 0.08],
  ['slow', 0.06],
  ['cut', 0.08],
  ['repeated', 0.08],
  ['other-record', 0.12],
  ['429-before', 0.03],
  ['429-after', 0.05],
  ['500-after', 0.04],
  ['502-before', 0.03],
  ['502-after', 0.03],
  ['503-before', 0.03],
  ['503-after', 0.02],
] as const;
export type Fault = (typeof FAULTS)[number][0];
export const ALL_FAULTS: readonly Fault[] = FAULTS.map(([fault]) => fault);

/** When a runner is killed: `before` a request leaves it, `done` as it waits for the answer, `later` while the request is on its way. */
export const KILLS = ['before', 'done', 'later'] as const;

export interface Kill {
  /** The number of the request, among all of the runner or among its writes. */
  readonly at: number;
  readonly of: 'requests' | 'writes';
  readonly how: (typeof KILLS)[number];
}

export interface Conditions {
  /** The share of writes with a fault, from 0 to 1. Fewer reads have one. */
  readonly faults: number;
  /** Largest number of milliseconds by which collections are behind. */
  readonly lag: number;
  readonly kill?: Kill | undefined;
  /** True if all requests take almost the same time, so that runners that begin together stay together. */
  readonly isEven: boolean;
}

export const GOOD: Conditions = { faults: 0, lag: 0, isEven: true };

export interface Connection {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: (octets: number) => Uint8Array;
  readonly killed: Promise<'killed'>;
  /** Reports whether the runner waits for a response, or sleeps. */
  readonly isWaiting: () => boolean;
  /** The faults that happened. */
  readonly faults: readonly Fault[];
}

/** Requests that a run no longer waits for, and that may still arrive. */
export interface OnTheWay {
  count: number;
}

export function connect(
  world: World,
  { name, seed, log }: { readonly name: string; readonly seed: number; readonly log: (line: string) => void },
  { faults, lag, kill, isEven }: Conditions,
  onTheWay: OnTheWay,
): Connection {
  // Chance belongs to the runner, so that one runner's requests do not change the fate of another's.
  const chance = createChance(seed);
  const nonces = createChance(seed + 0.5 * 2 ** 32);
  const occurred: Fault[] = [];
  let requests = 0;
  let writes = 0;
  let waits = 0;
  let isDead = false;
  let die: (value: 'killed') => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => {
    die = resolve;
  });
  const arriveFrom = (request: WireRequest, sentAt: number): Promise<WireResponse> =>
    world.arrive(name, request, lag > 0 ? chance.between(0, lag) : 0, sentAt);
  const later = (request: WireRequest, delay: number): void => {
    onTheWay.count += 1;
    const sentAt = world.now();
    world.at(sentAt + delay, async () => {
      onTheWay.count -= 1;
      log(`  ${name}: late ${request.method} ${request.path}: ${(await arriveFrom(request, sentAt)).status}`);
    });
  };

  /** Makes a promise for which the runner waits. It never ends once the runner is killed. */
  const wait = <T>(
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      if (isDead) return;
      waits += 1;
      const end = (settle: () => void): void => {
        if (isDead) return;
        waits -= 1;
        settle();
      };
      begin(
        (value) => end(() => resolve(value)),
        (error) => end(() => reject(error)),
      );
    });
  const clock: Clock = {
    now: world.now,
    sleep: (milliseconds, signal) =>
      wait((resolve, reject) => {
        world.at(world.now() + milliseconds, () => (signal?.aborted ? reject(signal.reason) : resolve()));
      }),
  };
  const transport: Transport = (request) =>
    wait((resolve, reject) => {
      const sentAt = world.now();
      const arrive = (each: WireRequest): Promise<WireResponse> => arriveFrom(each, sentAt);
      const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
      requests += 1;
      if (isWrite) writes += 1;
      const isLast =
        kill !== undefined && (kill.of === 'requests' ? requests === kill.at : isWrite && writes === kill.at);
      const line = `  ${name}: ${request.method} ${request.path}${request.query === '' ? '' : `?${decodeURIComponent(request.query)}`} ${request.body ?? ''}`;
      const [there, back] = isEven
        ? [chance.between(38, 42), chance.between(18, 22)]
        : [chance.betweenLog(5, 400), chance.betweenLog(5, 200)];
      const after = (delay: number, run: () => unknown): void =>
        world.at(world.now() + delay, () => (isDead ? undefined : run()));
      const answer = (response: WireResponse): void => after(back, () => resolve(response));
      const fail = (sent: 'not-sent' | 'unknown', text: string, delay = back): void =>
        after(delay, () => reject(new TransportError(sent, text)));
      if (isLast) {
        const end = (): void => {
          log(`${line} KILLED (${kill.how})`);
          isDead = true;
          die('killed');
        };
        if (kill.how === 'done')
          after(there, async () => {
            end();
            await arrive(request);
          });
        else {
          if (kill.how === 'later') later(request, chance.betweenLog(10, 20_000));
          after(0, end);
        }
        return;
      }
      const fault = faultOf(chance, faults, isWrite);
      if (fault !== undefined) occurred.push(fault);
      after(there, async () => {
        const told = async (work: Promise<WireResponse>): Promise<WireResponse> => {
          const response = await work;
          const length = response.body.length;
          log(
            `${line} → ${response.status}${fault ? ` ${fault}` : ''} ${length > 700 ? `${length} octets` : response.body}`,
          );
          return response;
        };
        switch (fault) {
          case undefined:
            return answer(await told(arrive(request)));
          case 'refused':
            log(`${line} refused`);
            return fail('not-sent', 'connection refused');
          case 'lost-before':
            log(`${line} lost before`);
            return fail('unknown', 'connection reset', chance.betweenLog(10, 30_000));
          case 'lost-after':
            await told(arrive(request));
            return fail('unknown', 'connection reset', chance.betweenLog(10, 30_000));
          case 'late': {
            log(`${line} arrives late`);
            const limit = chance.betweenLog(100, 30_000);
            if (isWrite) later(request, limit + chance.betweenLog(10, 50_000));
            return fail('unknown', 'timed out', limit);
          }
          case 'slow': {
            const response = await told(arrive(request));
            return after(chance.between(2000, 40_000), () => resolve(response));
          }
          case 'cut': {
            const response = await told(arrive(request));
            return answer({ ...response, body: response.body.slice(0, response.body.length / 2) });
          }
          case 'repeated': {
            const first = await told(arrive(request));
            const second = await told(arrive(request));
            return answer(chance.is(0.5) ? first : second);
          }
          case 'other-record':
            return answer(await withOtherRecord(world, chance, request, await told(arrive(request)), log));
          default: {
            const [status = '', when] = fault.split('-');
            if (when === 'after') await told(arrive(request));
            else log(`${line} ${fault}`);
            return answer(foreign(Number(status), Math.ceil(chance.between(0, 10))));
          }
        }
      });
    });
  return {
    transport,
    clock,
    random: nonces.octets,
    killed,
    isWaiting: () => waits > 0,
    faults: occurred,
  };
}

/** A campaign reads much more often than it writes, and a fault at a read mostly ends the run. */
const SHARE_OF_READS = 0.15;

function faultOf(chance: Chance, share: number, isWrite: boolean): Fault | undefined {
  let rest = chance.fraction();
  if (!chance.is(isWrite ? share : share * SHARE_OF_READS)) return undefined;
  for (const [fault, part] of FAULTS) {
    rest -= part;
    if (rest < 0) return fault;
  }
  return 'lost-after';
}

/** A response in a format that the service does not use, as from a gateway. */
const foreign = (status: number, seconds: number): WireResponse => ({
  status,
  headers: status === 500 ? {} : { 'retry-after': String(seconds) },
  body: '<h1>gateway</h1>',
});

/** Replaces the record in the response by another one of the same resource, as a cache with a fault does. */
async function withOtherRecord(
  { sandbox, now }: World,
  chance: Chance,
  { method, path }: WireRequest,
  response: WireResponse,
  log: (line: string) => void,
): Promise<WireResponse> {
  const resource = /^(\/v1\/[a-zA-Z]+)(?:\/\d+)?$/.exec(path)?.[1];
  const isById = method === 'POST' || /\/\d+$/.test(path);
  if (resource === undefined || !isById || response.status >= 300) return response;
  const envelope = JSON.parse(response.body);
  const { data } = envelope.response;
  const own = String((Array.isArray(data) ? data[0] : data)?.id);
  const list = await sandbox.service.handle(
    signed('admin', 'GET', `${resource}?sort=id&count=50`, undefined, now()),
  );
  const all: { id?: unknown }[] = JSON.parse(list.body).response?.data ?? [];
  const others = all.filter((each) => String(each.id) !== own);
  if (own === 'undefined' || others.length === 0) return response;
  const other = chance.pick(others);
  log(`      answered with ${resource}/${String(other.id)}`);
  envelope.response.data = Array.isArray(data) ? [other] : other;
  return { ...response, body: JSON.stringify(envelope) };
}
