/** Handles requests. Each request has one response and one transaction. Requests that wait at the same time share a commit. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { assertNever, type Method } from '../kit/schema/resource.ts';
import { errorResponseBody } from '../service/protocol/envelope.ts';
import { headerNames, type Naming, toWireName } from '../service/protocol/naming.ts';
import {
  createInternalError,
  createMalformedRequestError,
  renameAttributesInError,
  ServiceError,
} from '../service/protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../service/protocol/wire.ts';
import { catalogue } from '../service/resources/catalogue.ts';
import { type SandboxResource, sandboxOnlyResources } from '../service/resources/companions.ts';
import type { ResourceBehaviour } from './behaviours/behaviour.ts';
import { behaviours } from './behaviours/index.ts';
import { type ClockReading, readClock } from './engine/clock.ts';
import { hasRecordForRequest, readRecordsForRequest } from './operations/read.ts';
import {
  createAccount,
  createRecordFromRequest,
  deleteRecordFromRequest,
  updateRecordFromRequest,
} from './operations/write.ts';
import { type Body, isBodyIgnored, readBody } from './request/body.ts';
import {
  type Call,
  type Caller,
  checkResourceAccess,
  findCaller,
  type PreparedRequestBody,
  requireAccountCaller,
} from './request/call.ts';
import { checkLoginBodySize, logIn } from './request/log-in.ts';
import { indexResources, type ResourceIndex, type Route, readId, route } from './request/route.ts';
import {
  type AuthenticatedIds,
  markNonceUnused,
  markNonceUsed,
  readSessionToken,
  refuseUsedNonce,
  verify,
  verifySessionToken,
} from './request/verify.ts';
import { createTransactionQueues, type UndoFailedWork } from './store/driver/shared-commit.ts';
import {
  type Db,
  explainStoreError,
  ReadOnlyStoreError,
  type Store,
  type TransactionScope,
  WITHOUT_LOCK,
} from './store/open.ts';
import { sessionOf } from './store/users.ts';

/** The world outside the store: clock, randomness, address and the report of errors. */
export interface ServiceEnvironment {
  /** Returns this machine's time in milliseconds since the epoch. Authentication uses no other clock. */
  readonly machineNow: () => number;
  readonly random: (octets: number) => Uint8Array;
  /** Scheme, host and port for links in messages. */
  readonly trackingBaseUrl: () => string;
  readonly report: (requestId: string, error: unknown) => void;
}

interface ServiceOptions extends ServiceEnvironment {
  readonly store: Store;
  readonly naming: Naming;
  /** True if the companions (further resources such as lists) are served in addition to the interface's own resources. */
  readonly companions: boolean;
}

/** A body that is read only after the sender is authenticated. */
interface UnreadBody {
  /** Returns the body. Repeated calls return the same text. */
  readonly read: () => string | Promise<string>;
  /** Reports whether a small body has already been received, so that reading it does not block. */
  readonly hasArrived: () => boolean;
}

/** Handles one request. `onRefused` gets each refusal; a `NotAuthenticatedError` says which check failed, which no response says. */
export type RequestHandler = (
  request: WireRequest,
  unreadBody?: UnreadBody,
  onRefused?: (refused: ServiceError) => void,
) => Promise<WireResponse>;

