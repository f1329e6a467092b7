/** The rules whose actions led to an event. */

/** Names of rules, all in the same form. Empty if a recipient caused the event. */
export type Chain = readonly string[];

/**
 * Returns the endless round that a rule would close, with the rule first and last. Returns undefined if it isn't in the chain yet
 * (src/protocol/README.md, "Actions": a rule that comes back in its own chain is stopped).
 */
export const roundOf = (chain: Chain, rule: string): Chain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
