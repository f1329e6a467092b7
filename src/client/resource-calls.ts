/** Calls that speak of resources: neutral names and values in, checked records out. */
import type { JsonObject, OkEnvelope } from '../protocol/envelope.ts';
import { formatJson, type Json } from '../protocol/json.ts';
import { fromWireName, headerNames, renameKeys, toWireName } from '../protocol/naming.ts';
import { formatQuery, type ListQuery } from '../protocol/query.ts';
import { pathOf, type WireResponse } from '../protocol/wire.ts';
import type { Scalar } from '../schema/field.ts';
import type { Resource, Values } from '../schema/resource.ts';
import { dataOf, headRefusal, notFound, objectOf, rowsOf } from './answer.ts';
import { call } from './call.ts';
import type { CallRequest, Connection } from './connection.ts';
import type { ClientError } from './errors.ts';
import { incomplete, type Page } from './paging/page.ts';

export interface ResourceCalls {
  readonly connection: Connection;
  /** The path of the collection, or of one record. Throws a `RangeError` for what is no id. */
  readonly pathTo: (resource: Resource, id?: Scalar) => string;
  readonly queryOf: (query: Partial<ListQuery>) => string;
  readonly bodyOf: (values: Values) => string;
  /** @param onDoubt called when an earlier attempt may have been carried out, whatever is made of the answer */
  readonly send: (request: CallRequest, onDoubt?: () => void) => Promise<Answered>;
  /** Whether a HEAD says that there is one; undefined for a 404 that may be a wrong base URL's. */
  readonly sendHead: (request: Pick<CallRequest, 'path' | 'query'>) => Promise<boolean | undefined>;
  /** The one record of the answer; throws when it says that there is none. */
  readonly recordIn: (answered: Answered) => JsonObject;
  readonly pageIn: (answered: Answered) => Page;
}

/** An answer of the service's own. */
export type Answered = {
  readonly request: CallRequest;
  readonly response: WireResponse;
  readonly doubtful: boolean;
} & (
  | { readonly envelope: OkEnvelope; readonly missing: undefined }
  /** 404 in the service's own words. */
  | { readonly envelope: undefined; readonly missing: ClientError }
);

export function createResourceCalls(connection: Connection): ResourceCalls {
  const { naming, basePath } = connection;
  const timeHeader = headerNames(naming).time;
  /** Whether an answer was certainly the service's. */
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
      const { response, doubtful } = await call(connection, request);
      if (doubtful) onDoubt?.();
      const answer = dataOf(request, response);
      proved = true;
      return answer.kind === 'ok'
        ? { request, response, doubtful, envelope: answer, missing: undefined }
        : { request, response, doubtful, envelope: undefined, missing: notFound(request, answer) };
    },
    sendHead: async (request) => {
      const { response } = await call(connection, { method: 'HEAD', ...request });
      if (response.status >= 200 && response.status < 300) return true;
      if (response.status !== 404) throw headRefusal(request.path, response);
      // A HEAD has no envelope to tell the service's 404 from that of a wrong base URL.
      if (response.headers[timeHeader] !== undefined) proved = true;
      return proved ? false : undefined;
    },
    recordIn: ({ request, envelope, response, missing }) => {
      if (envelope === undefined) throw missing;
      return neutral(objectOf(request, envelope, response));
    },
    pageIn: ({ request, envelope, response }) => {
      if (envelope === undefined) return { rows: [], next: null };
      const rows = rowsOf(request, envelope, response);
      refuseShort(request, rows.length, envelope.count);
      return { rows: rows.map(neutral), next: envelope.next };
    },
  };
}

/** Wire, "Responses": `count` says how many resources the answer holds. With fewer, some were lost on the way. */
function refuseShort({ path }: CallRequest, rows: number, count: number): void {
  if (rows < count)
    throw incomplete(path, `the answer says that it holds ${count} records, and holds ${rows}`);
}

function idText(id: Scalar): string {
  const text = String(id);
  if (id === null || text === '' || text === '.' || text === '..')
    throw new RangeError(`${formatJson(id)} is not an id`);
  return text;
}
