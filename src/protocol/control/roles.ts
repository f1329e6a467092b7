/** What a token of the control plane may ask, by its role. */
import type { OperationName } from '../control.ts';
import type { TokenRole } from './tokens.ts';

/** What the role outbox may ask. */
const FOR_OUTBOX: readonly OperationName[] = [
  'outbox list',
  'outbox show',
  'outbox eml',
  'queue',
  'clock show',
];

/** Whether a token of this role may; the sandbox's own may all. */
export function mayAsk(role: TokenRole, operation: OperationName): boolean {
  if (role === 'outbox') return FOR_OUTBOX.includes(operation);
  // Or one that was revoked could live on in those that it made, and in the sessions that it opened.
  return !operation.startsWith('token ') && operation !== 'open';
}
