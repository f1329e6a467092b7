/** Maximum number of subscriptions on a list to which svc sends a proof of a message (contract, "The everyday screen"). */
export const MAX_PROOF_RECIPIENTS = 10;
