/**
 * Acceptance, Y2: on a real socket no request acts twice, and no success is false. The service is a sandbox behind a server that handles
 * some requests with one of thirteen faults. The rows of the sandbox decide (acceptance, "What is sent again").
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/requests/client.ts';
import { ClientError } from '../../src/client/requests/errors.ts';
import { createTransport } from '../../src/client/requests/transport/undici-transport.ts';
import { METHODS } from '../../src/kit/schema/resource.ts';
import { readBody, readRequestWithoutBody, writeResponse } from '../../src/sandbox/http/wire.ts';
import type { Credentials } from '../../src/service/auth/credentials.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { CALLS, type Call, SINGLE } from '../support/client-calls.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { withEverything } from '../support/everything.ts';
import { REPEATABLE } from '../support/post-bodies.ts';
import { IDS, KEYS, NOW, type TestSandbox } from '../support/sandbox.ts';
import { type Chance, createChance } from './simulation-world.ts';

const CASES = depth('SVC_SOCKET_FAULTS', { few: 30, full: 4000 });

interface Ending {
  readonly socket: Socket;
  /** The head of the service's response without its end, and the body. Both belong to an empty response if the service did not act. */
  readonly head: string;
  readonly body: string;
  readonly isHead: boolean;
  /** Lets the time of the exchange run out. */
  readonly expire: () => void;
}

interface Fault {
  /** The time at which the service performs the request. */
  readonly acts: 'never' | 'at once' | 'late';
  /** The client's knowledge: the classes of acceptance, "What a failure says". */
  readonly kind: 'not-sent' | 'throttled' | 'unknown' | 'unavailable' | 'broken' | 'page';
  readonly end: (ending: Ending) => unknown;
}

/** Responds as a proxy does, with a page that is not the service's. */
const page =
  (status: number, more = '', body = '<h1>page</h1>') =>
  ({ socket, isHead }: Ending): unknown =>
    socket.end(
      `HTTP/1.1 ${status} Page\r\nContent-Type: text/html\r\n${more}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n` +
        (isHead ? '' : body),
    );

const THROTTLED = '{"status":"error","response":{"code":429,"subcode":null,"message":"Too Many Requests"}}';

const FAULTS: Readonly<Record<string, Fault>> = {
  // The server does not listen: see `refuse`.
  'the connection is refused': { acts: 'never', kind: 'not-sent', end: () => undefined },
  'the connection is reset': {
    acts: 'never',
    kind: 'unknown',
    end: ({ socket }) => socket.resetAndDestroy(),
  },
  'no response comes': { acts: 'never', kind: 'unknown', end: ({ expire }) => expire() },
  'no response comes, and the service acts later': {
    acts: 'late',
    kind: 'unknown',
    end: ({ expire }) => expire(),
  },
  'the service acts, and the connection is reset': {
    acts: 'at once',
    kind: 'unknown',
    end: ({ socket }) => socket.resetAndDestroy(),
  },
  'the head of the response is cut': {
    acts: 'at once',
    kind: 'unknown',
    end: ({ socket, head }) => socket.end(head.slice(0, head.length / 2)),
  },
  'the body of the response is cut': {
    acts: 'at once',
    kind: 'unknown',
    end: ({ socket, head, body }) =>
      socket.end(
        `${head}content-length: ${Buffer.byteLength(body) + 1}\r\n\r\n${body.slice(0, body.length / 2)}`,
      ),
  },
  'the response comes in chunks, and is cut': {
    acts: 'at once',
    kind: 'unknown',
    end: ({ socket, head, body }) =>
      socket.end(
        `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body.slice(0, 9)}`,
      ),
  },
  'the service acts, and a proxy says 503': {
    acts: 'at once',
    kind: 'unavailable',
    end: page(503),
  },
  'the service acts, and says 500': {
    acts: 'at once',
    kind: 'broken',
    end: page(500),
  },
  'the service acts, and a page with status 200 comes': {
    acts: 'at once',
    kind: 'page',
    end: page(200),
  },
  'the request is throttled': {
    acts: 'never',
    kind: 'throttled',
    end: page(429, 'Retry-After: 3\r\n', THROTTLED),
  },
  // Second attack L1: three tasks for one command.
  'the service acts, and a proxy says 429': {
    acts: 'at once',
    kind: 'unavailable',
    end: page(429, 'Retry-After: 3\r\n'),
  },
};
const NAMES = Object.keys(FAULTS);
const REFUSED = 'the connection is refused';

