/** Maximum number of subscriptions on a list that gets proofs (contract, "The everyday screen"). */
export const MAX_PROOFS = 10;
