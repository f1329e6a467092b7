/** Reads and writes the JSON envelope that surrounds the data of every response (wire, "Responses"). */

import { isObject } from '../../kit/text/json-object.ts';
import { formatJson, type Json, parseJson } from './json.ts';
import type { ServiceError } from './service-errors.ts';

export type { Json, JsonObject } from './json.ts';

export interface OkEnvelope {
  readonly kind: 'ok';
  /** The data: an object if the request named one record by its id, otherwise an array. */
  readonly data: Json;
  readonly count: number;
  /** Value to send as `start` for the next page. Null on the last page. */
  readonly next: Json;
}

export interface ErrorEnvelope {
  readonly kind: 'error';
  readonly code: number;
  readonly subcode: number | null;
  readonly message: string;
  readonly additionalInformation: Json;
  readonly resourceId?: Json;
}

interface NonServiceResponseBody {
  readonly kind: 'not-ours';
  readonly problem: string;
}

/** Returns the JSON text of a successful response. `next` is the value of `start` for the next page. */
export function okResponseBody(data: Json, next: Json = null): string {
  const count = Array.isArray(data) ? data.length : 1;
  return formatJson({ status: 'ok', response: { count, next, data } });
}

/** Returns the JSON text of a successful response with an array of records. Each item is the JSON text of one record. */
export function okPageResponseBody(items: readonly string[], next: Json): string {
  return `{"status":"ok","response":{"count":${items.length},"next":${formatJson(next)},"data":[${items.join(',')}]}}`;
}

export function errorResponseBody(error: ServiceError): string {
  const { subcode, resourceId, additionalInformation } = error.details;
  return formatJson({
    status: 'error',
    response: {
      code: error.status,
      subcode: subcode ?? null,
      message: error.message,
      ...(additionalInformation === undefined ? {} : { additional_information: additionalInformation }),
      ...(resourceId === undefined ? {} : { resource_id: resourceId }),
    },
  });
}

/** Reads a response body, and never throws. Upper and lower case in `status` do not matter. */
export function readEnvelope(body: string): OkEnvelope | ErrorEnvelope | NonServiceResponseBody {
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    return {
      kind: 'not-ours',
      problem: body.trim() === '' ? 'the response is empty' : 'the response is not JSON',
    };
  }
  const { status, response }: { readonly status?: unknown; readonly response?: unknown } = isObject(parsed)
    ? parsed
    : {};
  if (typeof status !== 'string' || !isObject<Json>(response))
    return { kind: 'not-ours', problem: 'the response has no status and response' };
  switch (status.toLowerCase()) {
    case 'ok':
      return okFrom(response);
    case 'error':
      return errorFrom(response);
    default:
      return { kind: 'not-ours', problem: `the status of the response must be ok or error` };
  }
}

/** Values may have any kind. */
interface SuccessMembers {
  readonly data?: Json;
  readonly count?: Json;
  readonly next?: Json;
}

interface ErrorMembers {
  readonly code?: Json;
  readonly subcode?: Json;
  readonly message?: Json;
  readonly additional_information?: Json;
  readonly resource_id?: Json;
}

function okFrom({ data, count, next = null }: SuccessMembers): OkEnvelope | NonServiceResponseBody {
  if (data === undefined) return { kind: 'not-ours', problem: 'the response has no data' };
  return { kind: 'ok', data, count: typeof count === 'number' ? count : 0, next };
}

function errorFrom(response: ErrorMembers): ErrorEnvelope {
  const { code, subcode, message, additional_information, resource_id } = response;
  return {
    kind: 'error',
    code: typeof code === 'number' ? code : 0,
    subcode: typeof subcode === 'number' ? subcode : null,
    message: typeof message === 'string' ? message : 'no message',
    additionalInformation: additional_information ?? null,
    ...(resource_id === undefined ? {} : { resourceId: resource_id }),
  };
}