/** The requests that meet the fault: the first one of the tested method, all of them, or half of all requests, each with any fault. */
type Extent = 'first' | 'all' | 'storm';

interface Case {
  readonly call: Call;
  readonly fault: string;
  readonly extent: Extent;
  readonly seed: number;
}

function casesOf(count: number): readonly Case[] {
  const chance = createChance(SEED);
  const all = CALLS.flatMap((call) =>
    NAMES.flatMap((fault) =>
      (['first', 'all'] as const).map((extent) => ({ call, fault, extent, seed: 0, at: chance.fraction() })),
    ),
  );
  const drawn = all.sort((a, b) => a.at - b.at).slice(0, count);
  const storms = Array.from({ length: count - drawn.length }, (_, at) => ({
    ...{ call: chance.pick(CALLS), fault: 'any', extent: 'storm' as const, seed: SEED + at },
  }));
  return [...drawn, ...storms];
}

it('Y2: covers each method of the 18 resources, and 13 faults', () => {
  expect(catalogue).toHaveLength(18);
  expect(NAMES.length).toBe(13);
  for (const { name, methods } of catalogue)
    for (const method of METHODS) {
      const hasMethod = methods[method.toLowerCase() as keyof typeof methods] !== undefined;
      const calls = CALLS.filter((call) => call.resource.name === name && call.method === method);
      expect([name, method, calls.length > 0]).toEqual([name, method, hasMethod]);
    }
});

it(`Y2: no request acts twice, and no success is false, in ${CASES} cases (SVC_SEED=${SEED})`, {
  timeout: 1e9,
}, async () => {
  const faults: string[] = [];
  const seen: Record<string, number> = {};
  for (const each of casesOf(CASES)) {
    const { call, fault, extent, seed } = each;
    const { outcome, problems } = await judged(each);
    seen[outcome] = (seen[outcome] ?? 0) + 1;
    const what = `${call.method} ${call.resource.name} ${JSON.stringify(call.body ?? {})}`;
    for (const problem of problems) faults.push(`${what}, ${fault}, ${extent} ${seed}: ${problem}`);
  }
  process.stdout.write(`${CASES} cases, seed ${SEED}: ${JSON.stringify(seen)}\n`);
  expect(faults).toEqual([]);
  tried('Y2', CASES);
});

async function judged({ call, fault, extent, seed }: Case) {
  const sandbox = await withEverything();
  const { resource, method, body } = call;
  // A twin of the record, which must not be mistaken for it.
  if (body && REPEATABLE.some(([name]) => name === resource.name) && method === 'POST')
    await sandbox.send('admin', 'POST', `/v1/${resource.name}`, body);
  const before = await truthOf(sandbox, call);
  const chance = createChance(seed);
  await using door = await openDoor(sandbox, call, choice(call, { fault, extent, chance }));
  if (fault === REFUSED) await door.refuse(extent === 'all');
  const result = await call.run(door.client).then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  await door.endOfWindow();
  const after = await truthOf(sandbox, call);
  const outcome = outcomeOf(result.error);
  const problems = [
    ...untrue(call, { outcome, value: result.value, before, after }),
    ...tooMany(call, door.arrived),
    ...(sandbox.reports.length > 0 ? [`the sandbox failed: ${String(sandbox.reports[0])}`] : []),
  ];
  const expected = extent === 'first' ? expectedOf(call, FAULTS[fault]) : outcome;
  if (outcome !== expected) problems.push(`${outcome}, not ${expected}: ${String(result.error)}`);
  await sandbox.service.store.close();
  return { outcome, problems };
}

type Choose = (request: WireRequest) => Fault | undefined;

