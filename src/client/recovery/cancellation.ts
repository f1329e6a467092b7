/**
 * Finds out whether a task was cancelled although the PUT that cancels it failed. The PUT got no response, or a repeated attempt was
 * refused.
 */
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { ClientError } from '../errors.ts';

/** Reports whether a PUT with this body cancels a task. */
export const cancelsTask = (resource: Resource, body: Values): boolean =>
  resource.name === task.name && body['cancelled'] === true;

/**
 * Reads the task with `look` after the PUT failed with `failure`. Returns the task if it is cancelled.
 * @throws ClientError `refused` with status 409 if the task was completed before it could be cancelled; otherwise `failure`, or `unknown`
 * with `failure` as its cause
 */
export async function verifyTaskCancellation(
  failure: unknown,
  look: () => Promise<JsonObject | undefined>,
): Promise<JsonObject> {
  if (!(failure instanceof ClientError)) throw failure;
  const { method, path, kind, status } = failure;
  // A failed look-up tells nothing new, so the original failure is thrown.
  const found = await look().catch(() => undefined);
  if (found?.['cancelled'] === true) return found;
  if (found?.['completed'] === true)
    throw new ClientError('refused', `${path}: too late to cancel, the task is completed`, {
      method,
      path,
      status: 409,
      cause: failure,
    });
  if (found === undefined || kind === 'refused') throw failure;
  const message = `${failure.message}; the task is not cancelled yet, so try again`;
  throw new ClientError('unknown', message, { method, path, status, cause: failure });
}
