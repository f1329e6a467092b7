/**
 * A sandbox that several runs of `apply` use at once, request by request. Each exchange may fail, and a run may be killed at any
 * exchange. After each one, the store itself is checked for the invariants.
 */
import { type Client, createClient } from '../../../src/client/requests/client.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Clock } from '../../../src/client/requests/ports.ts';
import { moveClock } from '../../../src/sandbox/engine/clock.ts';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Transport, WireRequest, WireResponse } from '../../../src/service/protocol/wire.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { putList, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, IDS, KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';

/** The shares of faulty exchanges; the others succeed. */
const FATES = [
  ['not-sent', 0.15],
  ['lost-before', 0.2],
  ['lost-after', 0.25],
  ['503-before', 0.1],
  ['503-after', 0.1],
  ['429', 0.15],
  ['500-after', 0.05],
] as const;
type Fate = (typeof FATES)[number][0] | 'good';

export interface RunOptions {
  readonly name: string;
  /** The share of faulty exchanges, from 0 to 1. */
  readonly faults: number;
  /** The number of the run's own request at which it is killed, and whether the service still performs that request. */
  readonly kill?: { readonly at: number; readonly isDone: boolean } | undefined;
}

export interface Sent {
  readonly run: string;
  readonly method: string;
  readonly path: string;
}

export interface RunClient {
  readonly client: Client;
  /** Never resolves unless the run is killed. */
  readonly killed: Promise<'killed'>;
  readonly count: () => number;
}

export interface World {
  readonly sandbox: TestSandbox;
  readonly chance: Chance;
  /** Unix seconds of the service's clock. */
  readonly now: () => number;
  readonly open: (options: RunOptions) => RunClient;
  /** Moves the clock, and performs everything that is due until then. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Every request that arrived, in order. */
  readonly sent: readonly Sent[];
  /** Requests whose outcome no response shows: `run1 POST /v1/task`. */
  readonly unanswered: ReadonlySet<string>;
  /** Functions by request number. Each is called before that request is performed. */
  readonly before: Map<number, () => Promise<void>>;
  /** Makes a request by hand through the interface, as the admin. */
  readonly byHand: (method: 'PUT' | 'DELETE' | 'POST', target: string, body?: unknown) => Promise<number>;
}

