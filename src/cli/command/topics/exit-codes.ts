import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { type HelpPage, helpSection } from '../help-page.ts';

/** Exit codes and their meanings (contract, "Output": the table of exit codes). */
export const EXIT_CODE_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'Any other error: a bug, or a 5xx status after retries',
  2: 'Usage error, or svc refused the command before it sent anything',
  3: '401, 403, or no credentials',
  4: 'Status 404: not found. "svc … exists" and "svc dnc check" found no record',
  5: 'Status 409 or 423: a conflict, or the record is locked',
  6: 'Status 400, 413 or 415: the service rejects the request as invalid',
  7: 'svc cannot reach the service',
  8: 'Some items of a batch failed',
  9: 'Status 429: rate limited, after retries',
  10: 'svc sent a request, but cannot tell whether it succeeded',
  11: 'A check found a problem: a failed --check, lint errors, or too few credits in a forecast',
  130: 'Interrupted',
};

const CODES: readonly ExitCode[] = Object.values(EXIT).sort((a, b) => a - b);

// Contract, "Output": the table of exit codes.
export const EXIT_CODES_TOPIC: HelpPage = {
  summary: 'What each exit code means',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    helpSection(
      'Exit codes',
      CODES.map((code) => ({ term: String(code), text: EXIT_CODE_MEANINGS[code] })),
    ),
    {
      heading: 'What to do',
      paragraphs: [
        'After 7 or 9, run the same command again. After 10, first run the command that the hint shows, to find out what happened. If you used --key, you can run the same command again at once.',
        'If a command for many companies fails with the same exit code for all of them, svc exits with that code; otherwise with 8.',
      ],
    },
  ],
  examples: ['svc folder exists News || svc folder create --name News'],
  notes: [
    'The help of each command lists its exit codes. Any command can also exit with 1 or 130.',
    'With -o json, an error is one JSON object on stderr. It contains the exit code.',
  ],
};
