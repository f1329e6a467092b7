/** Formats how many steps of a plan create, change, replace or delete something. */
import type { Step, StepAction } from '../../../campaign/model.ts';

/**
 * Words that follow the number of steps with each action, such as `to create` in `2 to create, 1 blocked`. The order of the actions is the
 * display order.
 */
export const STEP_ACTION_WORDS: Readonly<Record<StepAction, string>> = {
  create: 'to create',
  change: 'to change',
  replace: 'to replace',
  cancel: 'to delete',
  blocked: 'blocked',
  keep: 'up to date',
  orphaned: 'orphaned and kept',
};
/** All actions, in display order. */
export const STEP_ACTIONS = Object.keys(STEP_ACTION_WORDS) as readonly StepAction[];

/** Returns the number of steps of each action: `2 to create, 1 blocked`. */
export function formatStepCounts(steps: readonly Step[]): string {
  const counts = STEP_ACTIONS.flatMap((action) => {
    const { length } = steps.filter((step) => step.action === action);
    return length === 0 ? [] : [`${length} ${STEP_ACTION_WORDS[action]}`];
  });
  return counts.length === 0 ? 'the file has no items' : counts.join(', ');
}
