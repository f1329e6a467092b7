/** Meanings of the exit codes, for the help topic, the manual pages and the reference. */
import type { ExitCode } from '../errors/exit-codes.ts';

/** Exit codes and their meanings (contract, "Output": the table of exit codes). */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'Any other error: a bug, or 5xx after retries',
  2: 'Usage error, or refused before anything was sent',
  3: '401, 403, or no credentials',
  4: '404: not found; exists and dnc check found nothing',
  5: '409 or 423: a conflict, or locked',
  6: '400, 413 or 415: the service rejects the request as invalid',
  7: 'Cannot reach the service',
  8: 'Some items of a batch failed',
  9: '429: rate limited, after retries',
  10: 'Request sent, outcome unknown',
  11: 'A check failed: --check, lint errors, too few credits in a forecast',
  130: 'Interrupted',
};
