/**
 * The service of one history: a sandbox with three lists and messages of equal content, a replica that lags behind it, and virtual time.
 * Nothing happens between two events, so a seed always gives the same history.
 */

import type { Method } from '../../../src/kit/schema/resource.ts';
import { advanceClockTo } from '../../../src/sandbox/engine/tick.ts';
import { writeSetting } from '../../../src/sandbox/store/settings.ts';
import type { WireRequest, WireResponse } from '../../../src/service/protocol/wire.ts';
import { putEmail, putList, putSms, putSubscriber } from '../../support/messages.ts';
import { createTestSandbox, NOW, signed, type TestSandbox } from '../../support/sandbox.ts';

export const HAND = 'a person';

/** Lists of different people. Proofs go to the last one. */
export const LISTS = { first: 1, second: 2, proofs: 3 } as const;
/** Ids of the messages in every world, by what people see in them. The ids of both channels are the same. */
export const MESSAGES = { a: 1, copyOfA: 2, b: 3 } as const;

export const EMAILS = {
  a: { fromname: 'Company', subject: 'Twenty percent off', html: '<p>Sale</p>', text: 'Sale' },
  b: { fromname: 'Company', subject: 'Good morning', html: '<p>Morning</p>', text: 'Morning' },
} as const;
export const TEXTS = { a: 'Twenty percent off', b: 'Good morning' } as const;
export type Content = keyof typeof TEXTS;

/** A request that reached the service. */
export interface Arrived {
  /** The run that sent it, or `HAND`. */
  readonly run: string;
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Milliseconds of the virtual time. */
  readonly at: number;
  /** When the run sent it. Some requests arrive much later. */
  readonly sentAt: number;
  /** The time of the records that the response shows. It is earlier than `at` in a list that lags. */
  readonly asOf: number;
  readonly status: number;
  /** Id of the record in the response. */
  readonly id: number | undefined;
}

