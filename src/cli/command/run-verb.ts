import type { Session } from '../session/session.ts';
import type { Input, Outcome, Verb } from './command.ts';

/** What the verb returns, or of a dry run all that it would have done; whatever else it threw was about that. */
export async function outcomeOf(session: Session, verb: Verb, input: Input): Promise<Outcome> {
  const { dryRun } = session;
  try {
    const outcome = await verb.run(session, input);
    if (dryRun.planned.length === 0) return outcome;
  } catch (error) {
    if (dryRun.planned.length === 0) throw error;
  }
  const { dryRunOutcome } = await import('./dry-run-outcome.ts');
  return dryRunOutcome(dryRun, await session.format(), session.warn);
}
