/** The service: one request in, one answer out, in one transaction. Those that wait together share a commit. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { errorBody } from '../protocol/envelope.ts';
import { headerNames, type Naming, toWireName } from '../protocol/naming.ts';
import { internal, ServiceError, underNames } from '../protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../protocol/wire.ts';
import { catalogue } from '../resources/catalogue.ts';
import { companions } from '../resources/companions/catalogue.ts';
import { assertNever, type Method } from '../schema/resource.ts';
import type { Behaviour, Behaviours } from './behaviours/behaviour.ts';
import type { ClockReading } from './engine/clock.ts';
import { createAccount } from './operations/create-account.ts';
import { head, read } from './operations/read.ts';
import { create, remove, update } from './operations/write.ts';
import { callerOf, checkAccess, requireAccountCaller } from './request/access.ts';
import { type Body, isBodyIgnored, readBody } from './request/body.ts';
import type { Call, Caller } from './request/call.ts';
import { type Directory, directoryOf, type Route, readId, route } from './request/route.ts';
import { type Identity, refuseUsedNonce, returnNonce, useNonce, verify } from './request/verify.ts';
import { lanesOf } from './store/lanes.ts';
import { type Db, ReadOnlyStore, type Scope, type Store, storeProblem } from './store/open.ts';
import type { TakeBack } from './store/shared-commit.ts';

export interface ServiceOptions {
  readonly store: Store;
  readonly behaviours: Behaviours;
  readonly naming: Naming;
  /** What is answered beside the catalogue: nothing, or the companions. */
  readonly companions?: boolean | undefined;
  /** The machine's clock, milliseconds: authentication runs on it alone. */
  readonly machineNow: () => number;
  /** The service's clock; a sandbox can move it. */
  readonly readClock: (db: Db) => Promise<ClockReading>;
  readonly trackingBase: () => string;
  readonly random: (octets: number) => Uint8Array;
  /** Told of every failure that is our own, with its request id. */
  readonly report: (requestId: string, error: unknown) => void;
}

/** A body that is read only once the request has proved who sends it. */
export interface LateBody {
  /** The same text however often it is asked for. */
  readonly read: () => string | Promise<string>;
  /** A small one that has come by now: reading it keeps nobody waiting. */
  readonly isHere: () => boolean;
}

/**
 * @param late left out where the request has its body, or none
 * @param onRefused called with each refusal. A `NotAuthenticated` says which check failed; the answer itself doesn't
 */
export type Handle = (
  request: WireRequest,
  late?: LateBody,
  onRefused?: (refused: ServiceError) => void,
) => Promise<WireResponse>;

/** Every service error that a step throws is caught here, and only here; what it did is taken back whole. */
export function createHandle(options: ServiceOptions): Handle {
  const { store, naming } = options;
  const directory = directoryOf(options.companions ? [...catalogue, ...companions] : catalogue, naming.case);
  const transaction = lanesOf(store, options.machineNow);
  return async (request, late, onRefused) => {
    let clock: ClockReading = { time: Math.floor(options.machineNow() / 1000), mode: 'real' };
    const withBody = async (): Promise<WireRequest> =>
      late ? { ...request, body: await late.read() } : request;
    try {
      // The signature does not cover the body, so nobody's is waited for before it is known who sends it (wire,
      // "Authentication, where open").
      let used: Identity | undefined;
      // All that one of these changes is its nonce, which a failure of the service's own making gives back.
      const takeBack: TakeBack = async (db, error) => {
        if (!(error instanceof ServiceError)) return false;
        if (used) await returnNonce(used, db);
        return true;
      };
      const isRead = isBodyIgnored(request.method);
      // Most bodies are there by now, a turn of the event loop after their heads.
      if (store.isShared && late && !late.isHere()) await letOthersRun();
      const mayChange = !isRead && (!store.isShared || late === undefined || late.isHere());
      // A database that can't be written keeps no nonce. One that is used again reads once more, and changes nothing.
      const readUnrecorded = async (error: unknown): Promise<string> => {
        if (!isRead || !(error instanceof ReadOnlyStore)) throw error;
        return transaction(async (db) => {
          clock = await options.readClock(db);
          const proved = await prove(request, directory, db, options);
          await refuseUsedNonce(proved.identity, db, options.machineNow());
          return answer(await withBody(), proved, db, clock.time, options);
        }, READ);
      };
      const first = await transaction(
        async (db) => {
          used = undefined;
          clock = await options.readClock(db);
          const proved = await prove(request, directory, db, options);
          if (isRead || late === undefined || (mayChange && late.isHere())) {
            const complete = await withBody();
            await useNonce(proved.identity, db, options.machineNow());
            used = proved.identity;
            return answer(complete, proved, db, clock.time, options);
          }
          await refuseUsedNonce(proved.identity, db, options.machineNow());
          await admit(request, proved, db, options);
          // Others get their turn until the body has come: what is known of the company may not hold then.
          return { ...proved, identity: { ...proved.identity, account: undefined } };
        },
        mayChange ? scopeOf(request, naming) : READ,
        isRead ? takeBack : undefined,
      ).catch(readUnrecorded);
      const body = typeof first === 'string' ? first : await answerLate(await withBody(), first);
      return response(request.method === 'POST' ? 202 : 200, body, clock, naming);
    } catch (error) {
      const neutral = error instanceof ServiceError ? error : ownFailure(error, options);
      const refused = underNames(neutral, (attribute) => toWireName(naming, attribute));
      onRefused?.(refused);
      const text = request.method === 'HEAD' ? '' : errorBody(refused);
      return response(refused.status, text, clock, naming, refused.details.headers);
    }

    function answerLate(complete: WireRequest, proved: Proved): Promise<string> {
      return transaction(
        async (db) => {
          clock = await options.readClock(db);
          await useNonce(proved.identity, db, options.machineNow());
          return answer(complete, proved, db, clock.time, options);
        },
        scopeOf(complete, naming),
      );
    }
  };
}

