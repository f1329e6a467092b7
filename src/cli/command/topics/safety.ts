import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Safety", "Partners and many companies".
export const SAFETY: HelpPage = {
  summary: 'How svc protects you from wrong sends and deletes',
  usage: 'svc <noun> <verb> --dry-run [flags]',
  sections: [
    helpSection(
      'Before a send',
      helpItems([
        ['--dry-run', 'Shows what would be sent; reads and checks, but changes nothing'],
        ['checks', 'Reports all faults at once; --no-validate leaves checking to the service'],
        [
          'times',
          'Rejects times in the past, less than 2 minutes or more than 2 years ahead, or in milliseconds',
        ],
        ['--now', 'The only way to send at once; asks first, or needs --yes'],
        ['time check', "Always shows the time in UTC, the company's zone and yours on stderr"],
        ['--check-credits', 'Refuses to send, instead of warning, if the balance is too low'],
        [
          '--expect-size <from..to>',
          'Cancels the new task if its size is outside the range (exit 2); needs 5 minutes',
        ],
        ['budget.…', 'Profile settings: limit recipients, credits, tasks, hours and days (exit 2)'],
        ['--hold <duration>', 'Counts down first; Ctrl-C or closing the terminal cancels the task'],
      ]),
    ),
    helpSection(
      'Prompts (--yes in scripts)',
      helpItems([
        ['delete', 'Every delete, which also needs an id or a name'],
        ['task cancel', 'Cannot be undone'],
        ['dnc add, dnc import', 'The service deletes matching subscribers'],
        ['a whole domain', 'Type the domain; in scripts, --yes and --domain-ok'],
        ['dnc remove', 'The address can receive messages again'],
        ['--companies', 'Changes need --write; on a terminal, type the number of companies'],
      ]),
    ),
    helpSection(
      'If a response is lost',
      helpItems([
        ['GET, PUT, DELETE', 'Retried after network errors, 429, 502, 503 and 504, with a new signature'],
        ['POST', 'Retried only if they did not arrive or got 429; otherwise svc looks for the record'],
        ['not found', 'Rows of dnc and subscriber-data are sent again; anything else exits 10 with a hint'],
        ['--key <token>', 'A job that runs again finds the record and creates no second one'],
        ['--settle <duration>', 'How long svc waits before it looks for a lost request'],
      ]),
    ),
    helpSection(
      'Undo',
      helpItems([
        ['journal', 'Records each dnc add and delete before it happens: svc log list'],
        ['svc undo', 'Undoes the last change, if possible'],
        ['svc task undo', 'Cancels the last task that this profile created'],
        ['svc task guard', 'Cancels a task if too many recipients bounce or complain'],
      ]),
    ),
    helpSection(
      'Which account',
      helpItems([
        ['keys', 'A key belongs to one origin and is never sent to another; no flag takes a key'],
        ['partners', "svc prints the company's id and name before the first write"],
        ['require-company', 'Profile setting: every command needs a company'],
        ['read-only', 'Profile setting: blocks every write (exit 2)'],
      ]),
    ),
  ],
  examples: ['svc task create --channel email --message 1 --name Q4 --list 1 --at +1d --dry-run'],
  notes: [
    'Ctrl-C finishes the current request, prints the result, and exits 130. It exits 10 or 5 if a send is in doubt ' +
      'or could not be cancelled.',
  ],
};
