/** What is to become of the items of a campaign, counted. */
import type { Action, Step } from '../../../campaign/model.ts';

/** In the order in which they are told. */
export const ACTION_WORDS: Readonly<Record<Action, string>> = {
  create: 'to create',
  change: 'to change',
  replace: 'to replace',
  cancel: 'to take away',
  blocked: 'blocked',
  keep: 'as the file says',
  orphaned: 'orphaned and left',
};
export const ACTIONS = Object.keys(ACTION_WORDS) as readonly Action[];

/** `2 to create, 1 blocked`; each action that there is, once. */
export function countsOf(steps: readonly Step[]): string {
  const counts = ACTIONS.flatMap((action) => {
    const { length } = steps.filter((step) => step.action === action);
    return length === 0 ? [] : [`${length} ${ACTION_WORDS[action]}`];
  });
  return counts.length === 0 ? 'the file names nothing' : counts.join(', ');
}
