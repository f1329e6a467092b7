/** Defines a chain: the rules whose actions led to an event. */

/** Rules whose actions led to an event. Each rule is named by its kind and id. Empty if a recipient caused the event. */
export type RuleChain = readonly string[];

/**
 * If the rule is already in the chain, returns the part of the chain from this rule on, with the rule once more at the end. Otherwise
 * returns undefined. The service stops a rule that its own chain triggers again (src/protocol/README.md, "Actions").
 */
export const cycleThrough = (chain: RuleChain, rule: string): RuleChain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