function choice(
  { method }: Call,
  { fault, extent, chance }: { fault: string; extent: Extent; chance: Chance },
): Choose {
  let count = 0;
  return (request) => {
    if (extent === 'storm')
      return chance.is(0.5) ? FAULTS[chance.pick(NAMES.filter((name) => name !== REFUSED))] : undefined;
    if (request.method !== method || fault === REFUSED) return undefined;
    count += 1;
    return extent === 'all' || count === 1 ? FAULTS[fault] : undefined;
  };
}

/** Returns the client's result of the call: `done`, or the kind of its error. */
function outcomeOf(error: unknown): string {
  if (error === undefined) return 'done';
  return error instanceof ClientError ? error.kind : `no ClientError: ${String(error)}`;
}

/** Returns the outcome of a call whose first request meets the fault (acceptance, "What is sent again"). */
function expectedOf({ resource, method }: Call, fault: Fault | undefined): string {
  if (fault === undefined || fault.kind === 'not-sent' || fault.kind === 'throttled') return 'done';
  if (method === 'POST') {
    if (resource.identifiedBy.length === 0) return 'unknown';
    return resource.inDoubt === 'send-again' || fault.acts !== 'never' ? 'done' : 'unknown';
  }
  if (fault.kind === 'broken') return 'failed';
  // A response to HEAD has no body, so a proxy's page looks like the service.
  if (fault.kind !== 'page' || method === 'HEAD') return 'done';
  return method === 'GET' ? 'not-ours' : 'unknown';
}

/** The kinds of error that mean that the call changed nothing. */
const NOTHING_DONE = ['unreachable', 'throttled', 'refused'];

interface Seen {
  readonly outcome: string;
  readonly value: unknown;
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
}

/** Compares the client's result with the rows before and after. */
function untrue({ method, body = {}, id, resource }: Call, { outcome, value, before, after }: Seen) {
  const idsBefore = new Set(before.map((row) => String(row['id'])));
  const made = after.filter((row) => !idsBefore.has(String(row['id'])));
  const isDone = outcome === 'done';
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string): void => {
    if (!isRight) problems.push(problem);
  };
  const rowOf = (rows: readonly JsonObject[]) =>
    SINGLE.includes(resource.name) ? rows[0] : rows.find((row) => String(row['id']) === String(id));
  switch (method) {
    case 'GET': {
      const expected = SINGLE.includes(resource.name) || id !== undefined ? rowOf(before) : before;
      check(
        !isDone || JSON.stringify(value) === JSON.stringify(expected),
        'the data is not that of the service',
      );
      break;
    }
    case 'HEAD':
      check(!isDone || value === true, 'a record that exists is said not to');
      break;
    case 'POST': {
      check(made.length <= 1, `it is there ${made.length} times`);
      const [one] = made;
      const got = (value as JsonObject | undefined)?.['id'];
      if (isDone)
        check(one !== undefined && String(got) === String(one['id']), `false success: ${String(got)}`);
      else check(outcome === 'unknown' || made.length === 0, `it was made, but the error is ${outcome}`);
      return problems;
    }
    case 'PUT': {
      const isChanged = Object.entries(body).every(([name, wanted]) => rowOf(after)?.[name] === wanted);
      if (isDone) check(isChanged, 'false success: it is as before');
      else if (NOTHING_DONE.includes(outcome))
        check(!isChanged, `it was changed, but the error is ${outcome}`);
      check(made.length === 0 && after.length === before.length, 'records were made or deleted');
      return problems;
    }
    case 'DELETE': {
      const isGone = rowOf(after) === undefined;
      if (isDone) check(isGone, 'false success: it is still there');
      else if (NOTHING_DONE.includes(outcome)) check(!isGone, `it was deleted, but the error is ${outcome}`);
      check(before.length - after.length === (isGone ? 1 : 0), 'other records were deleted');
      return problems;
    }
  }
  check(JSON.stringify(after) === JSON.stringify(before), 'a read changed something');
  return problems;
}

