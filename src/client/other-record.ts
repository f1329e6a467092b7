/** Errors for responses that are about another record than the request, as of a cache or of a faulty gateway (contract, "Safety"). */
import type { JsonObject } from '../protocol/envelope.ts';
import { type Id, isId } from '../schema/integer.ts';
import type { Resource } from '../schema/resource.ts';
import { unknownOutcomeError } from './call.ts';
import { ClientError } from './errors.ts';
import { formatRecordId, titleOf } from './record-title.ts';
import type { ServiceResponse } from './resource-calls.ts';

/** Returns the error for a GET whose response is about another record. The caller must do nothing with that record. */
export function misansweredReadError(
  { request: { method, path }, response: { status } }: ServiceResponse,
  resource: Resource,
  asked: Id,
  other: JsonObject,
): ClientError {
  const message = `${method} ${path}: ${describeOtherRecord(resource, asked, other)}`;
  return new ClientError('not-ours', message, { method, path, status, advice: MIXED_UP });
}

const MIXED_UP =
  'A cache or a gateway may have mixed up responses. If this happens again, report it to the operator of the service.';

/** Returns the error for a POST whose response is about another record. The service may have carried out the POST. */
export const misansweredPostError = (
  { request, response }: ServiceResponse,
  resource: Resource,
  other: JsonObject,
): ClientError =>
  unknownOutcomeError(request, describeOtherRecord(resource, undefined, other), undefined, response);

/** Returns a clause: `the response is about task 5 (Own), not task 6`. @param asked id in the request; undefined for a POST */
export function describeOtherRecord(resource: Resource, asked: Id | undefined, other: JsonObject): string {
  const title = isId(other['id']) ? titleOf(resource, other) : 'a record without an id';
  const wanted =
    asked === undefined ? 'the record that was sent' : `${resource.noun} ${formatRecordId(resource, asked)}`;
  return `the response is about ${title}, not ${wanted}`;
}
