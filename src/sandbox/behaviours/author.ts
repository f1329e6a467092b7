/** Determines the owner of a new record. */
import { forbidden } from '../../protocol/service-errors.ts';
import type { Call } from '../request/call.ts';

/** Returns the id of the user who creates the record. Throws 403 if a partner acts for an account that has no user yet. */
export function authorOf(call: Call): number {
  if (call.caller.userId === null) throw forbidden('The account has no user yet');
  return call.caller.userId;
}