export async function openWorld(
  chance: Chance,
  afterEach: (world: World, sent: Sent) => Promise<void>,
): Promise<World> {
  let machine = NOW * 1000;
  let now = NOW;
  const sandbox = await createTestSandbox({ machineNow: () => machine });
  const lists = [await putList(sandbox), await putList(sandbox)];
  for (const each of [1, 2, 3])
    await putSubscriber(sandbox, [lists[0] ?? 0], {
      email: `someone${each}@example.com`,
      msisdn: `44770090000${each}`,
    });
  await putSubscriber(sandbox, [...lists], { email: 'both@example.com', msisdn: '447700900009' });
  const sent: Sent[] = [];
  const unanswered = new Set<string>();
  const before = new Map<number, () => Promise<void>>();

  // Performs one exchange at a time. As soon as no run has another request to add, chance picks one of the waiting requests.
  const waiting: { readonly order: string; readonly go: () => Promise<void> }[] = [];
  let isTurning = false;
  const turn = async (): Promise<void> => {
    if (isTurning) return;
    isTurning = true;
    while (waiting.length > 0) {
      await quiet();
      waiting.sort((a, b) => (a.order < b.order ? -1 : 1));
      const [next] = waiting.splice(Math.floor(chance.fraction() * waiting.length), 1);
      await next?.go();
    }
    isTurning = false;
  };
  const inTurn = <T>(order: string, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push({ order, go: () => work().then(resolve, reject) });
      void turn();
    });

  const moveTo = async (time: number): Promise<void> => {
    if (time <= now) return;
    await advanceClockTo(sandbox.service.store, time, { machineNow: () => machine });
    now = time;
    await moveClock(sandbox.service.store.db, now, machine);
  };
  const pass = async (seconds: number): Promise<void> => {
    machine += seconds * 1000;
    await moveTo(now + seconds);
  };
  const clock: Clock = {
    now: () => machine,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      await inTurn('sleep', async () => {
        machine += milliseconds;
        await moveTo(Math.floor(NOW + (machine - NOW * 1000) / 1000));
      });
    },
  };

  const world: World = {
    sandbox,
    chance,
    now: () => now,
    pass,
    sent,
    unanswered,
    before,
    byHand: async (method, target, body) => (await sandbox.send('admin', method, target, body)).status,
    open: ({ name, faults, kill }) => {
      let count = 0;
      let isDead = false;
      let die: (value: 'killed') => void = () => undefined;
      const killed = new Promise<'killed'>((resolve) => {
        die = resolve;
      });
      const never = new Promise<never>(() => undefined);
      const transport: Transport = (request) => {
        if (isDead) return never;
        count += 1;
        const number = count;
        return inTurn(`${name} ${String(number).padStart(6, '0')}`, async () => {
          if (isDead) return NOTHING;
          const isKill = kill !== undefined && number >= kill.at;
          if (isKill) {
            isDead = true;
            if (kill.isDone) await arrive(request);
            die('killed');
            return NOTHING;
          }
          return exchange(request);
        }).then((answer) => (isDead ? never : answer));
      };
      const arrive = async (request: WireRequest): Promise<WireResponse> => {
        const task = before.get(sent.length + 1);
        const one = { run: name, method: request.method, path: request.path };
        if (task) {
          before.delete(sent.length + 1);
          await task();
        }
        sent.push(one);
        const answer = await sandbox.service.handle(request);
        await afterEach(world, one);
        return answer;
      };
      const exchange = async (request: WireRequest): Promise<WireResponse> => {
        const fate = fateOf(chance, faults);
        if (!['good', 'not-sent', '429'].includes(fate))
          unanswered.add(`${name} ${request.method} ${request.path}`);
        switch (fate) {
          case 'good':
            return arrive(request);
          case 'not-sent':
            throw new TransportError('not-sent', 'refused');
          case 'lost-before':
            throw new TransportError('unknown', 'cut');
          case 'lost-after':
            await arrive(request);
            throw new TransportError('unknown', 'cut');
          case '503-before':
            return plain(503);
          case '503-after':
            await arrive(request);
            return plain(503);
          case '500-after':
            await arrive(request);
            return plain(500);
          case '429': {
            const wait = chance.is(0.1) ? 280 : Math.floor(chance.between(0, 20));
            return plain(429, { 'retry-after': String(wait) });
          }
        }
      };
      const client = createClient({
        credentials: { kind: 'company', companyId: IDS.company, userId: IDS.admin, apiKey: KEYS.company },
        transport,
        random: (octets) => chance.octets(octets),
        clock,
        serviceClockAlone: true,
        timer: () => () => undefined,
      });
      return { client, killed, count: () => count };
    },
  };
  return world;
}

/** Waits until everything that can continue without a response has done so. */
async function quiet(): Promise<void> {
  for (let each = 0; each < 3; each += 1) await new Promise((resolve) => setImmediate(resolve));
}

function fateOf(chance: Chance, faults: number): Fate {
  if (!chance.is(faults)) return 'good';
  let rest = chance.fraction();
  for (const [fate, share] of FATES) {
    rest -= share;
    if (rest < 0) return fate;
  }
  return 'good';
}

/** A response to a killed run. The run never receives it, and the other runs are not delayed. */
const NOTHING: WireResponse = { status: 0, headers: {}, body: '' };

const plain = (status: number, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status,
  headers,
  body: '<h1>no</h1>',
});

export const RULE_TABLES = {
  click: 'click_automation',
  open: 'open_automation',
  subscription: 'subscription_automation',
  date: 'date_automation',
  sms: 'sms_automation',
} as const;
export type Rows = readonly SqlRow[];
