/** Whose a new record is. */
import { forbidden } from '../../protocol/service-errors.ts';
import type { Call } from '../request/call.ts';

/** The id of the user who makes it; 403 while a partner acts for an account that has no user yet. */
export function authorOf(call: Call): number {
  if (call.caller.userId === null) throw forbidden('The account has no user yet');
  return call.caller.userId;
}
