/** The control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object, answered with `{data, zone}` or `{error}`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { JsonObject } from '../../protocol/json.ts';
import {
  conflict,
  internal,
  malformed,
  notFound,
  ServiceError,
  unauthenticated,
} from '../../protocol/service-errors.ts';
import { brokenText } from '../../text/broken-text.ts';
import { readBody, SAFE_HEADERS } from '../http/wire.ts';
import { diskProblem } from '../store/open.ts';
import { isOperationName } from './arguments.ts';
import type { ControlContext, Operations } from './operation.ts';
import { runAsked } from './run.ts';

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
      return json(200, await runAsked(sandbox, operations, name, parse(await readBody(env.incoming))));
    } catch (error) {
      return refuse(error, sandbox);
    }
  });
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

function refuse(error: unknown, { service }: ControlContext): Response {
  const requestId = Buffer.from(service.outside.random(8)).toString('hex');
  const refused =
    error instanceof ServiceError
      ? error
      : isThere(error)
        ? conflict('There is one like it already')
        : undefined;
  if (!refused) service.outside.report(requestId, error);
  const { status, message } = refused ?? internal(requestId, error, diskProblem(error));
  return json(status, { error: { status, message } });
}

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE';

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
