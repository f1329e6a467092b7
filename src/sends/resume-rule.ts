/** Resumes a rule that svc has created paused. */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import type { Id } from '../schema/integer.ts';
import type { Resource } from '../schema/resource.ts';

/**
 * Resumes the rule and gives it its final name, with one PUT. Reads the rule directly before each PUT: if it has its final name, an earlier
 * PUT or another run has resumed it, and a person may have paused it since. The service has no conditional PUT, so svc does not notice a
 * change between these two requests. Returns the rule as it is then, or undefined if it was deleted.
 * @throws ClientError
 */
export async function resumeCreatedRule(
  client: Pick<Client, 'get' | 'update'>,
  resource: Resource,
  id: Id,
  name: string,
): Promise<JsonObject | undefined> {
  let found: JsonObject | undefined;
  let mustResume = true;
  const beforeAttempt = async (): Promise<void> => {
    found = await client.get(resource, id);
    mustResume = found !== undefined && found['name'] !== name;
    if (!mustResume) throw new Error('the rule has changed');
  };
  try {
    return await client.update(resource, id, { paused: false, name }, { beforeAttempt });
  } catch (error) {
    if (!mustResume) return found;
    throw error;
  }
}
