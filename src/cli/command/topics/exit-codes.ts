import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { type HelpPage, helpSection } from '../help-page.ts';

/** Exit codes and their meanings (contract, "Output": the table of exit codes). */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'Any other error: a bug, or 5xx after retries',
  2: 'Usage error, or the command was refused before anything was sent',
  3: '401, 403, or no credentials',
  4: '404: not found; exists and dnc check found nothing',
  5: '409 or 423: a conflict, or locked',
  6: '400, 413 or 415: the service rejects the request as invalid',
  7: 'Cannot reach the service',
  8: 'Some items of a batch failed',
  9: '429: rate limited, after retries',
  10: 'Request sent, outcome unknown',
  11: 'A check found problems: --check, lint errors, too few credits in a forecast',
  130: 'Interrupted',
};

const CODES: readonly ExitCode[] = Object.values(EXIT).sort((a, b) => a - b);

// Contract, "Output": the table of exit codes.
export const EXIT_CODES: HelpPage = {
  summary: 'What each exit code means',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    helpSection(
      'Exit codes',
      CODES.map((code) => ({ term: String(code), text: EXIT_MEANINGS[code] })),
    ),
    {
      heading: 'What to do',
      paragraphs: [
        'After 7 or 9, run the same command again. After 10, first run the command from the hint to see what happened; ' +
          'with --key you can run the same command again.',
        'For many companies, if all fail in the same way, svc exits with their code, otherwise with 8.',
      ],
    },
  ],
  examples: ['svc folder exists News || svc folder create --name News'],
  notes: [
    'The help of each command lists its exit codes. Any command can also exit with 1 or 130.',
    'With -o json, an error is one JSON object on stderr that includes the exit code.',
  ],
};
