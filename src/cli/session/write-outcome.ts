import type { WriteOutcome } from '../../journal/entry.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';

/** Returns the outcome of a write that threw. */
export function failureOf(error: unknown): WriteOutcome {
  const { kind, exit, message, http } = explainError(error);
  return {
    state: exit === EXIT.unknown ? 'unknown' : 'failed',
    error: { kind, message, ...(http === undefined ? {} : { http }) },
  };
}
