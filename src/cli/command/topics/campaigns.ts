import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Campaigns as files".
export const CAMPAIGNS_TOPIC: HelpPage = {
  summary: 'Keep a campaign in a file; plan, approve and apply it',
  usage: 'svc plan <file> [flags]; svc apply <plan or file> [flags]',
  sections: [
    helpSection(
      'Steps',
      helpItems([
        ['svc plan FILE', 'Compares the file with the service and shows the changes. Writes nothing'],
        ['svc plan FILE --out PLAN', 'Saves the plan to a file, with message contents, times and a digest'],
        [
          'svc approve PLAN',
          'Compares the plan with its files and the service, and signs it with an SSH key',
        ],
        ['svc plan show PLAN', 'Shows the plan, and who has approved it'],
        [
          'svc apply PLAN',
          'Applies the plan, unless the campaign files or the records in the service have changed since the plan was made',
        ],
        ['svc apply FILE', 'Plans and applies in one step'],
        ['svc export DIR', 'Writes existing records to a campaign file, with their contents'],
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
          'Compares the plan with its files, but not with the service; svc apply accepts this approval only with --allow-offline',
        ],
        ['apply --approvals N', 'Applies the plan only if N people have approved it'],
        [
          '--signers FILE',
          "File that says who may approve: one key per line, in git's allowed_signers format",
        ],
        [
          'require-approvals',
          'Profile setting (see svc profile set): number of people who must approve a plan before svc applies it',
        ],
      ]),
    ),
    helpSection(
      'Actions in a plan',
      helpItems([
        ['create', 'Creates the item'],
        ['change', 'Changes the item'],
        ['replace', 'Creates a new version of a message, or cancels a task and creates it again'],
        ['keep', 'No change, because the item is up to date'],
        [
          'blocked',
          'No change, for one of these reasons: the state or send time of the record forbids it, the message would go out twice, or somebody changed the record by hand',
        ],
        ['cancel', 'With --prune: deletes or cancels a record whose item is no longer in the file'],
        ['orphaned', 'The item is no longer in the file, but its record is kept'],
      ]),
    ),
  ],
  examples: ['svc plan spring.yaml --out spring.plan'],
  notes: [
    'In a pipeline, run svc plan --format markdown for each pull request, and run svc apply for the approved plan after the merge. See svc help ci.',
    'After a crash, or on another machine, run apply again. svc finds each record by the mark at the end of its name, and continues.',
    'In an exported file, the id of an item names its record in the service, and hash is a fingerprint of the exported content. When you edit the item and apply the file, svc adds a mark such as [svc-…] to the name of the record. The mark shows that the record belongs to the campaign. svc never changes records of another campaign.',
    'A plan shows the problems that lint finds. If a message has lint errors, svc apply creates or changes it only with --allow-lint-errors. svc apply ignores lint errors in messages that it does not change.',
    'If a record that svc apply did not create already does the same as an item of the file, svc blocks the item. ' +
      'To use this record for the item, add --adopt with the key of the item and the id of the record, such as --adopt spring=7. ' +
      'For a rule, write the kind before the id, such as --adopt welcome=click:3.',
    'svc does not send the same message to the same list at the same time twice, even from two campaigns. To send it twice anyway, use --both.',
    'To plan all files of a campaign together, run svc plan FILE FILE.',
    'A relative send time such as +6d counts from the moment when svc makes the plan. After svc apply creates the task, its send time stays the same until you change the relative time in the file.',
    'svc never overwrites a change by hand without --overwrite. It does not recreate a task that somebody ' +
      'cancelled.',
  ],
};
