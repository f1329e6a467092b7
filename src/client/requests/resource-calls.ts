/** The calls take and return records with the interface's attribute names, whatever names the deployment uses, and check the responses. */

import type { Scalar } from '../../kit/schema/field.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import type { AnyRecord, Method, Resource, Values } from '../../kit/schema/resource.ts';
import { isObject } from '../../kit/text/json-object.ts';
import {
  type ErrorEnvelope,
  type Json,
  type JsonObject,
  type OkEnvelope,
  readEnvelope,
} from '../../service/protocol/envelope.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { fromWireName, headerNames, renameKeys, toWireName } from '../../service/protocol/naming.ts';
import { formatQuery, type ListQuery } from '../../service/protocol/query.ts';
import { pathOf, type WireResponse } from '../../service/protocol/wire.ts';
import { call, isWrite, unknownOutcomeError } from './call.ts';
import type { CallRequest, Connection } from './connection.ts';
import { ClientError, type ClientErrorKind } from './errors.ts';
import { incompleteListError, type ResponsePage } from './paging/page.ts';

export interface ResourceCalls {
  readonly connection: Connection;
  /** @throws RangeError for an invalid id */
  readonly pathTo: (resource: Resource, id?: Scalar) => string;
  readonly queryOf: (query: Partial<ListQuery>) => string;
  readonly bodyOf: (values: Values) => string;
  /** @param onDoubt called before the response is read, if the service may have carried out an earlier attempt */
  readonly send: (request: CallRequest, onDoubt?: () => void) => Promise<ServiceResponse>;
  /** Returns undefined for a 404 that a wrong base URL may have caused. */
  readonly sendHead: (request: Pick<CallRequest, 'path' | 'query'>) => Promise<boolean | undefined>;
  /** @throws ClientError if the service reports that the record does not exist */
  readonly recordIn: (answered: ServiceResponse) => AnyRecord;
  readonly pageIn: (answered: ServiceResponse) => ResponsePage;
}

/** `hasUncertainAttempt` is true if the outcome of an earlier attempt is unknown, so that the service may have carried out that attempt. */
export type ServiceResponse = {
  readonly request: CallRequest;
  readonly response: WireResponse;
  readonly hasUncertainAttempt: boolean;
} & (
  | { readonly envelope: OkEnvelope; readonly missing: undefined }
  | { readonly envelope: undefined; readonly missing: ClientError }
);

export function createResourceCalls(connection: Connection): ResourceCalls {
  const { naming, basePath } = connection;
  const timeHeader = headerNames(naming).time;
  /** True if an earlier response certainly came from the service. */
  let proved = false;
  const hasOwnNames = Object.keys(naming.fields).length > 0;
  const neutral = (row: JsonObject): JsonObject =>
    hasOwnNames ? renameKeys<Json>(row, fromWireName, naming) : row;

  return {
    connection,
    pathTo: (resource, id) => basePath + pathOf(resource.name, id === undefined ? undefined : idText(id)),
    queryOf: (query) => formatQuery(query, naming),
    bodyOf: (values) => formatJson(renameKeys(values, toWireName, naming)),
    send: async (request, onDoubt) => {
      const { response, hasUncertainAttempt } = await call(connection, request);
      if (hasUncertainAttempt) onDoubt?.();
      const answer = readAnswer(request, response);
      proved = true;
      return answer.kind === 'ok'
        ? { request, response, hasUncertainAttempt, envelope: answer, missing: undefined }
        : {
            request,
            response,
            hasUncertainAttempt,
            envelope: undefined,
            missing: notFoundError(request, answer),
          };
    },
    sendHead: async (request) => {
      const { response } = await call(connection, { method: 'HEAD', ...request });
      if (response.status >= 200 && response.status < 300) return true;
      if (response.status !== 404) throw headRequestError(request.path, response);
      // A HEAD response has no envelope, so the service's 404 looks like that of a wrong base URL.
      if (response.headers[timeHeader] !== undefined) proved = true;
      return proved ? false : undefined;
    },
    recordIn: ({ request, envelope, response, missing }) => {
      if (envelope === undefined) throw missing;
      return neutral(readSingleObject(request, envelope, response));
    },
    pageIn: ({ request, envelope, response }) => {
      if (envelope === undefined) return { rows: [], next: null };
      const rows = readResponseObjects(request, envelope, response);
      refuseMissingRows(request, rows.length, envelope.count);
      return { rows: rows.map(neutral), next: envelope.next };
    },
  };
}

/** Some rows were lost on the way (docs/wire.md, "Responses"). */
function refuseMissingRows({ path }: CallRequest, rows: number, count: number): void {
  if (rows < count)
    throw incompleteListError(path, `the response claims ${count} records, but holds ${rows}`);
}

function idText(id: Scalar): string {
  const text = String(id);
  if (id === null || text === '' || text === '.' || text === '..')
    throw new RangeError(`${formatJson(id)} is not an id`);
  return text;
}

/** @throws ClientError for any other response */
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

/** Rejects a 206, because a part can be valid JSON without some rows. */
function refusePart(request: CallRequest, response: WireResponse): void {
  if (response.status !== 206) return;
  const problem = 'the response holds only part of the data';
  if (isWrite(request.method))
    throw unknownOutcomeError(request, `status 206: ${problem}`, undefined, response);
  throw notFromService(request.method, request.path, response, problem);
}

/** Some services wrap this object in an array. */
function readSingleObject(request: CallRequest, envelope: OkEnvelope, response: WireResponse): JsonObject {
  const [first, ...more] = readResponseObjects(request, envelope, response);
  if (first !== undefined && more.length === 0) return first;
  const problem = `status ${response.status}, but the data is not one object`;
  if (isWrite(request.method)) throw unknownOutcomeError(request, problem, undefined, response);
  throw notFromService(request.method, request.path, response, problem);
}

/** The `data` is an object if the request named a record by its id, otherwise an array (docs/wire.md, "Responses"). */
function readResponseObjects(
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

/** The `data` of a DELETE is `{"id":…}` or an array of such objects (docs/wire.md, "Responses"). */
export function readDeletedIds({ data }: OkEnvelope): readonly Id[] {
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  return rows.map((row) => (isObject(row) ? row['id'] : row)).filter(isId);
}

/** A proxy or another program most likely sent this response. */
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

export function notFoundError({ method, path }: CallRequest, envelope: ErrorEnvelope): ClientError {
  return new ClientError('refused', `${path} was not found`, { method, path, status: 404, envelope });
}

/** A HEAD response has no body, so the error has no further details. */
function headRequestError(path: string, response: WireResponse): ClientError {
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
  // A gateway may have sent this 429 although the service has made the change.
  const kind = status === 429 && envelope === undefined && isWrite(method) ? 'failed' : kindOf(status);
  return new ClientError(kind, message, { method, path, status, envelope });
}

function kindOf(status: number): ClientErrorKind {
  if (status === 429) return 'throttled';
  return status >= 500 ? 'failed' : 'refused';
}
