/** The control plane over HTTP: `POST /control/<noun>/<verb>` with a JSON object, answered with `{data, zone}` or `{error}`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { conflict, Fault, internal, malformed, notFound, unauthenticated } from '../../protocol/faults.ts';
import { brokenText } from '../../text/broken-text.ts';
import { serviceNow } from '../engine/clock.ts';
import { readBody, SAFE_HEADERS } from '../http/wire.ts';
import { listCompanies } from '../store/control.ts';
import { accountById } from '../store/identity.ts';
import { diskProblem } from '../store/open.ts';
import { type Arguments, id, optional } from './arguments.ts';
import type { Answer, Controlled, Operations } from './operation.ts';

/** Adds the routes. Every request needs `Authorization: Bearer <controlToken>`. */
export function controlRoutes(
  app: Hono<{ Bindings: HttpBindings }>,
  sandbox: Controlled,
  operations: Operations,
): void {
  const { service } = sandbox;
  app.all('/control/*', async ({ req, env }) => {
    try {
      if (!isBearer(req.header('authorization'), sandbox.whereabouts().controlToken))
        throw unauthenticated(Math.floor(service.outside.machineNow() / 1000));
      if (req.method !== 'POST') throw new Fault(405, 'Only POST', { headers: { allow: 'POST' } });
      const name = req.path.slice('/control/'.length).replaceAll('/', ' ');
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation) throw notFound(`Command ${name.slice(0, 60)}`);
      const args = parse(await readBody(env.incoming));
      if (operation.of === 'sandbox') return answer(await operation.run(sandbox, args));
      const { data, zone } = await service.store.transaction(async (db) => {
        const companyId = optional(args, 'company', id) ?? (await listCompanies(db))[0]?.id ?? 0;
        const account = await accountById(db, companyId);
        if (!account) throw notFound(`Company ${companyId}`);
        const now = await serviceNow(db, service.outside.machineNow());
        const { naming } = sandbox;
        const call = { db, account, now, trackingBase: service.outside.trackingBase(), naming };
        return { data: await operation.run(call, args), zone: account.timezone };
      });
      return answer(data, zone);
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

function parse(body: string): Arguments {
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
  return value as Arguments;
}

const answer = (data: Answer, zone = 'UTC'): Response => json(200, { data, zone });

function refuse(error: unknown, { service }: Controlled): Response {
  const requestId = Buffer.from(service.outside.random(8)).toString('hex');
  const fault =
    error instanceof Fault ? error : isThere(error) ? conflict('There is one like it already') : undefined;
  if (!fault) service.outside.report(requestId, error);
  const { status, message } = fault ?? internal(requestId, error, diskProblem(error));
  return json(status, { error: { status, message } });
}

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE';

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
  });
