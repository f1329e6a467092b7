import type { Session } from '../session/session.ts';
import type { Input, Outcome, PreparedVerb, Verb } from './command.ts';

/**
 * Runs the work and returns its outcome. In a dry run, returns the planned requests instead, and ignores errors that occur because no
 * request was sent.
 */
export async function runOrListPlannedRequests(
  session: Session,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { dryRun } = session;
  try {
    const outcome = await work();
    if (dryRun.planned.length === 0) return outcome;
  } catch (error) {
    if (dryRun.planned.length === 0) throw error;
  }
  const { dryRunOutcome } = await import('./dry-run-outcome.ts');
  return dryRunOutcome(dryRun, await session.format(), session.warn);
}

/** Declares a verb with `prepare`. Its `run` prepares the work and then runs it for one company. */
export function createVerbWithPrepareStep(
  verb: Omit<Verb, 'run' | 'prepare'> & {
    readonly prepare: (session: Session, input: Input) => Promise<PreparedVerb>;
  },
): Verb {
  return {
    ...verb,
    run: async (session, input) => {
      const { run, finish } = await verb.prepare(session, input);
      const outcome = await run(session, input);
      return finish?.(outcome) ?? outcome;
    },
  };
}
