/**
 * Determines whether a response contains data, the result "not found" or an error, and the kind of the error. The document docs/wire.md,
 * "Responses", describes the form of a response.
 */
import {
  type ErrorEnvelope,
  type Json,
  type JsonObject,
  type OkEnvelope,
  readEnvelope,
} from '../protocol/envelope.ts';
import type { WireResponse } from '../protocol/wire.ts';
import { type Id, isId } from '../schema/integer.ts';
import type { Method } from '../schema/resource.ts';
import { isObject } from '../text/json-object.ts';
import { isWrite, unknownOutcomeError } from './call.ts';
import type { CallRequest } from './connection.ts';
import { ClientError, type ClientErrorKind } from './errors.ts';

/**
 * Returns the data, or the error envelope of a 404 that comes from the service, not from a proxy.
 * @throws ClientError for any other response
 */
export function readAnswer(request: CallRequest, response: WireResponse): OkEnvelope | ErrorEnvelope {
  const { method, path } = request;
  refusePart(request, response);
  const envelope = readEnvelope(response.body);
  const good = response.status >= 200 && response.status < 300;
  if (good && envelope.kind === 'ok') return envelope;
  if (envelope.kind === 'error') {
    const status = good ? envelope.code || 400 : response.status;
    if (status === 404) return envelope;
    if (method === 'POST' && status >= 500)
      throw unknownOutcomeError(request, `the answer was ${status}`, undefined, response);
    throw refusal(request, status, envelope);
  }
  const problem =
    envelope.kind === 'not-ours' ? envelope.problem : 'the response has status ok but contains an error';
  // An unreadable 2xx leaves the outcome of a write unknown. For a read it only shows that this is not the service.
  if (good && isWrite(method))
    throw unknownOutcomeError(request, `status ${response.status}, but ${problem}`, undefined, response);
  if (good || response.status === 404 || response.status < 400)
    throw notFromService(method, path, response, problem);
  throw refusal(request, response.status, undefined);
}

/**
 * Rejects a 206: the sender returned a part of the response although the request asked for all of it. Such a part can be valid JSON without
 * some rows.
 */
function refusePart(request: CallRequest, response: WireResponse): void {
  if (response.status !== 206) return;
  const problem = 'the response holds only part of the data';
  if (isWrite(request.method))
    throw unknownOutcomeError(request, `status 206: ${problem}`, undefined, response);
  throw notFromService(request.method, request.path, response, problem);
}

/** Returns the only object of a response. Some services wrap this object in an array. */
export function readSingleObject(
  request: CallRequest,
  envelope: OkEnvelope,
  response: WireResponse,
): JsonObject {
  const [first, ...more] = readResponseObjects(request, envelope, response);
  if (first !== undefined && more.length === 0) return first;
  const problem = `status ${response.status}, but the data is not one object`;
  if (isWrite(request.method)) throw unknownOutcomeError(request, problem, undefined, response);
  throw notFromService(request.method, request.path, response, problem);
}

/**
 * Returns the objects of a response. If the request named a record by its id, `data` is an object, otherwise an array (docs/wire.md,
 * "Responses").
 */
export function readResponseObjects(
  { method, path }: CallRequest,
  { data }: OkEnvelope,
  response: WireResponse,
): readonly JsonObject[] {
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  return rows.map((row) => {
    if (isObject<Json>(row)) return row;
    throw notFromService(method, path, response, 'the data must hold only objects');
  });
}

/**
 * Returns the ids of the deleted records. In the response to a DELETE, `data` is `{"id":…}` or an array of such objects (docs/wire.md,
 * "Responses").
 */
export function readDeletedIds({ data }: OkEnvelope): readonly Id[] {
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  return rows.map((row) => (isObject(row) ? row['id'] : row)).filter(isId);
}

/**
 * Returns the error for a response without an envelope, the JSON object that surrounds the data of every response (docs/wire.md,
 * "Responses"). A proxy or another program most likely sent this response.
 */
function notFromService(
  method: Method,
  path: string,
  { status }: Pick<WireResponse, 'status'>,
  problem: string,
): ClientError {
  return new ClientError(
    'not-ours',
    `${method} ${path} returned ${status}, but the response is not from the service (${problem}); ` +
      'the base URL is wrong, or a proxy responded',
    { method, path, status },
  );
}

/** Returns the error for a 404 that comes from the service, not from a proxy. */
export function notFoundError({ method, path }: CallRequest, envelope: ErrorEnvelope): ClientError {
  return new ClientError('refused', `${path} was not found`, { method, path, status: 404, envelope });
}

/**
 * Returns the error for a HEAD response with any status except 2xx and 404. A HEAD response has no body, so the error has no further
 * details.
 */
export function headRequestError(path: string, response: WireResponse): ClientError {
  const { status } = response;
  if (status < 400) return notFromService('HEAD', path, response, 'neither 200 nor 404');
  const message = `HEAD ${path} was answered with ${status}`;
  return new ClientError(kindOf(status), message, { method: 'HEAD', path, status });
}

function refusal(
  { method, path }: CallRequest,
  status: number,
  envelope: ErrorEnvelope | undefined,
): ClientError {
  const message =
    envelope?.message ??
    `${method} ${path} was answered with ${status}, in a format that the service does not use`;
  return new ClientError(kindOf(status), message, { method, path, status, envelope });
}

function kindOf(status: number): ClientErrorKind {
  if (status === 429) return 'throttled';
  return status >= 500 ? 'failed' : 'refused';
}
