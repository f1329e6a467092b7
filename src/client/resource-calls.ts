/**
 * Makes calls for resources. The calls take and return records with the interface's attribute names, whatever names the deployment uses,
 * and check the responses.
 */
import type { JsonObject, OkEnvelope } from '../protocol/envelope.ts';
import { formatJson, type Json } from '../protocol/json.ts';
import { fromWireName, headerNames, renameKeys, toWireName } from '../protocol/naming.ts';
import { formatQuery, type ListQuery } from '../protocol/query.ts';
import { pathOf, type WireResponse } from '../protocol/wire.ts';
import type { Scalar } from '../schema/field.ts';
import type { Resource, Values } from '../schema/resource.ts';
import {
  headRequestError,
  notFoundError,
  readAnswer,
  readResponseObjects,
  readSingleObject,
} from './answer.ts';
import { call } from './call.ts';
import type { CallRequest, Connection } from './connection.ts';
import type { ClientError } from './errors.ts';
import { incompleteListError, type ResponsePage } from './paging/page.ts';

/** Functions that build the requests of a client, send them and read the responses. */
export interface ResourceCalls {
  readonly connection: Connection;
  /** Returns the path of the collection, or of one record. @throws RangeError for an invalid id */
  readonly pathTo: (resource: Resource, id?: Scalar) => string;
  readonly queryOf: (query: Partial<ListQuery>) => string;
  readonly bodyOf: (values: Values) => string;
  /**
   * Sends the request and reads the response.
   * @param onDoubt called before the response is read, if the service may have carried out an earlier attempt
   */
  readonly send: (request: CallRequest, onDoubt?: () => void) => Promise<ServiceResponse>;
  /** Reports whether a HEAD found the record. Returns undefined for a 404 that a wrong base URL may have caused. */
  readonly sendHead: (request: Pick<CallRequest, 'path' | 'query'>) => Promise<boolean | undefined>;
  /** Returns the only record of the response. @throws ClientError if the service reports that the record does not exist */
  readonly recordIn: (answered: ServiceResponse) => JsonObject;
  readonly pageIn: (answered: ServiceResponse) => ResponsePage;
}

/**
 * Response that certainly comes from the service, and not from a proxy or another program. `hasUncertainAttempt` is true if the outcome of
 * an earlier attempt is unknown, so that the service may have carried out that attempt. `missing` is the error for a 404, otherwise
 * undefined.
 */
export type ServiceResponse = {
  readonly request: CallRequest;
  readonly response: WireResponse;
  readonly hasUncertainAttempt: boolean;
} & (
  | { readonly envelope: OkEnvelope; readonly missing: undefined }
  /** Response with a 404 that comes from the service, not from a proxy. */
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
        ? {
            request,
            response,
            hasUncertainAttempt,
            envelope: answer,
            missing: undefined,
          }
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

/**
 * Rejects a response that contains fewer rows than its member `count` says, because some rows were lost on the way (docs/wire.md,
 * "Responses").
 */
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
