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
 * Checks whether a task is cancelled, after the PUT that cancels it failed with `failure`. Reads the task with `look`, and returns the task
 * if it is cancelled.
 * @throws ClientError `refused` with status 409 if the task is completed, so that it is too late to cancel the task
 * @throws `failure` if it is not a ClientError, if svc could not read the task, or if the task is still open because the service refused
 * the PUT
 * @throws ClientError `unknown`, with `failure` as its cause, if the task is still open after any other failure of the PUT
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
