/** Runs one seed: an operator creates records with the real client through a bad network. Then the results are compared. */
import { type Client, type ClientOptions, createClient } from '../../src/client/requests/client.ts';
import { ClientError } from '../../src/client/requests/errors.ts';
import type { CreateOptions } from '../../src/client/requests/write.ts';
import { writtenRecord } from '../../src/client/requests/write.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import { type Create, drawCreate, NEVER_TWICE, similarTo } from './simulation-creates.ts';
import { createNetwork, type Mix } from './simulation-network.ts';
import { createModelService, type Maker, type ModelService } from './simulation-service.ts';
import { type Chance, createChance, createWorld, type World } from './simulation-world.ts';

export interface Variant {
  readonly mix: Mix;
  readonly client?: Partial<ClientOptions>;
  readonly create?: CreateOptions;
  /** Creates a record again if its outcome is unknown, which an operator must not do. */
  readonly makesAgain?: boolean;
  /** The service enforces the uniqueness in wire.md; default true. */
  readonly unique?: boolean;
}

export interface Tally {
  creates: number;
  /** The number of records that must never be created twice, and were. */
  doubles: number;
  /** The number of other records that were created more than once. */
  clutter: number;
  /** The number of records that were reported as created, but were not created exactly once or belong to someone else. */
  falseSuccesses: number;
  /** The number of records that were reported as not created, and were created. */
  falseRefusals: number;
  unknown: number;
  /** The number of records that were found after their response was lost. */
  recovered: number;
}

export const emptyTally = (): Tally => ({
  creates: 0,
  doubles: 0,
  clutter: 0,
  falseSuccesses: 0,
  falseRefusals: 0,
  unknown: 0,
  recovered: 0,
});

const BEGIN = Date.UTC(2026, 10, 20, 9, 0, 0);
const KEY = '0123456789abcdef0123456789abcdef';
const CREATES_A_SESSION = 3;
const MINUTE = 60_000;

interface Session {
  readonly variant: Variant;
  readonly chance: Chance;
  readonly world: World;
  readonly service: ModelService;
  readonly tally: Tally;
  readonly newClient: () => Client;
  readonly setMaker: (maker: Maker) => void;
}

interface Ended {
  readonly create: Create;
  readonly maker: number;
  readonly end:
    | { readonly kind: 'made'; readonly row: JsonObject }
    | { readonly kind: 'unknown' | 'not made' };
}

/** Adds the results of this seed to the tally. */
export async function runSession(seed: number, variant: Variant, tally: Tally): Promise<void> {
  const session = openSession(seed, variant, tally);
  const { chance, world } = session;
  const ended: Ended[] = [];
  const oneProcess = chance.is(0.5);
  let client = session.newClient();
  for (let maker = 0; maker < CREATES_A_SESSION; maker += 1) {
    if (!oneProcess) client = session.newClient();
    const before = ended.at(-1);
    // Creates the same record once more, on purpose, as an alarm that is sent twice.
    const again = before?.create.resource.inDoubt === 'note-first' && chance.is(0.3);
    const create = again && before ? before.create : drawCreate(chance, Math.floor(world.now() / 1000));
    // Follows the advice of `unknown`: waits until the lost request can no longer arrive.
    if (before?.end.kind === 'unknown') world.passUntil(world.now() + 16 * MINUTE);
    populate(session, create);
    ended.push({ create, maker, end: await made(session, client, create, maker) });
    world.passUntil(world.now() + chance.betweenLog(10, 60_000));
  }
  while (world.step());
  for (const each of ended) judge(session, each);
}

function openSession(seed: number, variant: Variant, tally: Tally): Session {
  const chance = createChance(seed);
  const world = createWorld(BEGIN);
  const service = createModelService({
    now: world.now,
    tellsTime: chance.is(0.5),
    unique: variant.unique ?? true,
  });
  let maker: Maker;
  const transport = createNetwork({ world, chance, mix: variant.mix, service, maker: () => maker });
  const skew = drawSkew(chance);
  const newClient = (): Client =>
    createClient({
      credentials: { kind: 'company', companyId: 7, userId: 3, apiKey: KEY },
      transport,
      random: chance.octets,
      clock: {
        now: () => world.now() + skew,
        sleep: async (milliseconds) => world.passUntil(world.now() + milliseconds),
      },
      timer: (milliseconds, fire) => world.at(world.now() + milliseconds, fire),
      ...variant.client,
    });
  const setMaker = (given: Maker): void => {
    maker = given;
  };
  return { variant, chance, world, service, tally, newClient, setMaker };
}

/** Returns the milliseconds that the client's clock is ahead. */
function drawSkew(chance: Chance): number {
  const most = chance.is(0.7) ? 2000 : chance.is(0.7) ? 10 * MINUTE : 24 * 60 * MINUTE;
  return Math.round(chance.between(-most, most));
}

/** Creates records of others, before and during the session. */
function populate({ chance, world, service }: Session, create: Create): void {
  const { resource, body } = create;
  // Without a recorded baseline, a similar record created within the same minute cannot be distinguished (find-created.ts).
  const youngest = resource.inDoubt === 'note-first' ? 0 : 150;
  if (chance.is(0.3) && resource.inDoubt !== 'send-again')
    service.insert(resource.name, body, youngest + chance.betweenLog(0.1, 3600));
  if (resource.identifiedBy.length === 0 || !chance.is(0.3)) return;
  const similar = similarTo(create, chance);
  world.at(world.now() + chance.between(0, 90_000), () => service.insert(resource.name, similar, 0));
}

async function made(
  { variant, world, tally, setMaker }: Session,
  client: Client,
  { resource, body }: Create,
  maker: number,
): Promise<Ended['end']> {
  setMaker(maker);
  for (let tries = 1; ; tries += 1) {
    try {
      const written = await client.send({ method: 'POST', resource, body, options: variant.create });
      if (written.recovered) tally.recovered += 1;
      return { kind: 'made', row: writtenRecord(written) };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.kind !== 'unknown') return { kind: 'not made' };
      if (!variant.makesAgain || tries === 3) return { kind: 'unknown' };
      world.passUntil(world.now() + 1000);
    }
  }
}

function judge({ service, tally }: Session, { create, maker, end }: Ended): void {
  const { resource, body } = create;
  const executed = service.madeBy(maker);
  tally.creates += 1;
  if (executed.length > 1) {
    if (NEVER_TWICE.includes(resource.name)) tally.doubles += 1;
    else tally.clutter += 1;
  }
  switch (end.kind) {
    case 'made': {
      const good =
        resource.inDoubt === 'send-again'
          ? standing(service, create) === 1
          : executed.length === 1 && executed[0]?.['id'] === end.row['id'];
      if (!good) tally.falseSuccesses += 1;
      return;
    }
    case 'unknown':
      tally.unknown += 1;
      return;
    case 'not made':
      if (executed.length > 0) tally.falseRefusals += 1;
  }

  function standing({ rows }: ModelService, { resource: { name, identifiedBy } }: Create): number {
    return rows(name).filter((row) => identifiedBy.every((each) => row[each] === body[each])).length;
  }
}