export interface World {
  readonly sandbox: TestSandbox;
  /** Every request that reached the service, in order. */
  readonly arrived: readonly Arrived[];
  /** Milliseconds since the epoch. The service and all runners have this time. */
  readonly now: () => number;
  /** Runs a function at that time. */
  readonly at: (time: number, run: () => unknown) => void;
  /** Runs events until `isOver`. Returns false if no event is left, or if `limit` is reached. */
  readonly drive: (isOver: () => boolean, limit?: number) => Promise<boolean>;
  /** Runs all events that are left, such as requests on their way. */
  readonly drain: () => Promise<void>;
  /** Carries out a request. @param lag milliseconds by which a collection is behind */
  readonly arrive: (
    run: string,
    request: WireRequest,
    lag?: number,
    sentAt?: number,
  ) => Promise<WireResponse>;
  /** Makes a request as a person with another client. Returns the status. */
  readonly byHand: (method: Method, path: string, body?: unknown) => Promise<number>;
  /** Moves the clock, and performs all due work until then. */
  readonly pass: (seconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param isBusy reports whether a runner still works without waiting for the service, such as while it loads code */
export async function openWorld(hasLag: boolean, isBusy: () => boolean): Promise<World> {
  const start = NOW * 1000;
  let now = start;
  const holding = { kind: 'histories', put: putRecords };
  const sandbox = await createTestSandbox({ machineNow: () => now, holding });
  const replica = hasLag ? await openReplica(() => now) : undefined;
  const arrived: Arrived[] = [];
  const events: { readonly time: number; readonly run: () => unknown }[] = [];

  const at: World['at'] = (time, run) => {
    let place = events.length;
    while (place > 0 && (events[place - 1]?.time ?? 0) > time) place -= 1;
    events.splice(place, 0, { time, run });
  };
  let reached = NOW;
  const catchUp = async (): Promise<void> => {
    const seconds = Math.floor(now / 1000);
    if (seconds <= reached) return;
    reached = seconds;
    await advanceClockTo(sandbox.service.store, seconds, { machineNow: () => now });
  };
  const drive: World['drive'] = async (isOver, limit = Number.POSITIVE_INFINITY) => {
    for (;;) {
      await quiet(isBusy);
      if (isOver()) return true;
      const event = events[0];
      if (event === undefined || event.time > limit) return false;
      events.shift();
      now = Math.max(now, event.time);
      await event.run();
    }
  };
  const arrive: World['arrive'] = async (run, request, lag = 0, sentAt = now) => {
    await catchUp();
    const isLate =
      replica !== undefined && lag > 0 && request.method === 'GET' && !/\/\d+$/.test(request.path);
    const response = isLate ? await replica.read(request, now - lag) : await sandbox.service.handle(request);
    const { status } = response;
    const body = request.body === undefined ? {} : JSON.parse(request.body);
    arrived.push({
      run,
      method: request.method,
      path: request.path,
      body,
      at: now,
      sentAt,
      asOf: isLate ? now - lag : now,
      status,
      id: idIn(response),
    });
    if (request.method !== 'GET' && request.method !== 'HEAD') replica?.note(request, now);
    return response;
  };
  return {
    sandbox,
    arrived,
    now: () => now,
    at,
    drive,
    drain: async () => {
      await drive(() => events.length === 0);
    },
    arrive,
    byHand: async (method, path, body) =>
      (await arrive(HAND, signed('admin', method, path, body, now))).status,
    pass: async (seconds) => {
      now += seconds * 1000;
      await catchUp();
    },
    close: async () => {
      await sandbox.service.store.close();
      await replica?.close();
    },
  };
}

async function putRecords(empty: TestSandbox): Promise<void> {
  const lists = [await putList(empty), await putList(empty), await putList(empty)];
  const people = [3, 2, 1];
  let number = 0;
  for (const [index, list] of lists.entries())
    for (let each = 0; each < (people[index] ?? 0); each += 1) {
      number += 1;
      await putSubscriber(empty, [list], { email: `p${number}@example.com`, msisdn: `44770090000${number}` });
    }
  for (const [name, content] of [
    ['News', 'a'],
    ['News again', 'a'],
    ['Other', 'b'],
  ] as const) {
    await putEmail(empty, { name, ...EMAILS[content] });
    await putSms(empty, { name, message: TEXTS[content] });
  }
  // Records of other people, with which a faulty gateway may mix up a record of svc.
  const times = { cdate: NOW - 9000 };
  const old = { account_id: 1, user_id: 1, channel: 'sms', message_id: MESSAGES.b, list_id: LISTS.second };
  await empty.put('task', { ...old, name: 'Own', scheduledtime: NOW + 40 * 86_400, size: 2, ...times });
  await empty.put('folder', { account_id: 1, name: 'Own', ...times, mdate: NOW });
}

interface Replica {
  readonly note: (request: WireRequest, at: number) => void;
  /** Carries out a GET on the records of that time. */
  readonly read: (request: WireRequest, asOf: number) => Promise<WireResponse>;
  readonly close: () => Promise<void>;
}

/** Opens a second sandbox that carries out each write later, at the time of the write. */
async function openReplica(now: () => number): Promise<Replica> {
  let shown = NOW * 1000;
  const holding = { kind: 'histories', put: putRecords };
  const { service } = await createTestSandbox({ machineNow: () => shown, holding });
  const waiting: { readonly request: WireRequest; readonly at: number }[] = [];
  const show = async (time: number): Promise<void> => {
    shown = time;
    // Its clock may go back, to a write that it has not carried out yet.
    await writeSetting(service.store.db, 'clock.time', String(Math.floor(time / 1000)));
  };
  return {
    note: (request, at) => {
      waiting.push({ request, at });
    },
    read: async (request, asOf) => {
      while ((waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= asOf) {
        const next = waiting.shift();
        if (!next) break;
        await show(next.at);
        await service.handle(next.request);
      }
      await show(now());
      return service.handle(request);
    },
    close: () => service.store.close(),
  };
}

function idIn({ body }: WireResponse): number | undefined {
  if (!body.startsWith('{')) return undefined;
  const data = JSON.parse(body).response?.data;
  const record = Array.isArray(data) ? undefined : data;
  return record?.id === undefined ? undefined : Number(record.id);
}

/** Longest time in milliseconds for which a runner may load code or write files, also on a busy machine. */
const LONGEST_WORK = 60_000;

/** Waits until everything that can continue without an event has done so. */
async function quiet(isBusy: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_WORK;
  for (let calm = 0; calm < 2 && performance.now() < end; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const isWorking =
      isBusy() || process.getActiveResourcesInfo().some((each) => /^(FS|FileHandle)/.test(each));
    calm = isWorking ? 0 : calm + 1;
  }
}
