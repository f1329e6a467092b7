/** Keeps one folder or message for each `--key`: the one with the lowest id. */

import type { AnyRecord, BodyOf, Json, RecordOf, Resource } from '../../kit/schema/resource.ts';
import type { Client } from '../requests/client.ts';
import { titleOf } from '../requests/record-title.ts';
import { SendError } from './errors.ts';
import {
  findDifferences,
  findRecordsUnderKey,
  type KeyedResource,
  type KeyLook,
  refuseDifferences,
} from './keys.ts';
import { listEarlier } from './same-send.ts';

export interface KeyedCreation {
  readonly client: Client;
  readonly look: KeyLook;
  readonly resource: KeyedResource;
  /** Body of the POST. Its name has the mark of the key. */
  readonly body: BodyOf<KeyedResource>;
  readonly warn: (line: string) => Promise<void>;
}

export interface RecordUnderKey {
  readonly record: RecordOf<KeyedResource>;
  readonly isNew: boolean;
}

export const nameOfKeyed = ({ body }: Pick<KeyedCreation, 'body'>): string => String(body.name);

/**
 * Returns the record of an earlier run with the same key, or undefined. Names further records, which nothing may use yet.
 * @throws SendError exit 5 if the record has other content; ClientError
 */
export async function findEarlierRecord(
  creation: KeyedCreation,
): Promise<RecordOf<KeyedResource> | undefined> {
  const { look, resource, body, warn } = creation;
  const [stays, ...spare] = await findRecordsUnderKey(look, resource, nameOfKeyed(creation));
  if (stays === undefined) return undefined;
  refuseDifferences(resource, stays, findDifferences(resource, body, stays));
  for (const each of spare)
    await warn(
      `${titleOf(resource, each)} is a duplicate with the same --key; if nothing uses it, delete it with svc ${resource.noun} delete ${each.id}`,
    );
  return stays;
}

/**
 * Creates the record. If a concurrent run created one under the same key first, deletes the own one and returns that of the other run.
 * @throws SendError exit 5 if the other run gave other content, exit 10 if svc could not look; ClientError
 */
export async function createRecordUnderKey(creation: KeyedCreation): Promise<RecordUnderKey> {
  const { client, resource, body } = creation;
  const own = await client.create(resource, body);
  const [first] = await lookedAfterCreation(resource, own, async () =>
    listEarlier(await findRecordsUnderKey(creation.look, resource, nameOfKeyed(creation)), own),
  );
  if (first === undefined) return { record: own, isNew: true };
  await deleteUnused(creation, own);
  const differences = findDifferences(resource, body, first);
  refuseDifferences(resource, first, differences, 'svc has deleted the record of this run');
  return { record: first, isNew: false };
}

/** A message says whether a task uses it, and a folder how many lists it has. */
interface Usage extends AnyRecord {
  readonly used?: Json;
  readonly list_count?: Json;
}

async function deleteUnused(
  { client, resource, warn }: KeyedCreation,
  { id }: RecordOf<KeyedResource>,
): Promise<void> {
  const found: Usage | undefined = await client.get(resource, id);
  if (found === undefined) return;
  if (found.used === true || Number(found.list_count ?? 0) > 0) {
    await warn(`${titleOf(resource, found)} is a duplicate with the same --key, and is in use`);
    return;
  }
  await client.remove(resource, { id });
}

/** Runs a look after a POST. A look that fails must not look like success. Throws SendError exit 10. */
export async function lookedAfterCreation<T>(
  resource: Resource,
  own: RecordOf<KeyedResource>,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (cause) {
    if (cause instanceof SendError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SendError(
      'not-looked',
      `${titleOf(resource, own)} exists, but svc cannot check whether another run has created the same: ${reason}`,
      {
        outcome: 'unknown',
        hint: 'Run the same command again: it finds this record, and deals with a second one.',
        cause,
      },
    );
  }
}
