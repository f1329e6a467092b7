/** Says which other task or rule a step doubles, if only `--both` allows the step. */
import type { Step } from '../model.ts';
import type { PlanningSituation } from './situation.ts';

const PREFIX = '--both: ';

/** @param planStep plans the step in the situation that it gets */
export function planWithAllowedDoubles(
  situation: PlanningSituation,
  planStep: (situation: PlanningSituation) => Step,
): Step {
  const step = planStep(situation);
  const { options } = situation;
  if (!options.both || step.action === 'blocked') return step;
  const { action, reason } = planStep({
    ...situation,
    options: { ...options, both: false },
    saysDoublesAlone: true,
  });
  if (reason === undefined || (action === step.action && reason === step.reason)) return step;
  return { ...step, reason: [step.reason, `${PREFIX}${reason}`].filter(Boolean).join('; ') };
}

/** Leaves out what `planWithAllowedDoubles` adds. The other task may have been sent since, or an earlier version of svc made the step. */
export function withoutAllowedDoubles(step: Step): Step {
  const { reason, ...rest } = step;
  const before = reason?.replace(/(?:^|; )--both: .*$/su, '');
  return before ? { ...step, reason: before } : rest;
}

/** Returns a function that joins a fact about a duplicate with the ways to resolve it, or with its people if `--both` allows it. */
export const createDoubleSayer =
  ({ saysDoublesAlone }: Pick<PlanningSituation, 'saysDoublesAlone'>) =>
  (fact: string, ways: string, people?: string): string => {
    if (!saysDoublesAlone) return `${fact}: ${ways}`;
    return people === undefined ? fact : `${fact} (${people})`;
  };