const READ: Scope = { kind: 'read' };

/** The company that it says it is about: to be proved, but none other is touched. A partner's new account is nobody's yet. */
function scopeOf({ headers }: WireRequest, naming: Naming): Scope {
  const id = headers[headerNames(naming).cid];
  return id === undefined ? { kind: 'unheld' } : { kind: 'account', id: Number(id) };
}

/** What the head of a request says. */
interface Proved {
  readonly routed: Route;
  readonly identity: Identity;
}

/** Judges all but the body; writes nothing. */
async function prove(
  request: WireRequest,
  directory: Directory,
  db: Db,
  options: ServiceOptions,
): Promise<Proved> {
  const routed = route(request, directory);
  return { routed, identity: await verify(request, db, options.naming, options.machineNow()) };
}

async function admit(
  { method }: WireRequest,
  { routed, identity }: Proved,
  db: Db,
  options: ServiceOptions,
): Promise<Caller> {
  const caller = await callerOf(identity, db, options.machineNow());
  checkAccess(routed.resource, method, caller);
  return caller;
}

async function answer(
  request: WireRequest,
  proved: Proved,
  db: Db,
  now: number,
  options: ServiceOptions,
): Promise<string> {
  const { naming, behaviours } = options;
  const { routed } = proved;
  const { resource } = routed;
  // Again where it was done before the body came: somebody may have locked the account meanwhile.
  const caller = await admit(request, proved, db, options);
  const body = readBody(resource, request, naming);
  if (resource.name === 'account' && request.method === 'POST')
    return createAccount({ db, now, naming, random: options.random }, partnerOf(caller), body);
  const call: Call = {
    db,
    resource,
    caller: requireAccountCaller(caller),
    now,
    naming,
    trackingBase: options.trackingBase(),
  };
  const behaviour = behaviours[resource.name];
  behaviour.permit?.(call, request.method);
  return operate(call, behaviour, request, routed, body);
}

async function operate(
  call: Call,
  behaviour: Behaviour,
  request: WireRequest,
  { resource, id: idText }: Route,
  body: Body,
): Promise<string> {
  const id = idText === undefined ? undefined : readId(resource, idText);
  const method: Method = request.method;
  switch (method) {
    case 'GET':
      return read(call, behaviour, id, request.query);
    case 'HEAD':
      if (await head(call, id, request.query)) return '';
      throw new ServiceError(404, '');
    case 'POST':
      return create(call, behaviour, request.query, body);
    case 'PUT':
      return update(call, behaviour, id, request.query, body);
    case 'DELETE':
      return remove(call, behaviour, id, request.query, body);
    default:
      return assertNever(method);
  }
}

const partnerOf = (caller: Caller): number => caller.partnerId ?? 0;

function ownFailure(error: unknown, options: ServiceOptions): ServiceError {
  const requestId = Buffer.from(options.random(8)).toString('hex');
  options.report(requestId, error);
  return internal(requestId, error, storeProblem(error));
}

function response(
  status: number,
  body: string,
  { time, mode }: ClockReading,
  naming: Naming,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  const names = headerNames(naming);
  const all: Record<string, string> = { [names.time]: String(time) };
  if (body !== '') all['content-type'] = 'application/json; charset=utf-8';
  // A client that watches something must not count seconds that do not pass here.
  if (mode === 'manual') all[names.clock] = 'manual';
  return { status, body, headers: Object.assign(all, headers) };
}
