/** Most subscriptions of a list that gets proofs (contract, "The everyday screen"). */
export const MOST_PROOFS = 10;
