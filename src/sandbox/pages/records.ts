/** Reads and changes records as the company's admin would through the interface, with the same checks, in this process. */
import { readEnvelope } from '../../protocol/envelope.ts';
import type { Json } from '../../protocol/json.ts';
import { DEFAULT_WIRE_NAMING } from '../../protocol/naming.ts';
import { ServiceError } from '../../protocol/service-errors.ts';
import { catalogue } from '../../resources/catalogue.ts';
import { type SandboxResource, sandboxOnlyResources } from '../../resources/companions.ts';
import type { Values } from '../../schema/resource.ts';
import { behaviours } from '../behaviours/index.ts';
import type { ControlCall } from '../control/operation.ts';
import { readRecordsForRequest } from '../operations/read.ts';
import {
  createRecordFromRequest,
  deleteRecordFromRequest,
  updateRecordFromRequest,
} from '../operations/write.ts';
import type { Call } from '../request/call.ts';
import type { RecordNamed } from '../request/present.ts';
import { adminOf } from '../store/accounts.ts';

type Name = SandboxResource['name'];

/**
 * Returns a page of records for a query of `GET /v1/<resource>`. Returns an empty list if none match.
 * @throws ServiceError
 */
export async function findRecords<N extends Name>(
  call: ControlCall,
  name: N,
  query: Readonly<Record<string, string | number>>,
): Promise<readonly RecordNamed<N>[]> {
  const text = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  );
  try {
    const body = await readRecordsForRequest(
      await adminCall(call, name),
      behaviours[name],
      undefined,
      text.toString(),
    );
    const data = dataIn(body);
    return (Array.isArray(data) ? data : [data]) as readonly RecordNamed<N>[];
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return [];
    throw error;
  }
}

/**
 * Changes a record as `PUT /v1/<resource>/<id>` does.
 * @throws ServiceError
 */
export async function changeRecord(call: ControlCall, name: Name, id: number, values: Values): Promise<void> {
  await updateRecordFromRequest(await adminCall(call, name), behaviours[name], id, '', values);
}

/**
 * Creates a record as `POST /v1/<resource>` does, and returns it.
 * @throws ServiceError
 */
export async function createRecord<N extends Name>(
  call: ControlCall,
  name: N,
  values: Values,
): Promise<RecordNamed<N>> {
  return dataIn(
    await createRecordFromRequest(await adminCall(call, name), behaviours[name], '', values),
  ) as RecordNamed<N>;
}

/**
 * Deletes a record as `DELETE /v1/<resource>/<id>` does.
 * @throws ServiceError
 */
export async function removeRecord(call: ControlCall, name: Name, id: number): Promise<void> {
  await deleteRecordFromRequest(await adminCall(call, name), behaviours[name], id, '', {});
}

function dataIn(body: string): Json {
  const answer = readEnvelope(body);
  if (answer.kind !== 'ok') throw new Error('a response of the service holds no record');
  return answer.data;
}

async function adminCall(
  { db, account, now, trackingBaseUrl, random }: ControlCall,
  name: Name,
): Promise<Call> {
  const resource = [...catalogue, ...sandboxOnlyResources].find((each) => each.name === name);
  if (!resource) throw new Error(`${name} is not a resource`);
  const admin = await adminOf(db, account.id);
  return {
    ...{ db, resource, now, trackingBaseUrl, naming: DEFAULT_WIRE_NAMING, random, prepared: {} },
    caller: {
      ...{ as: 'company', partnerId: null, account, accountId: account.id },
      ...{ userId: admin?.id ?? null, isAdmin: true, restricted: false },
    },
  };
}
