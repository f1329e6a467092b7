/** Serves the control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object. The response is `{data, zone}` or `{error}`. */
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { isObject } from '../../kit/text/json-object.ts';
import { unstorableTextReason } from '../../kit/text/words.ts';
import {
  createConflictError,
  createForbiddenError,
  createInternalError,
  createMalformedRequestError,
  createNotFoundError,
  createTooManyRequestsError,
  createUnauthenticatedError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import { isLoopback } from '../../service/protocol/wire.ts';
import { RESPONSE_SECURITY_HEADERS, readBody } from '../http/wire.ts';
import { explainStoreError, isUniqueViolation } from '../store/open.ts';
import {
  type ControlContext,
  isOperationName,
  type Operations,
  runOperationForRequest,
} from './operation.ts';
import { mayCall, tokenRoleFromHeader } from './tokens.ts';

interface RateLimit {
  /** Throws `ServiceError` 429 with the seconds to wait, after too many requests or wrong tokens of one address in a minute. */
  readonly check: (request: IncomingMessage) => void;
  /** Counts a wrong token. After `MAX_FAILURES` wrong tokens in a minute, `check` refuses every request from the address. */
  readonly fail: (request: IncomingMessage) => void;
}

const WINDOW_MS = 60_000;

const MAX_REQUESTS = 3_000;

const MAX_FAILURES = 10;

/** Maximum number of client addresses whose requests are counted. Beyond it, the oldest address is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Count {
  readonly since: number;
  requests: number;
  failures: number;
}

/** Limits the requests from an address: behind a proxy, the last one in `X-Forwarded-For`, because a client can forge the earlier ones. */
export function createRateLimit(behindProxy: boolean, machineNow: () => number): RateLimit {
  const counts = new Map<string, Count>();
  const countOf = (request: IncomingMessage): Count | undefined => {
    const address = addressOf(request, behindProxy);
    if (!behindProxy && isLoopback(address)) return undefined;
    const now = machineNow();
    const known = counts.get(address);
    if (known && now - known.since < WINDOW_MS && now >= known.since) return known;
    counts.delete(address);
    const [first] = counts.keys();
    if (counts.size >= MAX_ADDRESSES && first !== undefined) counts.delete(first);
    const fresh = { since: now, requests: 0, failures: 0 };
    counts.set(address, fresh);
    return fresh;
  };
  return {
    check: (request) => {
      const count = countOf(request);
      if (count === undefined) return;
      count.requests += 1;
      if (count.requests <= MAX_REQUESTS && count.failures < MAX_FAILURES) return;
      throw createTooManyRequestsError(
        Math.max(1, Math.ceil((count.since + WINDOW_MS - machineNow()) / 1000)),
      );
    },
    fail: (request) => {
      const count = countOf(request);
      if (count) count.failures += 1;
    },
  };
}

function addressOf({ socket, headers }: IncomingMessage, behindProxy: boolean): string {
  const forwarded = headers['x-forwarded-for'];
  const last = behindProxy ? [forwarded ?? []].flat().join(',').split(',').at(-1)?.trim() : undefined;
  return (last || socket.remoteAddress || '').replace(/^::ffff:/, '').slice(0, 60);
}

/** Adds the routes. Every request needs the sandbox's own token, or one whose role allows the operation. */
export function addControlRoutes(
  app: Hono<{ Bindings: HttpBindings }>,
  sandbox: ControlContext,
  operations: Operations,
): void {
  const { machineNow } = sandbox.service.environment;
  const rate = createRateLimit(sandbox.behindProxy, machineNow);
  app.all('/control/*', async ({ req, env }) => {
    try {
      rate.check(env.incoming);
      const own = sandbox.endpoint().controlToken;
      const role = await tokenRoleFromHeader(req.header('authorization'), own, sandbox.service.store.db);
      if (role === undefined) {
        rate.fail(env.incoming);
        throw createUnauthenticatedError(Math.floor(machineNow() / 1000));
      }
      if (req.method !== 'POST')
        throw new ServiceError(405, 'Only POST is allowed', { headers: { allow: 'POST' } });
      const name = req.path.slice('/control/'.length).replaceAll('/', ' ');
      if (!isOperationName(name)) throw createNotFoundError(`Command ${name.slice(0, 60)}`);
      if (role !== 'own' && !mayCall(role, name))
        throw createForbiddenError(`A token of the role ${role} cannot call ${name}`);
      return json(
        200,
        await runOperationForRequest(sandbox, operations, name, parse(await readBody(env.incoming))),
      );
    } catch (error) {
      return refuse(error, sandbox);
    }
  });
}

function parse(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  let storageProblem: string | undefined;
  try {
    value = JSON.parse(body === '' ? '{}' : body, (key, each: unknown) => {
      storageProblem ??=
        unstorableTextReason(key) ?? (typeof each === 'string' ? unstorableTextReason(each) : undefined);
      return each;
    });
  } catch {
    throw createMalformedRequestError('The body is not JSON');
  }
  if (!isObject(value)) throw createMalformedRequestError('The body must be one JSON object');
  if (storageProblem !== undefined)
    throw createMalformedRequestError(
      `The request body contains a string that the sandbox cannot store: it ${storageProblem}`,
    );
  return value;
}

function refuse(error: unknown, { service }: ControlContext): Response {
  const requestId = Buffer.from(service.environment.random(8)).toString('hex');
  const refused =
    error instanceof ServiceError
      ? error
      : isUniqueViolation(error)
        ? createConflictError('The record already exists')
        : undefined;
  if (!refused) service.environment.report(requestId, error);
  const { status, message, details } =
    refused ?? createInternalError(requestId, error, explainStoreError(error));
  return json(status, { error: { status, message } }, details.headers);
}

const json = (status: number, body: unknown, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...more, ...RESPONSE_SECURITY_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
