/** A cancelled task must be known to be cancelled: of a PUT in doubt, or refused after one, the task itself tells. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import { ClientError } from '../errors.ts';

export const cancelsTask = (resource: Resource, body: Values): boolean =>
  resource.name === task.name && body['cancelled'] === true;

/**
 * The task, when it is cancelled; otherwise the error: a refusal (409) when it was completed first, and what `failure`
 * says when it is neither.
 */
export async function decideCancellation(
  failure: unknown,
  look: () => Promise<JsonObject | undefined>,
): Promise<JsonObject> {
  if (!(failure instanceof ClientError)) throw failure;
  const { method, path, kind, status } = failure;
  // A look that fails tells nothing new: what is thrown then is the failure that it was to explain.
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
  const message = `${failure.message}; it is not cancelled yet, so cancel it again`;
  throw new ClientError('unknown', message, { method, path, status, cause: failure });
}
