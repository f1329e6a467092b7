/** Changes a rule only as long as it is as svc has read it. */

import type { Id } from '../../kit/schema/integer.ts';
import type { RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import type { RuleRecord, RuleResource } from '../../service/resources/rule-kinds.ts';
import type { Client } from '../requests/client.ts';

/**
 * Sends the PUT only while `mustSend` agrees. Reads the record directly before each attempt, because another run or an earlier attempt may
 * have carried out the PUT, and a person may have changed the record since. The service has no conditional PUT, so svc does not notice a
 * change between these two requests. Returns the record as it is then, or undefined if it was deleted.
 * @throws ClientError, and what `mustSend` throws
 */
export async function updateAfterRead<R extends Resource>(
  client: Pick<Client, 'get' | 'update'>,
  resource: R,
  id: Id,
  body: Values,
  mustSend: (found: RecordOf<R>) => boolean,
): Promise<RecordOf<R> | undefined> {
  let found: RecordOf<R> | undefined;
  let isOver = false;
  const beforeAttempt = async (): Promise<void> => {
    found = await client.get(resource, id);
    isOver = found === undefined || !mustSend(found);
    if (isOver) throw new Error('the record has changed');
  };
  try {
    return await client.update(resource, id, body, { beforeAttempt });
  } catch (error) {
    if (isOver) return found;
    throw error;
  }
}

/** Resumes a rule that svc has created paused, and gives it its final name, unless it has that name. See `updateAfterRead`. */
export const resumeCreatedRule = (
  client: Pick<Client, 'get' | 'update'>,
  resource: RuleResource,
  id: Id,
  name: string,
): Promise<RuleRecord | undefined> =>
  updateAfterRead(client, resource, id, { paused: false, name }, (found) => found.name !== name);
