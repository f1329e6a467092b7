/** Meanings of the exit codes, for the help topic, the manual pages and the reference. */
import type { ExitCode } from '../errors/exit-codes.ts';

/** Exit codes and their meanings (contract, "Output": the table of exit codes). */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'Anything else: a bug, or a 5xx after retries',
  2: 'Asked wrongly, or refused before anything was sent',
  3: '401, 403, or no credentials',
  4: '404; exists and dnc check when there is none',
  5: '409 or 423: a conflict, or locked',
  6: '400, 413 or 415: the service finds the request invalid',
  7: 'The service could not be reached',
  8: 'Some items of a batch failed',
  9: '429 after retries',
  10: 'Sent, and the outcome could not be established',
  11: 'Checked, and it does not hold: --check, errors of lint, a forecast that runs short',
  130: 'Interrupted',
};
