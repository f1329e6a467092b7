/** The rules whose actions led to an event. */

/** Names of rules, one kind of name throughout; empty where a recipient did it. */
export type Chain = readonly string[];

/**
 * The round that a rule would go for ever, itself first and last; undefined where it isn't in the chain yet
 * (src/protocol/README.md, "Actions": a rule that comes back in its own chain is stopped).
 */
export const roundOf = (chain: Chain, rule: string): Chain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
