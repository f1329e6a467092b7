import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Campaigns as files".
export const CAMPAIGNS: HelpPage = {
  summary: 'How a campaign is kept as a file, planned, and applied',
  usage: 'svc plan <file> [flags]; svc apply <plan or file> [flags]',
  sections: [
    section(
      'Steps',
      items([
        ['svc plan FILE', 'Compares the file with the service and shows what would be done. Writes nothing'],
        ['svc plan FILE --out PLAN', 'Keeps the plan: its contents, its times, and a digest over all of it'],
        [
          'svc approve PLAN',
          'Compares that plan with its files and the service, and signs it with an SSH key',
        ],
        ['svc plan show PLAN', 'Shows that plan, and who has approved it'],
        ['svc apply PLAN', 'Does that plan, and refuses where what it rests on has changed'],
        ['svc apply FILE', 'Plans and does it in one'],
        ['svc export DIR', 'Writes what is there as such a file, with its contents beside it'],
        [
          'svc email pull ID',
          'Writes the parts of one message to files; svc email push FILE sends them back',
        ],
      ]),
    ),
    section(
      'Approvals',
      items([
        [
          'approve --identity KEYFILE',
          'The key to sign with; the only one of ssh-agent, git and ~/.ssh unless given',
        ],
        [
          'approve --offline',
          'Compares the plan with its files alone; counts only with apply --allow-offline',
        ],
        ['apply --approvals N', 'Refuses without the approvals of N people, of this plan, before it expires'],
        ['--signers FILE', "Who may approve: a line for each key, in the format of git's allowed_signers"],
        ['require-approvals', 'In a profile (svc profile set): demands them whatever the flags'],
      ]),
    ),
    section(
      'What becomes of an item',
      items([
        ['create', 'It is made'],
        ['change', 'It is changed'],
        [
          'replace',
          "It can't be changed: a new version of a message, a task that is cancelled and made again",
        ],
        ['keep', 'It is as the file says'],
        [
          'blocked',
          'Its state or its time forbids it, it would send twice, or somebody changed it; nothing is done',
        ],
        ['cancel', 'With --prune: the file no longer names it, so it is cancelled or deleted'],
        ['orphaned', 'The file no longer names it; it is left'],
      ]),
    ),
  ],
  examples: ['svc plan spring.yaml --out spring.plan'],
  notes: [
    'In a pipeline a pull request is planned with --format markdown, and a merge applies the plan that was approved: svc help ci.',
    'Run again after a crash, or on another machine, apply goes on where it was: a mark at the end of each name says whose it is, and nothing else is kept.',
    'In an exported file id says which record an item is, and hash what it came to then. It is kept as it is until the file changes, and gets the mark of the campaign then. What another campaign has made is never changed.',
    'A plan shows what lint finds. apply writes and sends no message with errors unless --allow-lint-errors says so; a message that stays as it is stops nothing.',
    'A record that lost its mark blocks an item that does the same: --adopt KEY=ID says that it is that item, of a rule --adopt KEY=click:3.',
    'The same message is not sent twice to one list at one time, whatever key or campaign: --both says that both sends are meant.',
    'Files of one campaign are planned together: svc plan FILE FILE. An edited relative time, such as +6d, counts from now.',
    'A change by hand is never written over, unless --overwrite says so. A task that was cancelled by hand is not made again by itself.',
  ],
};
