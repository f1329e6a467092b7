/**
 * Finds out the outcome of a PUT or a DELETE whose response is about another record. Such a response proves nothing, and a retry would prove
 * nothing either. So svc reads the record that the request named (contract, "Safety").
 */
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Id } from '../../schema/integer.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { unknownOutcomeError } from '../call.ts';
import type { ClientError } from '../errors.ts';
import { describeOtherRecord } from '../other-record.ts';
import type { ServiceResponse } from '../resource-calls.ts';
import { hasValueSent } from './find-created.ts';

/** Write whose response is about another record. */
interface MisansweredWrite {
  readonly resource: Resource;
  /** Reads the record that the request named. Returns undefined if it does not exist. */
  readonly read: () => Promise<JsonObject | undefined>;
  /** Returns the error of the kind `unknown` for the write. `finding` says what svc found when it read the record. */
  readonly unknownBecause: (finding?: string) => ClientError;
}

/** Describes a PUT or a DELETE of the record `asked` whose response is about the record `other`. */
export function describeMisansweredWrite(
  { request, response }: ServiceResponse,
  resource: Resource,
  asked: Id,
  other: JsonObject,
  read: MisansweredWrite['read'],
): MisansweredWrite {
  const problem = describeOtherRecord(resource, asked, other);
  return {
    resource,
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

/**
 * Returns the record of a PUT if it has the values that were sent.
 * @throws ClientError `unknown` if it does not have them, or if svc can't read the record
 */
export async function verifyUpdate(write: MisansweredWrite, body: Values): Promise<JsonObject> {
  const record = await readOrThrow(write);
  if (record === undefined) throw write.unknownBecause('which does not exist');
  if (hasAllValuesSent(write.resource, body, record)) return record;
  throw write.unknownBecause('which does not show all values that were sent');
}

/**
 * Returns the id of the record of a DELETE if the record no longer exists.
 * @throws ClientError `unknown` if it exists, or if svc can't read the record
 */
export async function verifyDeletion(write: MisansweredWrite, id: Id): Promise<readonly Id[]> {
  if ((await readOrThrow(write)) === undefined) return [id];
  throw write.unknownBecause('which still exists');
}

/**
 * Returns the attributes that the service later returns unchanged: not passwords, which it never shows, nor HTML, whose links it rewrites.
 */
export function findAttributesReturnedUnchanged(resource: Resource, body: Values): readonly string[] {
  return Object.keys(body).filter((name) => {
    const field = resource.fields[name];
    return name !== 'id' && field !== undefined && !field.writeOnly && field.format !== 'html';
  });
}

/** Reports whether the record has every value of the body. False if svc can't compare one of the values. */
function hasAllValuesSent(resource: Resource, body: Values, record: JsonObject): boolean {
  const comparable = findAttributesReturnedUnchanged(resource, body);
  return Object.keys(body).every(
    (name) => name === 'id' || (comparable.includes(name) && hasValueSent(resource, name, body, record)),
  );
}

async function readOrThrow({ read, unknownBecause }: MisansweredWrite): Promise<JsonObject | undefined> {
  try {
    return await read();
  } catch (error) {
    throw unknownBecause(
      `which svc could not read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
