/** Errors of calls that ended without a usable response. */
import type { WireResponse } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';
import type { CallRequest } from './connection.ts';
import { ClientError } from './errors.ts';

export const isWrite = (method: Method): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * Returns the error for a request that was sent and whose outcome is unknown. The error names the request and what the user should check.
 */
export function outcomeUnknown(
  { method, path, check }: CallRequest,
  problem: string,
  cause?: unknown,
  response?: WireResponse,
): ClientError {
  const advice = check === undefined ? '' : `; before you repeat it, check ${check()}`;
  return new ClientError(
    'unknown',
    `${method} ${path} was sent, but it is not known whether it succeeded (${problem})${advice}`,
    { method, path, cause, status: response?.status },
  );
}

export function redirected({ method, path }: CallRequest, { status, headers }: WireResponse): ClientError {
  const location = headers['location']?.slice(0, 500);
  const where = location === undefined ? 'without a location' : `to ${location}`;
  return new ClientError(
    'redirect',
    `${method} ${path} was redirected ${where}; svc never follows a redirect with a signed request, so correct the base URL`,
    { method, path, status, location },
  );
}

export function interrupted(request: CallRequest, doubtful: boolean, cause?: unknown): ClientError {
  const { method, path } = request;
  if (doubtful && isWrite(method)) return outcomeUnknown(request, 'interrupted', cause);
  return new ClientError('interrupted', `interrupted before ${method} ${path} was answered`, {
    method,
    path,
    cause,
  });
}
