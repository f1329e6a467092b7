/** Defines a chain: the rules whose actions led to an event. */

/** Rules whose actions led to an event. Each rule is named by its kind and id. Empty if a recipient caused the event. */
export type RuleChain = readonly string[];

/**
 * Returns the cycle that a rule would close, with that rule as its first and its last member. Returns undefined if the rule isn't in the
 * chain yet (src/protocol/README.md, "Actions": a rule that its own chain triggers again is stopped).
 */
export const cycleThrough = (chain: RuleChain, rule: string): RuleChain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
