/** Defines a chain: the rules whose actions led to an event. */

/** Rules whose actions led to an event. Each rule is named by its kind and id. Empty if a recipient caused the event. */
export type TriggeringRuleChain = readonly string[];

/**
 * Returns the loop that arises if the chain now triggers `rule` again: `B, C, B` for the chain `A, B, C` and the rule `B`. Returns
 * undefined if the chain does not contain the rule. The service stops a rule that its own chain triggers again (src/protocol/README.md,
 * "Actions").
 */
export const findCycleThroughRule = (
  chain: TriggeringRuleChain,
  rule: string,
): TriggeringRuleChain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
