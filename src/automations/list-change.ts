/** Defines the actions that change the lists of a subscriber, their effects (interface, "Events"), and the loops that they can cause. */

const LIST_ACTIONS = ['addtolist', 'copytolist', 'movetolist', 'removefromlist'] as const;
export type ListAction = (typeof LIST_ACTIONS)[number];

export const isListAction = (actiontype: string): actiontype is ListAction =>
  LIST_ACTIONS.some((action) => action === actiontype);

/** Effect of an action on the lists of a subscriber. `I` is the type of list ids. */
export interface SubscriberListChange<I> {
  /** List that the subscriber must be on for the action to happen. Undefined if no list is required. */
  readonly from: I | undefined;
  /** True if the subscriber leaves the list `from`. */
  readonly leavesFrom: boolean;
  /** List that the subscriber is added to. */
  readonly to: I | undefined;
}

/**
 * Returns the effect of an action.
 * @param triggerList the list whose subscriptions trigger the rule, or undefined if the rule is not a subscription rule
 * @param target the rule's `actiontarget`
 */
export function computeListChange<I>(
  action: ListAction,
  triggerList: I | undefined,
  target: I,
): SubscriberListChange<I> {
  const from = action === 'addtolist' ? undefined : triggerList;
  return {
    from,
    leavesFrom: from !== undefined && action !== 'copytolist',
    to: action === 'removefromlist' ? undefined : target,
  };
}

/** Rules whose actions led to an event. Each rule is named by its kind and id. Empty if a recipient caused the event. */
export type TriggeringRuleChain = readonly string[];

/**
 * Returns the loop that arises if the chain triggers `rule` again: `B, C, B` for the chain `A, B, C` and the rule `B`. The service stops
 * such a rule (src/protocol/README.md, "Actions").
 */
export const findCycleThroughRule = (
  chain: TriggeringRuleChain,
  rule: string,
): TriggeringRuleChain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
