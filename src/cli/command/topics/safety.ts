import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Safety", "Partners and many companies".
export const SAFETY_TOPIC: HelpPage = {
  summary: 'How svc protects you from wrong sends and deletes',
  usage: 'svc <noun> <verb> --dry-run [flags]',
  sections: [
    helpSection(
      'Before a send',
      helpItems([
        ['--dry-run', 'Shows the requests; reads and checks, but changes nothing'],
        [
          'checks',
          'Checks a command before sending it, and reports all errors at once; --no-validate leaves the checks to the service',
        ],
        [
          'times',
          'Rejects times in the past, less than 2 minutes or more than 2 years ahead, and Unix times in milliseconds',
        ],
        ['--now', 'Only this flag sends at once; svc asks first, unless you add --yes'],
        ['time check', "svc always shows the send time on stderr: in UTC, the company's zone and your zone"],
        ['--check-credits', 'Refuses to send if the balance is too low; without the flag, svc only warns'],
        [
          '--expect-size <from..to>',
          'Cancels the new task (exit 2) if its size is outside the range; the send time must be at least 5 minutes ahead',
        ],
        [
          'budget.…',
          'Profile settings that limit recipients, credits and tasks per day, and the hours and weekdays of sends (exit 2)',
        ],
        [
          '--hold <duration>',
          'Counts down after creating the task; Ctrl-C or closing the terminal cancels the task',
        ],
      ]),
    ),
    helpSection(
      'When svc asks for confirmation (in scripts, add --yes)',
      helpItems([
        ['delete', 'svc asks before each delete; you must also give an id or a name'],
        ['task cancel', 'Cannot be undone'],
        [
          'dnc add, dnc import',
          'svc asks first: when you add an address to Do Not Contact, the service deletes all subscribers with this address',
        ],
        [
          'a whole domain',
          'Before svc adds a domain, you must type the domain again; in scripts, use --yes and --domain-ok',
        ],
        [
          'dnc remove',
          'svc asks first: an address that you remove from Do Not Contact can receive messages again',
        ],
        [
          '--companies',
          'Changes need --write; on a terminal, you also confirm by typing how many companies there are',
        ],
      ]),
    ),
    helpSection(
      'If a response is lost',
      helpItems([
        [
          'GET, PUT, DELETE',
          'svc repeats a GET, PUT or DELETE after network errors, 429, 502, 503 and 504, with a new signature',
        ],
        [
          'POST',
          'svc repeats a POST only if it did not reach the service or got 429. Otherwise, svc checks whether the record was created',
        ],
        [
          'not created',
          'If svc does not find the record, it repeats a POST of dnc or subscriber-data. After any other POST, svc exits 10',
        ],
        [
          '--key <token>',
          'Idempotency key: a repeated job finds the record of the first run and creates no second one',
        ],
        [
          '--settle <duration>',
          'After a lost response, how long svc checks whether the service created the record',
        ],
      ]),
    ),
    helpSection(
      'Undo',
      helpItems([
        ['journal', 'The journal records each dnc add and each delete before svc sends it'],
        ['svc undo', 'Undoes the last change, if possible'],
        ['svc task undo', 'Cancels the last task that this profile created'],
        ['svc task guard', 'Cancels a task if too many recipients bounce or complain'],
      ]),
    ),
    helpSection(
      'Which account',
      helpItems([
        [
          'keys',
          'svc sends an API key only to the origin (address) that it belongs to; no flag takes an API key',
        ],
        ['partners', "Before the first write, svc prints the company's id and name"],
        ['require-company', 'Profile setting: every command must name a company'],
        ['read-only', 'Profile setting: blocks every write (exit 2)'],
      ]),
    ),
  ],
  examples: ['svc task create --channel email --message 1 --name Q4 --list 1 --at +1d --dry-run'],
  notes: [
    'After Ctrl-C, svc finishes the current request, prints the result and exits 130. It exits 10 if it cannot tell whether something was sent, and 5 if it could not cancel a send.',
  ],
};
