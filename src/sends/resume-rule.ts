/** Resumes a rule that svc has created paused. */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import type { Id } from '../schema/integer.ts';
import type { Resource } from '../schema/resource.ts';

/**
 * Resumes the rule and gives it its final name, with one PUT. Before it sends the PUT again after a lost response, it reads the rule: if the
 * rule has its final name, the earlier PUT was carried out, and a person may have paused the rule since. Returns the rule as it is then.
 * @throws ClientError
 */
export async function resumeCreatedRule(
  client: Pick<Client, 'get' | 'update'>,
  resource: Resource,
  id: Id,
  name: string,
): Promise<JsonObject> {
  let isFirst = true;
  let resumed: JsonObject | undefined;
  const beforeAttempt = async (): Promise<void> => {
    const found = isFirst ? undefined : await client.get(resource, id);
    isFirst = false;
    if (found?.['name'] !== name) return;
    resumed = found;
    throw new Error('the rule is resumed already');
  };
  try {
    return await client.update(resource, id, { paused: false, name }, { beforeAttempt });
  } catch (error) {
    if (resumed !== undefined) return resumed;
    throw error;
  }
}
