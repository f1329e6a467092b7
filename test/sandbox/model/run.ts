/** Plays random sequences of steps on a model and a sandbox side by side. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '../../../src/sandbox/store/open.ts';
import { look } from './look.ts';
import { play } from './play.ts';
import { createReal, type Real } from './real.ts';
import { createModel } from './start.ts';
import type { Model } from './state.ts';
import { type Step, steps } from './steps.ts';
import { viewOfModel, viewOfReal } from './view.ts';

/** Counts the played steps, which reveals a run that makes no progress. */
export class Played {
  readonly done = new Map<string, number>();
  steps = 0;
  runs = 0;
  sent = 0;
  loops = 0;

  count(step: string): void {
    this.done.set(step, (this.done.get(step) ?? 0) + 1);
  }
}

export interface Plan {
  readonly runs: number;
  readonly seed: number;
  readonly open: () => Promise<Store>;
  /** Opens the store after a restart. Without it, a restart makes a new service over the same store. */
  readonly reopen?: () => Promise<Store>;
  /** False to stop at the first sequence that fails. */
  readonly shrinks?: boolean;
}

/** Compares both sides. Fails with the smallest failing sequence that it finds, and with the seed. */
export async function compare({ runs, seed, open, reopen, shrinks = true }: Plan): Promise<Played> {
  const played = new Played();
  const sequences = fc.commands(
    steps.map((step) => step.map((drawn) => commandOf(drawn, played))),
    { maxCommands: 40, size: 'max' },
  );
  const property = fc.asyncProperty(sequences, async (commands) => {
    const real = await createReal(await open(), reopen);
    const model = createModel();
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await look(model, real);
      played.runs += 1;
      played.sent += model.outbox.length;
      played.loops += model.loops;
    } finally {
      await real.close();
    }
  });
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: !shrinks });
  return played;
}

function commandOf(step: Step, played: Played): fc.AsyncCommand<Model, Real> {
  return {
    check: () => true,
    toString: () => JSON.stringify(step),
    run: async (model, real) => {
      const { expected, got } = await play(model, real, step);
      expect(got, `the status of ${JSON.stringify(step)}`).toBe(expected);
      played.steps += 1;
      if (expected >= 200 && expected < 300) played.count(step.kind);
      const [shown, wanted] = [await viewOfReal(real), viewOfModel(model)];
      if (JSON.stringify(shown) !== JSON.stringify(wanted)) expect(shown).toEqual(wanted);
    },
  };
}
