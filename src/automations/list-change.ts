/** What an action does to lists (interface, "Events": add, copy, move or remove from a list). */

export type ListAction = 'addtolist' | 'copytolist' | 'movetolist' | 'removefromlist';

export interface ListChange<I> {
  /** The list that the subscriber has to be on; undefined where none is asked for. */
  readonly from: I | undefined;
  /** Whether the subscriber leaves it. */
  readonly leaves: boolean;
  /** The list that the subscriber is added to. */
  readonly to: I | undefined;
}

/**
 * @param watched the list of a subscription rule
 * @param target the rule's actiontarget
 */
export function listChange<I>(action: ListAction, watched: I | undefined, target: I): ListChange<I> {
  const from = action === 'addtolist' ? undefined : watched;
  return {
    from,
    leaves: from !== undefined && action !== 'copytolist',
    to: action === 'removefromlist' ? undefined : target,
  };
}
