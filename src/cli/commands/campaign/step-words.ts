/** Formats how many steps of a plan create, change, replace or delete something. */
import type { Step, StepAction } from '../../../campaign/model.ts';

/** Words that describe each action in counts, in display order. */
export const ACTION_WORDS: Readonly<Record<StepAction, string>> = {
  create: 'to create',
  change: 'to change',
  replace: 'to replace',
  cancel: 'to delete',
  blocked: 'blocked',
  keep: 'up to date',
  orphaned: 'orphaned and kept',
};
export const ACTIONS = Object.keys(ACTION_WORDS) as readonly StepAction[];

/** Returns the number of steps of each action: `2 to create, 1 blocked`. */
export function actionCounts(steps: readonly Step[]): string {
  const counts = ACTIONS.flatMap((action) => {
    const { length } = steps.filter((step) => step.action === action);
    return length === 0 ? [] : [`${length} ${ACTION_WORDS[action]}`];
  });
  return counts.length === 0 ? 'the file has no items' : counts.join(', ');
}
