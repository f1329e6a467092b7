import type { Session } from '../session/session.ts';
import type { Input, Outcome, Prepared, Verb } from './command.ts';

/** What the work returns, or of a dry run all that it would have done; whatever else it threw was about that. */
export async function outcomeOf(session: Session, work: () => Promise<Outcome>): Promise<Outcome> {
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

/** A verb that prepares its work: the same for one company as for many. */
export function preparedVerb(
  verb: Omit<Verb, 'run' | 'prepare'> & {
    readonly prepare: (session: Session, input: Input) => Promise<Prepared>;
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
