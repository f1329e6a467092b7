/** A model of the network: the possible events of one exchange, and their probabilities. */
import { TransportError } from '../../src/client/requests/errors.ts';
import { assertNever } from '../../src/kit/schema/resource.ts';
import { errorResponseBody } from '../../src/service/protocol/envelope.ts';
import { ServiceError } from '../../src/service/protocol/service-errors.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/service/protocol/wire.ts';
import type { Maker, ModelService } from './simulation-service.ts';
import type { Chance, World } from './simulation-world.ts';

/** Probabilities for one exchange. */
export interface Mix {
  /** The connection is refused or the host is not found: nothing is written. */
  readonly notSent: number;
  /** The request never arrives, because the connection is cut or hangs. */
  readonly lost: number;
  /** The connection is cut or hangs, and the request arrives 1 to 600 s later. */
  readonly late: number;
  /** The service performs the request, and the response never arrives. */
  readonly answerLost: number;
  /** 500, 502, 503 or 504, although the service performed the request. */
  readonly brokenAfter: number;
  /** 500, 502, 503 or 504, and the service did not perform the request. */
  readonly brokenBefore: number;
  readonly throttled: number;
  /** The body of a successful response is cut at any place. */
  readonly truncated: number;
  /** The service takes 1 to 600 s, and finally performs the request. */
  readonly slow: number;
  /** The same octets arrive twice, up to 600 s apart. One time in five, the client gets the response of the second copy. */
  readonly copied: number;
  /** For a whole session: no request gets through for 5 to 120 s. */
  readonly outage: number;
}

/** About six exchanges in a hundred fail: a mobile network, or a service on a bad day. */
export const BAD_DAY: Mix = {
  notSent: 0.01,
  lost: 0.003,
  late: 0.002,
  answerLost: 0.01,
  brokenAfter: 0.005,
  brokenBefore: 0.003,
  throttled: 0.01,
  truncated: 0.003,
  slow: 0.01,
  copied: 0.002,
  outage: 0.005,
};

/** Every second exchange fails, so this mix only tests safety. */
export const STORM: Mix = {
  notSent: 0.04,
  lost: 0.05,
  late: 0.08,
  answerLost: 0.08,
  brokenAfter: 0.05,
  brokenBefore: 0.04,
  throttled: 0.04,
  truncated: 0.04,
  slow: 0.05,
  copied: 0.05,
  outage: 0.05,
};

const KINDS = [
  'notSent',
  'lost',
  'late',
  'answerLost',
  'brokenAfter',
  'brokenBefore',
  'throttled',
  'truncated',
  'slow',
  'copied',
] as const;
type Fate = (typeof KINDS)[number] | 'good';

export interface NetworkOptions {
  readonly world: World;
  readonly chance: Chance;
  readonly mix: Mix;
  readonly service: ModelService;
  /** Returns the logical create to which the current request belongs. */
  readonly maker: () => Maker;
}

type Learnt = WireResponse | TransportError;

/** Makes a transport that lets virtual time pass until the client learns the outcome or gives up. */
export function createNetwork({ world, chance, mix, service, maker }: NetworkOptions): Transport {
  const outage = chance.is(mix.outage) ? world.now() + chance.betweenLog(1000, 120_000) : undefined;
  const outageEnd = (outage ?? 0) + chance.between(5000, 120_000);
  const drawn = (): Fate => {
    const now = world.now();
    if (outage !== undefined && now >= outage && now < outageEnd) return chance.is(0.7) ? 'notSent' : 'lost';
    let rest = chance.fraction();
    for (const kind of KINDS) {
      rest -= mix[kind];
      if (rest < 0) return kind;
    }
    return 'good';
  };

  return async (request, signal) => {
    let learnt: Learnt | undefined;
    const tell = (delay: number, what: () => Learnt): void => {
      world.at(world.now() + delay, () => {
        learnt ??= what();
      });
    };
    send(drawn(), request, tell);
    while (learnt === undefined && signal?.aborted !== true) {
      if (!world.step()) throw new Error('the simulation stands still');
    }
    if (learnt === undefined) throw new TransportError('unknown', 'timed out', { timedOut: true });
    if (learnt instanceof TransportError) throw learnt;
    return learnt;
  };

  function send(fate: Fate, request: WireRequest, tell: (delay: number, what: () => Learnt) => void): void {
    const owner = maker();
    const way = chance.betweenLog(5, 400);
    /** Processes the request after this many milliseconds, then handles the response. */
    const arrive = (delay: number, then: (response: WireResponse) => void = () => undefined): void => {
      world.at(world.now() + delay, () => then(service.handle(request, owner)));
    };
    const answered = (response: WireResponse): void => tell(chance.betweenLog(5, 400), () => response);
    /** The client sees the cut at once, or after its whole wait. */
    const cut = (): void => {
      if (chance.is(0.6)) tell(chance.betweenLog(5, 30_000), () => new TransportError('unknown', 'cut'));
    };
    const broken = (): void => answered(plain(chance.pick([500, 502, 503, 504]), request));
    switch (fate) {
      case 'good':
        arrive(way, answered);
        break;
      case 'notSent':
        tell(chance.betweenLog(5, 5000), () => new TransportError('not-sent', 'refused'));
        break;
      case 'lost':
        cut();
        break;
      case 'late':
        arrive(chance.betweenLog(1000, 600_000));
        cut();
        break;
      case 'answerLost':
        arrive(way, cut);
        break;
      case 'brokenAfter':
        arrive(way, broken);
        break;
      case 'brokenBefore':
        broken();
        break;
      case 'throttled':
        answered(plain(429, request, { 'retry-after': String(Math.floor(chance.between(0, 20))) }));
        break;
      case 'truncated':
        arrive(way, (response) => {
          const body = response.body.slice(0, Math.floor(chance.fraction() * response.body.length));
          answered({ ...response, body });
        });
        break;
      case 'slow':
        arrive(chance.betweenLog(1000, 600_000), answered);
        break;
      case 'copied': {
        const second = chance.is(0.2);
        arrive(way, second ? undefined : answered);
        arrive(way + chance.betweenLog(5, 600_000), second ? answered : undefined);
        break;
      }
      default:
        assertNever(fate);
    }
  }
}

/** Returns a response of an intermediary. Half of these lack the words and the time of the service. */
function plain(status: number, { headers }: WireRequest, more = {}): WireResponse {
  const ours = (headers['x-svc-nonce'] ?? '') < '8';
  return {
    status,
    headers: more,
    body: ours ? errorResponseBody(new ServiceError(status, 'not now')) : '<h1>no</h1>',
  };
}
