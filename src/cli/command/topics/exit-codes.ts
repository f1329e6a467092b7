import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { EXIT_MEANINGS } from '../exit-meanings.ts';
import type { HelpPage } from '../help-page.ts';
import { section } from './section.ts';

const CODES: readonly ExitCode[] = Object.values(EXIT).sort((a, b) => a - b);

// Contract, "Output": the table of exit codes.
export const EXIT_CODES: HelpPage = {
  summary: 'What the exit code says',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    section(
      'Exit codes',
      CODES.map((code) => ({ term: String(code), text: EXIT_MEANINGS[code] })),
    ),
    {
      heading: 'What to do',
      paragraphs: [
        'After 7 and 9 the same command can be run again. After 10 it must not be, unless it has --key, before the command that the hint shows has told whether it was done.',
        'Over many companies, where all fail alike, the exit code is their own; else it is 8.',
      ],
    },
  ],
  examples: ['svc folder exists News || svc folder create --name News'],
  notes: [
    'The page of each command names those that it can end with. Any command can end with 1 and 130, which are named only where they mean something of their own.',
    'With -o json an error is one JSON object on stderr, with the exit code in it.',
  ],
};
