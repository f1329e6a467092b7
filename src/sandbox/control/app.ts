/** The control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object, answered with `{data, zone}` or `{error}`. */
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { mayAsk } from '../../protocol/control/roles.ts';
import { type OperationName, operationOf } from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  conflict,
  forbidden,
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
import { limitRate } from './rate.ts';
import { roleBehind } from './tokens.ts';

/** Adds the routes. Every request needs `Authorization: Bearer` with the sandbox's own token, or with one whose role may ask. */
export function controlRoutes(
  app: Hono<{ Bindings: HttpBindings }>,
  sandbox: ControlContext,
  operations: Operations,
): void {
  const { machineNow } = sandbox.service.outside;
  const rate = limitRate(sandbox.behindProxy, machineNow);
  app.all('/control/*', async ({ req, env }) => {
    try {
      rate.check(env.incoming);
      const own = sandbox.endpoint().controlToken;
      const role = await roleBehind(req.header('authorization'), own, sandbox.service.store.db);
      if (role === undefined) {
        rate.fail(env.incoming);
        throw unauthenticated(Math.floor(machineNow() / 1000));
      }
      if (req.method !== 'POST') throw new ServiceError(405, 'Only POST', { headers: { allow: 'POST' } });
      const name = req.path.slice('/control/'.length).replaceAll('/', ' ');
      if (!isOperationName(name)) throw notFound(`Command ${name.slice(0, 60)}`);
      if (role !== 'own' && !mayAsk(role, name))
        throw forbidden(`A token of the role ${role} may not ask ${name}`);
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
  const { status, message, details } = refused ?? internal(requestId, error, storeProblem(error));
  return json(status, { error: { status, message } }, details.headers);
}

const json = (status: number, body: unknown, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...more, ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
