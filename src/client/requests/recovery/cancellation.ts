/** Finds out whether a task was cancelled although the PUT that cancels it failed. */

import type { AnyRecord, BodyOf, Resource } from '../../../kit/schema/resource.ts';
import { task } from '../../../service/resources/task.ts';
import { ClientError } from '../errors.ts';

export const cancelsTask = (resource: Resource, { cancelled }: BodyOf<typeof task>): boolean =>
  resource.name === task.name && cancelled === true;

/**
 * Reads the task with `look`, and returns it if it is cancelled.
 * @throws ClientError `refused` with status 409 if the task is completed
 * @throws `failure` if svc could not read the task, or if the task is still open because the service refused the PUT
 * @throws ClientError `unknown` if the task is still open after any other failure
 */
export async function verifyTaskCancellation(
  failure: unknown,
  look: () => Promise<AnyRecord | undefined>,
): Promise<AnyRecord> {
  if (!(failure instanceof ClientError)) throw failure;
  const { method, path, kind, status } = failure;
  // A failed look-up tells nothing new, so the original failure is thrown.
  const found = await look().catch(() => undefined);
  if (found?.cancelled === true) return found;
  if (found?.completed === true)
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
