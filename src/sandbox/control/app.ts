/** The control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object, answered with `{data, zone}` or `{error}`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { type OperationName, operationOf } from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  conflict,
  internal,
  malformed,
  notFound,
  ServiceError,
  unauthenticated,
} from '../../protocol/service-errors.ts';
import { brokenText } from '../../text/broken-text.ts';
import { serviceNow } from '../engine/clock.ts';
import { readBody, SAFE_HEADERS } from '../http/wire.ts';
import { firstCompanyId } from '../store/control.ts';
import { accountById } from '../store/identity.ts';
import { type Db, isDuplicate, storeProblem } from '../store/open.ts';
import { isOperationName, readCompany } from './arguments.ts';
import { type ControlCall, type ControlContext, type Operations, runOperation } from './operation.ts';

/** Adds the routes. Every request needs `Authorization: Bearer <controlToken>`. */
export function controlRoutes(
  app: Hono<{ Bindings: HttpBindings }>,
  sandbox: ControlContext,
  operations: Operations,
): void {
  app.all('/control/*', async ({ req, env }) => {
    try {
      if (!isBearer(req.header('authorization'), sandbox.endpoint().controlToken))
        throw unauthenticated(Math.floor(sandbox.service.outside.machineNow() / 1000));
      if (req.method !== 'POST') throw new ServiceError(405, 'Only POST', { headers: { allow: 'POST' } });
      const name = req.path.slice('/control/'.length).replaceAll('/', ' ');
      if (!isOperationName(name)) throw notFound(`Command ${name.slice(0, 60)}`);
      return await run(sandbox, operations, name, parse(await readBody(env.incoming)));
    } catch (error) {
      return refuse(error, sandbox);
    }
  });
}

async function run(
  sandbox: ControlContext,
  operations: Operations,
  name: OperationName,
  given: JsonObject,
): Promise<Response> {
  const { service, naming } = sandbox;
  if (operationOf(name).of === 'sandbox')
    return answer(await runOperation(operations, name, sandbox, given), 'UTC');
  const { store } = service;
  const companyId = readCompany(given) ?? (await firstCompanyId(store.db)) ?? 0;
  const work = async (db: Db): Promise<Response> => {
    const account = await accountById(db, companyId);
    if (!account) throw notFound(`Company ${companyId}`);
    const now = await serviceNow(db, service.outside.machineNow());
    const call: ControlCall = { db, account, now, trackingBase: service.outside.trackingBase(), naming };
    return answer(await runOperation(operations, name, call, given), account.timezone);
  };
  return store.transaction(work, { kind: 'account', id: companyId });
}

/** In constant time, whatever the lengths. */
function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

function parse(body: string): JsonObject {
  let value: unknown;
  let broken: string | undefined;
  try {
    value = JSON.parse(body === '' ? '{}' : body, (key, each: unknown) => {
      broken ??= brokenText(key) ?? (typeof each === 'string' ? brokenText(each) : undefined);
      return each;
    });
  } catch {
    throw malformed('The body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The body must be one JSON object');
  if (broken !== undefined) throw malformed(`A text of the body ${broken}`);
  return value as JsonObject;
}

const answer = (data: Json, zone: string): Response => json(200, { data, zone });

function refuse(error: unknown, { service }: ControlContext): Response {
  const requestId = Buffer.from(service.outside.random(8)).toString('hex');
  const refused =
    error instanceof ServiceError
      ? error
      : isDuplicate(error)
        ? conflict('There is one like it already')
        : undefined;
  if (!refused) service.outside.report(requestId, error);
  const { status, message } = refused ?? internal(requestId, error, storeProblem(error));
  return json(status, { error: { status, message } });
}

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
