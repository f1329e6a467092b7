/** Estimates the recipients of a new task, which the service counts only after the creation of the task. */
import type { Client } from '../client/client.ts';
import { task } from '../resources/task.ts';
import { isId } from '../schema/integer.ts';

/** Returns the size of the newest task with the same list and channel, or null without such a task. Sends one GET. */
export async function findSizeOfNewestTask(
  client: Pick<Client, 'list'>,
  { channel, list_id }: { readonly channel?: unknown; readonly list_id?: unknown },
): Promise<number | null> {
  if (!isId(list_id) || typeof channel !== 'string') return null;
  const newest = client.list(task, { filters: { channel, list_id }, sort: 'id', reverse: true, limit: 1 });
  for await (const { size } of newest) return size ?? null;
  return null;
}
