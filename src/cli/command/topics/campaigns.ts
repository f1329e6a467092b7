import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Campaigns as files".
export const CAMPAIGNS: HelpPage = {
  summary: 'Keep a campaign in a file; plan, approve and apply it',
  usage: 'svc plan <file> [flags]; svc apply <plan or file> [flags]',
  sections: [
    helpSection(
      'Steps',
      helpItems([
        ['svc plan FILE', 'Compares the file with the service and shows the changes. Writes nothing'],
        ['svc plan FILE --out PLAN', 'Saves the plan, with contents, times and a digest of all of them'],
        [
          'svc approve PLAN',
          'Compares the plan with its files and the service, and signs it with an SSH key',
        ],
        ['svc plan show PLAN', 'Shows the plan, and who has approved it'],
        ['svc apply PLAN', 'Applies the plan, unless its files or the records have changed since'],
        ['svc apply FILE', 'Plans and applies in one step'],
        ['svc export DIR', 'Writes existing records as a campaign file, with their contents'],
        ['svc email pull ID', 'Downloads a message to files; svc email push FILE uploads them'],
      ]),
    ),
    helpSection(
      'Approvals',
      helpItems([
        [
          'approve --identity KEYFILE',
          'Key to sign with; default: your only key in ssh-agent, git and ~/.ssh',
        ],
        [
          'approve --offline',
          'Compares the plan with its files only; counts only with apply --allow-offline',
        ],
        ['apply --approvals N', 'Applies the plan only if N people have approved it'],
        ['--signers FILE', "Who may approve: one key per line, in git's allowed_signers format"],
        ['require-approvals', 'Profile setting (svc profile set) that always requires approvals'],
      ]),
    ),
    helpSection(
      'Actions in a plan',
      helpItems([
        ['create', 'Creates the item'],
        ['change', 'Changes the item'],
        ['replace', 'Creates a new version of a message, or cancels a task and creates it again'],
        ['keep', 'The item is up to date'],
        [
          'blocked',
          'No change: the state or time does not allow it, it would send twice, or somebody changed it by hand',
        ],
        ['cancel', 'With --prune: the item is no longer in the file and is deleted or cancelled'],
        ['orphaned', 'The item is no longer in the file; its record is kept'],
      ]),
    ),
  ],
  examples: ['svc plan spring.yaml --out spring.plan'],
  notes: [
    'In a pipeline, plan pull requests with --format markdown and apply the approved plan on merge: svc help ci.',
    'After a crash, or on another machine, run apply again: it continues, because a mark at the end of each name ' +
      'identifies the record.',
    'In an exported file, id names the record of an item and hash its exported content. When you edit such an item, its record gets the mark of the campaign. svc never changes records of another campaign.',
    'A plan shows lint findings. apply sends no message with lint errors unless you add --allow-lint-errors; ' +
      'unchanged messages never block it.',
    'A record without a mark blocks an item that would do the same as the record. To use the record for the item, add --adopt KEY=ID, for a rule --adopt ' +
      'KEY=click:3.',
    'svc does not send one message twice to a list at the same time, even from two campaigns. To send twice anyway, ' +
      'use --both.',
    'To plan all files of a campaign together, run svc plan FILE FILE. Relative times such as +6d count from now ' +
      'when you edit them.',
    'svc never overwrites a change by hand without --overwrite. It does not recreate a task that somebody ' +
      'cancelled.',
  ],
};