/** Returns the handler. Every service error is caught here and nowhere else, and the changes of its request are rolled back. */
export function createRequestHandler(options: ServiceOptions): RequestHandler {
  const { store, naming } = options;
  const resources = indexResources(
    options.companions ? [...catalogue, ...sandboxOnlyResources] : catalogue,
    naming.case,
  );
  const transaction = createTransactionQueues(store, options.machineNow);
  return async (request, unreadBody, onRefused) => {
    let clock: ClockReading = { time: Math.floor(options.machineNow() / 1000), mode: 'real' };
    const atTime: typeof transaction = (work, scope, undo) => {
      const timed = async (db: Db) => {
        clock = await readClock(db, options.machineNow());
        return work(db);
      };
      return transaction(timed, scope, undo);
    };
    const withBody = async (): Promise<WireRequest> =>
      unreadBody ? { ...request, body: await unreadBody.read() } : request;
    try {
      if (options.companions && isLogIn(request, resources)) {
        checkLoginBodySize(request);
        const body = await logIn(await withBody(), {
          naming,
          machineNow: options.machineNow(),
          random: options.random,
          db: store.db,
          transaction: (work, scope) => atTime((db) => work(db, clock.time), scope),
        });
        return response(202, body, clock, naming);
      }
      const scope = await scopeOf(request, options);
      // The signature does not cover the body, so no body is awaited before the sender is authenticated (wire, "Authentication, where
      // open").
      let used: AuthenticatedIds | undefined;
      // A read changes only its nonce, which is returned if the request fails with a service error.
      const undo: UndoFailedWork = async (db, error) => {
        if (!(error instanceof ServiceError)) return false;
        if (used) await markNonceUnused(used, db);
        return true;
      };
      const isRead = isBodyIgnored(request.method);
      // A large body is prepared outside of the transaction.
      const isSmall = (request.body?.length ?? 0) <= SMALL_BODY;
      const hasArrived = (): boolean => unreadBody?.hasArrived() ?? isSmall;
      // Most bodies arrive one turn of the event loop after their heads.
      if (store.isShared && !hasArrived()) await letOthersRun();
      const mayChange = !isRead && (!store.isShared || hasArrived());
      // A read-only database stores no nonce. Replaying such a request only repeats a read.
      const readUnrecorded = async (error: unknown): Promise<string> => {
        if (!isRead || !(error instanceof ReadOnlyStoreError)) throw error;
        return atTime(async (db) => {
          const proved = await checkHead(request, resources, db, options);
          await refuseUsedNonce(proved.identity, db, options.machineNow());
          return answer(await withBody(), proved, db, clock.time, options);
        }, READ);
      };
      const first = await atTime(
        async (db) => {
          used = undefined;
          const proved = await checkHead(request, resources, db, options);
          if (isRead || (mayChange && hasArrived())) {
            const complete = await withBody();
            await markNonceUsed(proved.identity, db, options.machineNow());
            used = proved.identity;
            return answer(complete, proved, db, clock.time, options);
          }
          await refuseUsedNonce(proved.identity, db, options.machineNow());
          // Protocol, "Bodies": a body is read only if the sender is "authenticated and permitted". Other
          // requests run until it has arrived, so `answer` admits the sender again, in the transaction of the
          // write, and reads the company again.
          await admit(request, proved, db, options);
          return { ...proved, identity: { ...proved.identity, account: undefined } };
        },
        mayChange ? scope : READ,
        isRead ? undo : undefined,
      ).catch(readUnrecorded);
      const body = typeof first === 'string' ? first : await answerLate(await withBody(), first, scope);
      return response(request.method === 'POST' ? 202 : 200, body, clock, naming);
    } catch (error) {
      const neutral = error instanceof ServiceError ? error : ownFailure(error, options);
      const refused = renameAttributesInError(neutral, (attribute) => toWireName(naming, attribute));
      onRefused?.(refused);
      const text = request.method === 'HEAD' ? '' : errorResponseBody(refused);
      return response(refused.status, text, clock, naming, refused.details.headers);
    }

    async function answerLate(
      complete: WireRequest,
      proved: CheckedHead,
      scope: TransactionScope,
    ): Promise<string> {
      const ahead = await readAhead(complete, proved.routed, options);
      return atTime(async (db) => {
        await markNonceUsed(proved.identity, db, options.machineNow());
        return answer(complete, proved, db, clock.time, options, ahead);
      }, scope);
    }
  };
}

const READ: TransactionScope = { kind: 'read' };

/** Maximum length of a body that is read within the transaction. Longer bodies are read outside of it. */
const SMALL_BODY = 16 * 1024;

/** Returns the account to lock, from the session token or the CID header. A request with a wrong id fails later. */
async function scopeOf(request: WireRequest, options: ServiceOptions): Promise<TransactionScope> {
  const { store, naming, machineNow } = options;
  const token = options.companions ? readSessionToken(request, naming) : undefined;
  const session = token && (await sessionOf(store.db, token, Math.floor(machineNow() / 1000)));
  if (session) return { kind: 'account', id: session.account_id };
  const id = request.headers[headerNames(naming).cid];
  return id === undefined ? WITHOUT_LOCK : { kind: 'account', id: Number(id) };
}

interface CheckedHead {
  readonly routed: Route;
  readonly identity: AuthenticatedIds;
}