/** Checks the number of requests: at most three, and only one for a POST that might act twice, after doubt. */
function tooMany({ resource, method }: Call, arrived: readonly Arrived[]): readonly string[] {
  const own = arrived.filter(({ request }) => request.method === method);
  const firstUncertain = own.findIndex(({ fault }) => fault !== undefined && fault.kind !== 'throttled');
  const isUnsafe = method === 'POST' && resource.inDoubt !== 'send-again';
  return [
    ...(own.length > 3 && method !== 'GET' ? [`sent ${own.length} times`] : []),
    ...(isUnsafe && firstUncertain >= 0 && own.length > firstUncertain + 1 ? ['sent again after doubt'] : []),
  ];
}

/** Reads the rows from the sandbox without the client. */
async function truthOf(sandbox: TestSandbox, { resource: { name }, method }: Call) {
  if (name === 'account' && method === 'POST') return (await sandbox.rows('account')) as JsonObject[];
  const query = name === 'subscriberProfileData' ? '?subscriber_id=1' : '';
  const { status, list } = await sandbox.send('admin', 'GET', `/v1/${name}${query}`);
  if (status === 404) return [];
  return [...list];
}

interface Arrived {
  readonly request: WireRequest;
  readonly fault: Fault | undefined;
}

/** Opens a socket in front of the sandbox, and a client that uses it. The clock advances only while the client sleeps. */
async function openDoor(sandbox: TestSandbox, { isPartner = false }: Call, choose: Choose) {
  const arrived: Arrived[] = [];
  const timers = new Set<() => void>();
  const late: { readonly at: number; readonly run: () => Promise<unknown> }[] = [];
  let now = NOW * 1000;
  let isClosed = false;

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const head = readRequestWithoutBody(incoming);
    const body = await readBody(incoming);
    const request = body === '' ? head : { ...head, body };
    const fault = choose(request);
    arrived.push({ request, fault });
    const handle = () => sandbox.service.handle(request);
    if (fault === undefined) {
      writeResponse(incoming, outgoing, await handle());
      return;
    }
    if (fault.acts === 'late') late.push({ at: now + 1500, run: handle });
    const answer = fault.acts === 'at once' ? await handle() : { status: 200, headers: {}, body: '' };
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    fault.end({
      socket: incoming.socket,
      head: `HTTP/1.1 ${answer.status} Status\r\n${lines.join('')}`,
      body: answer.body,
      isHead: request.method === 'HEAD',
      expire: () => {
        for (const run of timers) run();
      },
    });
  };
  const server = createServer((incoming, outgoing) => {
    // The clock of the sandbox is stopped.
    outgoing.sendDate = false;
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const pass = async (until: number): Promise<void> => {
    now = until;
    for (const each of late.filter(({ at }) => at <= now)) {
      late.splice(late.indexOf(each), 1);
      await each.run();
    }
  };
  let staysClosed = false;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      await pass(now + milliseconds);
      if (isClosed && !staysClosed) await listen(port);
      isClosed &&= staysClosed;
    },
  };
  const credentials: Credentials = isPartner
    ? { kind: 'partner', partnerId: IDS.partner, companyId: IDS.company, apiKey: KEYS.partner }
    : { kind: 'company', companyId: IDS.company, userId: IDS.admin, apiKey: KEYS.company };
  const { transport, close: hangUp } = await createTransport({
    origin: `http://127.0.0.1:${port}`,
    timer: (_, fire) => {
      timers.add(fire);
      return () => timers.delete(fire);
    },
  });
  const client = createClient({
    credentials,
    transport,
    random: randomBytes,
    clock,
    timer: () => () => undefined,
  });
  return {
    client,
    arrived,
    /** Closes the port. It opens again when the client sleeps, unless it stays closed. */
    refuse: async (forGood: boolean): Promise<void> => {
      staysClosed = forGood;
      isClosed = true;
      await close();
    },
    /** Waits until the service can no longer accept a copy of a request. */
    endOfWindow: () => pass(now + 15 * 60_000),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await hangUp();
      if (!isClosed) await close();
    },
  };
}
