/** The time by which a plan is judged. */

import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Session } from '../../session/session.ts';

/**
 * Unix seconds of the service's clock (contract, "Campaigns as files"). Who approves may have no way to the service: then this
 * machine's is taken, and said; apply asks the service in any case.
 */
export async function planNow(session: Session): Promise<number> {
  try {
    return await session.serviceNow();
  } catch (error) {
    const { exit, kind, message } = explainError(error);
    if (exit === EXIT.interrupted || kind === 'bug') throw error;
    await session.warn(`the service's clock can't be asked (${message}); this machine's is taken`);
    return Math.floor(session.context.clock.now() / 1000);
  }
}
