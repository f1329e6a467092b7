import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { EXIT_MEANINGS } from '../exit-meanings.ts';
import type { HelpPage } from '../help-page.ts';
import { section } from './section.ts';

const CODES: readonly ExitCode[] = Object.values(EXIT).sort((a, b) => a - b);

// Contract, "Output": the table of exit codes.
export const EXIT_CODES: HelpPage = {
  summary: 'What each exit code means',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    section(
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
