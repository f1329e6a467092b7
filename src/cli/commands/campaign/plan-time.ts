/** Reads the time that decides whether a plan has expired. */

import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Session } from '../../session/session.ts';

/**
 * Returns Unix seconds of the service's clock (contract, "Campaigns as files"). If an approver can't reach the service,
 * uses this machine's clock and says so; apply always asks the service.
 */
export async function planNow(session: Session): Promise<number> {
  try {
    return await session.serviceNow();
  } catch (error) {
    const { exit, kind, message } = explainError(error);
    if (exit === EXIT.interrupted || kind === 'bug') throw error;
    await session.warn(`cannot get the service's clock (${message}); using this machine's`);
    return Math.floor(session.context.clock.now() / 1000);
  }
}
