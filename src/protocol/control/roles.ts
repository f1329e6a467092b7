/** Operations that each role of a control-plane token may call. */
import type { OperationName } from '../control.ts';
import type { TokenRole } from './tokens.ts';

/** Operations of the role outbox. */
const FOR_OUTBOX: readonly OperationName[] = [
  'outbox list',
  'outbox send list',
  'outbox show',
  'outbox eml',
  'queue',
  'clock show',
];

/** Reports whether a token of this role may call the operation. The sandbox's own token may call all of them. */
export function mayAsk(role: TokenRole, operation: OperationName): boolean {
  if (role === 'outbox') return FOR_OUTBOX.includes(operation);
  // Otherwise a revoked token could live on in tokens that it created, and in sessions that it opened.
  return !operation.startsWith('token ') && operation !== 'open';
}