/** Checks everything about the request except its body, and writes nothing. */
async function checkHead(
  request: WireRequest,
  resources: ResourceIndex,
  db: Db,
  options: ServiceOptions,
): Promise<CheckedHead> {
  const routed = route(request, resources);
  const token = options.companions ? readSessionToken(request, options.naming) : undefined;
  const identity =
    token === undefined
      ? await verify(request, db, options.naming, options.machineNow())
      : await verifySessionToken(request, token, db, options.naming, options.machineNow());
  return { routed, identity };
}

/** Reports whether the request is a login. Only a login needs no signature. */
const isLogIn = (request: WireRequest, resources: ResourceIndex): boolean =>
  request.method === 'POST' && route(request, resources).resource.name === 'token';

async function admit(
  { method }: WireRequest,
  { routed, identity }: CheckedHead,
  db: Db,
  options: ServiceOptions,
): Promise<Caller> {
  const target = { resource: routed.resource, method };
  const caller = await findCaller(identity, db, options.machineNow(), target);
  checkResourceAccess(routed.resource, method, caller);
  return caller;
}

/** A body that was read before the transaction, with the results of long work on it. */
interface ReadAhead {
  readonly body: Body;
  readonly prepared: PreparedRequestBody;
}

async function readAhead(
  request: WireRequest,
  { resource }: Route,
  { naming }: ServiceOptions,
): Promise<ReadAhead> {
  const body = readBody(resource, request, naming);
  return { body, prepared: (await behaviourOf(resource).prepare?.(body, naming)) ?? {} };
}

/** Authorises and runs the request, and returns the body of the response. A small body is not read `ahead`. */
async function answer(
  request: WireRequest,
  proved: CheckedHead,
  db: Db,
  now: number,
  options: ServiceOptions,
  ahead?: ReadAhead,
): Promise<string> {
  const { naming } = options;
  const { routed } = proved;
  const { resource } = routed;
  const caller = await admit(request, proved, db, options);
  const { body, prepared } = ahead ?? { body: readBody(resource, request, naming), prepared: {} };
  if (resource.name === 'account' && request.method === 'POST')
    return createAccount(
      { db, now, naming, random: options.random },
      partnerWithoutCompany(caller, naming),
      body,
    );
  const call: Call = {
    db,
    resource,
    caller: requireAccountCaller(caller),
    now,
    naming,
    trackingBaseUrl: options.trackingBaseUrl(),
    random: options.random,
    prepared,
  };
  const behaviour = behaviourOf(resource);
  behaviour.permit?.(call, request.method);
  return operate(call, behaviour, request, routed, body);
}

const behaviourOf = ({ name }: SandboxResource): ResourceBehaviour => behaviours[name];

async function operate(
  call: Call,
  behaviour: ResourceBehaviour,
  request: WireRequest,
  { resource, id: idText }: Route,
  body: Body,
): Promise<string> {
  const id = idText === undefined ? undefined : readId(resource, idText);
  const method: Method = request.method;
  switch (method) {
    case 'GET':
      return readRecordsForRequest(call, behaviour, id, request.query);
    case 'HEAD':
      if (await hasRecordForRequest(call, id, request.query)) return '';
      throw new ServiceError(404, '');
    case 'POST':
      return createRecordFromRequest(call, behaviour, request.query, body);
    case 'PUT':
      return updateRecordFromRequest(call, behaviour, id, request.query, body);
    case 'DELETE':
      return deleteRecordFromRequest(call, behaviour, id, request.query, body);
    default:
      return assertNever(method);
  }
}

/**
 * Refuses a request that names a company or a user. Interface, "Partner hash": "Endpoints that need no company (e.g. partner POST
 * /account) take no CID or UID".
 */
function partnerWithoutCompany(caller: Caller, { headerPrefix }: Naming): number {
  if ('account' in caller)
    throw createMalformedRequestError(
      `POST account must not have the headers ${headerPrefix}CID and ${headerPrefix}UID`,
    );
  return caller.partnerId;
}

function ownFailure(error: unknown, options: ServiceOptions): ServiceError {
  const requestId = Buffer.from(options.random(8)).toString('hex');
  options.report(requestId, error);
  return createInternalError(requestId, error, explainStoreError(error));
}

function response(
  status: number,
  body: string,
  { time, mode }: ClockReading,
  naming: Naming,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  const names = headerNames(naming);
  return {
    ...{ status, body },
    headers: {
      [names.time]: String(time),
      ...(body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      // A client that polls must know that time does not pass here by itself.
      ...(mode === 'manual' ? { [names.clock]: 'manual' } : {}),
      ...headers,
    },
  };
}
