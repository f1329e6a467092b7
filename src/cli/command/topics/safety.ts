import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Safety", "Partners and many companies".
export const SAFETY: HelpPage = {
  summary: 'What svc refuses, asks and records, so that nothing is sent or deleted by mistake',
  usage: 'svc <noun> <verb> --dry-run [flags]',
  sections: [
    section(
      'Before anything is sent',
      items([
        ['--dry-run', 'Shows what would be sent; reads, checks, and changes nothing'],
        [
          'checks',
          'All faults at once, by the rules of the interface; --no-validate leaves them to the service',
        ],
        ['times', 'Past, less than 2 minutes or more than 2 years ahead, or in milliseconds: refused'],
        ['--now', 'The only way to send at once; asks, or needs --yes'],
        ['truth of a time', "UTC, the company's zone and yours, weekday, how far from now: always on stderr"],
        ['--check-credits', 'Refuses, not warns, where the balance does not pay for the send'],
        [
          '--expect-size <from..to>',
          'Cancels the new task where its size lies outside (exit 2); at least 5 minutes ahead',
        ],
        ['--hold <duration>', 'Counts down first; Ctrl-C or a closed terminal cancels the task'],
      ]),
    ),
    section(
      'What asks, and needs --yes elsewhere',
      items([
        ['delete', 'Every one, and it is never sent without an id or what names the record'],
        ['task cancel', 'It cannot be taken back'],
        ['dnc add, dnc import', 'The service deletes the subscribers that match'],
        ['a whole domain', 'Has to be typed; elsewhere --yes and --domain-ok'],
        ['dnc remove', 'Somebody may get messages again'],
        ['--companies', 'What writes needs --write; a terminal asks for the number of companies'],
      ]),
    ),
    section(
      'After a lost answer',
      items([
        ['GET, PUT, DELETE', 'Sent again after network errors, 429, 502, 503 and 504, each signed anew'],
        [
          'POST',
          'Sent again only where it did not arrive, or 429 refused it; else what it made is looked for',
        ],
        [
          'not found',
          'Rows of dnc and subscriber-data are sent again; all else is exit 10, and the hint says what to check',
        ],
        ['--key <token>', 'A job that is run again finds what it made, and makes no second'],
        ['--settle <duration>', 'How long a lost request is waited for before it is looked for'],
      ]),
    ),
    section(
      'What can be taken back',
      items([
        ['journal', 'What goes is written to it before dnc add and every delete: svc log list'],
        ['svc undo', 'Takes the last change back, where it can be'],
        ['svc task undo', 'Cancels the last task that this profile made'],
        ['svc task guard', 'Cancels a task whose bounces or complaints pass a limit'],
      ]),
    ),
    section(
      'Whose account',
      items([
        ['keys', 'Belong to one origin and are never sent to another; never given by a flag'],
        ['partners', 'stderr says the company by id and name before the first write'],
        ['require-company', 'Setting of a profile: the company has to be given each time'],
        ['read-only', 'Setting of a profile: no write leaves it, whatever the flags (exit 2)'],
      ]),
    ),
  ],
  examples: ['svc task create --channel email --message 1 --name Q4 --list 1 --at +1d --dry-run'],
  notes: [
    'Ctrl-C finishes the request in flight, writes what is known, and exits 130; 10 or 5 where a send is left in doubt or could not be cancelled.',
  ],
};
