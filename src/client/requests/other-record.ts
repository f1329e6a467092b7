/**
 * Handles responses that are about another record than the request, as of a cache or of a faulty gateway. Such a response proves nothing,
 * and a retry would prove nothing either. So svc reads the record that a PUT or a DELETE named (contract, "Safety").
 */
import { type Id, isId } from '../../kit/schema/integer.ts';
import type { AnyRecord, Resource } from '../../kit/schema/resource.ts';
import { unknownOutcomeError } from './call.ts';
import { ClientError } from './errors.ts';
import { formatRecordId, titleOf } from './record-title.ts';
import type { ServiceResponse } from './resource-calls.ts';

/** Callers must do nothing with the other record. */
export function misansweredReadError(
  { request: { method, path }, response: { status } }: ServiceResponse,
  resource: Resource,
  asked: Id,
  other: AnyRecord,
): ClientError {
  const message = `${method} ${path}: ${describeOtherRecord(resource, asked, other)}`;
  return new ClientError('not-ours', message, { method, path, status, advice: MIXED_UP });
}

const MIXED_UP =
  'A cache or a gateway may have mixed up responses. If this happens again, report it to the operator of the service.';

/** The service may have carried out the POST. */
export const misansweredPostError = (
  { request, response }: ServiceResponse,
  resource: Resource,
  other: AnyRecord,
): ClientError =>
  unknownOutcomeError(request, describeOtherRecord(resource, undefined, other), undefined, response);

interface MisansweredWrite {
  /** Returns undefined if it does not exist. */
  readonly read: () => Promise<AnyRecord | undefined>;
  /** `finding` says what svc found when it read the record. */
  readonly unknownBecause: (finding?: string) => ClientError;
}

export function describeMisansweredWrite(
  { request, response }: ServiceResponse,
  resource: Resource,
  asked: Id,
  other: AnyRecord,
  read: MisansweredWrite['read'],
): MisansweredWrite {
  const problem = describeOtherRecord(resource, asked, other);
  return {
    read,
    unknownBecause: (finding) =>
      unknownOutcomeError(
        request,
        finding === undefined ? problem : `${problem}, ${finding}`,
        undefined,
        response,
      ),
  };
}

/** @throws ClientError `unknown` if it does not have them, or if svc can't read the record */
export async function verifyUpdate(
  write: MisansweredWrite,
  hasValuesSent: (record: AnyRecord) => boolean,
): Promise<AnyRecord> {
  const record = await readOrThrow(write);
  if (record === undefined) throw write.unknownBecause('which does not exist');
  if (hasValuesSent(record)) return record;
  throw write.unknownBecause('which does not show all values that were sent');
}

/** @throws ClientError `unknown` if it exists, or if svc can't read the record */
export async function verifyDeletion(write: MisansweredWrite, id: Id): Promise<readonly Id[]> {
  if ((await readOrThrow(write)) === undefined) return [id];
  throw write.unknownBecause('which still exists');
}

/** Returns a clause: `the response is about task 5 (Own), not task 6`. */
function describeOtherRecord(resource: Resource, asked: Id | undefined, other: AnyRecord): string {
  const title = isId(other.id) ? titleOf(resource, other) : 'a record without an id';
  const wanted =
    asked === undefined ? 'the record that was sent' : `${resource.noun} ${formatRecordId(resource, asked)}`;
  return `the response is about ${title}, not ${wanted}`;
}

async function readOrThrow({ read, unknownBecause }: MisansweredWrite): Promise<AnyRecord | undefined> {
  try {
    return await read();
  } catch (error) {
    throw unknownBecause(
      `which svc could not read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
