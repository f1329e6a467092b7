/** Serves the control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object. The response is `{data, zone}` or `{error}`. */
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { mayAsk } from '../../protocol/control/roles.ts';
import type { JsonObject } from '../../protocol/json.ts';
import {
  conflict,
  forbidden,
  internal,
  malformed,
  notFound,
  ServiceError,
  unauthenticated,
} from '../../protocol/service-errors.ts';
import { isObject } from '../../text/json-object.ts';
import { brokenText } from '../../text/words.ts';
import { readBody, SAFE_HEADERS } from '../http/wire.ts';
import { isDuplicate, storeProblem } from '../store/open.ts';
import { isOperationName } from './arguments.ts';
import type { ControlContext, Operations } from './operation.ts';
import { limitRate } from './rate.ts';
import { runAsked } from './run.ts';
import { roleBehind } from './tokens.ts';

/**
 * Adds the routes. Every request needs `Authorization: Bearer` with the sandbox's own token, or with a token whose role allows the
 * operation.
 */
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
        throw forbidden(`A token of the role ${role} may not call ${name}`);
      return json(200, await runAsked(sandbox, operations, name, parse(await readBody(env.incoming))));
    } catch (error) {
      return refuse(error, sandbox);
    }
  });
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
  if (!isObject(value)) throw malformed('The body must be one JSON object');
  if (broken !== undefined) throw malformed(`A text of the body ${broken}`);
  return value as JsonObject;
}

function refuse(error: unknown, { service }: ControlContext): Response {
  const requestId = Buffer.from(service.outside.random(8)).toString('hex');
  const refused =
    error instanceof ServiceError
      ? error
      : isDuplicate(error)
        ? conflict('The record already exists')
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
