/** Topics of `svc help` about sending: safety, campaigns, companies and CI. */

import { companiesFlags } from '../companies-flags.ts';
import { describeFlag } from '../flag.ts';
import { type HelpPage, helpSection } from '../help-page.ts';

// Contract, "Safety", "Partners and many companies".
export const SAFETY_TOPIC: HelpPage = {
  summary: 'How svc protects you from wrong sends and deletes',
  usage: 'svc <noun> <verb> --dry-run [flags]',
  sections: [
    helpSection('Before a send', {
      '--dry-run': 'Shows the requests; reads and checks, but changes nothing',
      checks:
        'Checks a command before sending it, and reports all errors at once; --no-validate leaves the checks to the service',
      times:
        'Rejects times in the past, less than 2 minutes or more than 2 years ahead, and Unix times in milliseconds',
      '--now': 'Only this flag sends at once; svc asks first, unless you add --yes',
      'time check': "svc always shows the send time on stderr: in UTC, the company's zone and your zone",
      '--check-credits': 'Refuses to send if the balance is too low; without the flag, svc only warns',
      '--expect-size <from..to>':
        'Cancels the new task (exit 2) if its size is outside the range; the send time must be at least 5 minutes ahead',
      'budget.…':
        'Profile settings that limit recipients, credits and tasks per day, and the hours and weekdays of sends; see svc help budget',
      '--hold <duration>':
        'Counts down after creating the task; Ctrl-C or closing the terminal cancels the task',
    }),
    helpSection('When svc asks for confirmation (in scripts, add --yes)', {
      delete: 'svc asks before each delete; you must also give an id or a name',
      'task cancel': 'Cannot be undone',
      'dnc add, dnc import':
        'svc asks first: when you add an address to Do Not Contact, the service deletes all subscribers with this address',
      'a whole domain':
        'Before svc adds a domain, you must type the domain again; in scripts, use --yes and --domain-ok',
      'dnc remove':
        'svc asks first: an address that you remove from Do Not Contact can receive messages again',
      '--companies':
        'Changes need --write; on a terminal, you also confirm by typing how many companies there are',
    }),
    helpSection('If a response is lost', {
      'GET, PUT, DELETE':
        'svc repeats a GET, PUT or DELETE after network errors, 429, 502, 503 and 504, with a new signature',
      POST: 'svc repeats a POST only if it did not reach the service or got 429. Otherwise, svc checks whether the record was created',
      'not created':
        'If svc does not find the record, it repeats a POST of dnc or subscriber-data. After any other POST, svc exits 10',
      '--key <token>':
        'Idempotency key: a repeated job finds the record of the first run and creates no second one',
      '--settle <duration>':
        'After a lost response, how long svc checks whether the service created the record',
    }),
    helpSection('Undo', {
      journal: 'The journal records each dnc add and each delete before svc sends it',
      'svc undo': 'Undoes the last change, if possible',
      'svc task undo': 'Cancels the last task that this profile created',
      'svc task guard': 'Cancels a task if too many recipients bounce or complain',
    }),
    helpSection('Which account', {
      keys: 'svc sends an API key only to the origin (address) that it belongs to; no flag takes an API key',
      partners: "Before the first write, svc prints the company's id and name",
      'require-company': 'Profile setting: every command must name a company',
      'read-only': 'Profile setting: blocks every write (exit 2)',
    }),
  ],
  examples: ['svc task create --channel email --message 1 --name Q4 --list 1 --at +1d --dry-run'],
  notes: [
    'After Ctrl-C, svc finishes the current request, prints the result and exits 130. It exits 10 if it cannot tell whether something was sent, and 5 if it could not cancel a send.',
  ],
};

// Contract, "Budgets".
export const BUDGET_TOPIC: HelpPage = {
  summary: 'Limit what a profile sends in a day, and when it sends',
  usage: 'svc profile set <name> budget.<setting> <value>',
  sections: [
    helpSection('Settings', {
      'budget.recipients-per-day': 'Recipients of all tasks and single SMS of a day, such as 50000',
      'budget.credits-per-day': 'Credits of a day',
      'budget.tasks-per-day': 'Tasks of a day',
      'budget.hours': 'When sends may start, such as 08:00-20:00; the last time is excluded',
      'budget.days': 'Days on which sends may start: weekdays, mon-fri, or mon,wed,fri',
    }),
    helpSection('What counts', {
      day: "The day in the company's time zone on which the send is due",
      'each company': 'Each profile and each company counts separately',
      'already scheduled':
        'When you set a budget, it counts the tasks that this profile has scheduled from this machine',
      cancelled: 'A task that you cancel before it begins no longer counts',
      'not counted':
        'Messages that rules send, sends with other profiles or from other machines, and single SMS before the budget was set',
    }),
    helpSection('If a send does not fit', {
      'exit 2': 'svc sends nothing, and the error shows the limit, what is used and what the send needs',
      '--now': 'A budget of recipients or credits refuses it: the send time must be at least 3 minutes ahead',
      'svc api': 'Sends nothing with a profile that has a budget',
    }),
  ],
  examples: ['svc profile set prod budget.recipients-per-day 50000'],
  notes: [
    'To show the budget of a profile, run svc profile show prod. To remove a setting, give an empty value: svc profile set prod budget.hours "". svc asks before you remove or raise a limit.',
  ],
};

// Contract, "Campaigns as files".
export const CAMPAIGNS_TOPIC: HelpPage = {
  summary: 'Keep a campaign in a file; plan, approve and apply it',
  usage: 'svc plan <file> [flags]; svc apply <plan or file> [flags]',
  sections: [
    helpSection('Steps', {
      'svc plan FILE': 'Compares the file with the service and shows the changes. Writes nothing',
      'svc plan FILE --out PLAN': 'Saves the plan to a file, with message contents, times and a digest',
      'svc approve PLAN': 'Compares the plan with its files and the service, and signs it with an SSH key',
      'svc plan show PLAN': 'Shows the plan, and who has approved it',
      'svc apply PLAN':
        'Applies the plan, unless the campaign files or the records in the service have changed since the plan was made',
      'svc apply FILE': 'Plans and applies in one step',
      'svc export DIR': 'Writes existing records to a campaign file, with their contents',
      'svc email pull ID': 'Downloads a message to files; svc email push FILE uploads them',
    }),
    helpSection('Approvals', {
      'approve --identity KEYFILE': 'Key to sign with; default: your only key in ssh-agent, git and ~/.ssh',
      'approve --offline':
        'Compares the plan with its files, but not with the service; svc apply accepts this approval only with --allow-offline',
      'apply --approvals N': 'Applies the plan only if N people have approved it',
      '--signers FILE': "File that says who may approve: one key per line, in git's allowed_signers format",
      'require-approvals':
        'Profile setting (see svc profile set): number of people who must approve a plan before svc applies it',
    }),
    helpSection('Actions in a plan', {
      create: 'Creates the item',
      change: 'Changes the item',
      replace: 'Creates a new version of a message, or cancels a task and creates it again',
      rename:
        'Gives the record the mark of its new key (renamed-from); what is sent, to whom and when stays the same',
      keep: 'No change, because the item is up to date',
      blocked:
        'No change, for one of these reasons: the state or send time of the record forbids it, the message would go out twice, or somebody changed the record by hand',
      cancel: 'With --prune: deletes or cancels a record whose item is no longer in the file',
      orphaned: 'The item is no longer in the file, but its record is kept',
    }),
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

// Contract, "Partners and many companies".
export const COMPANIES_TOPIC: HelpPage = {
  summary: 'Run one command for many companies, as a partner',
  usage: 'svc <noun> <verb> --companies <selector> [flags]',
  sections: [
    helpSection('Selectors that choose companies, separated by commas', {
      '12, "Harbour Coffee"': 'A company by its id or name; svc company list shows both',
      'tag:uk': 'All companies with this tag',
      all: 'All companies that svc company list shows',
      '@FILE': 'A file with one id or name per line',
      '!12, !tag:closed': 'Excludes a company; can be anywhere in the list',
    }),
    {
      heading: 'Flags',
      items: companiesFlags.map((flag) => ({
        term: `--${flag.name}${flag.value === undefined ? '' : ` <${flag.value}>`}`,
        text: describeFlag(flag),
      })),
    },
  ],
  examples: ['svc folder list --companies tag:uk -o json'],
  notes: [
    'Each row begins with company_id and company. If the command fails for a company, the error goes to stderr, svc continues with the next company, and the exit code is 8.',
    'Commands that write need --write. svc then asks you to type the number of companies. With --yes, svc does not ask.',
  ],
};

// Contract, "Global flags", "Environment", "Output", "Safety".
export const CI_TOPIC: HelpPage = {
  summary: 'Run svc in a pipeline, without a person to answer prompts',
  usage: 'svc <noun> <verb> --yes --key <token> -o json',
  sections: [
    helpSection('What is different', {
      CI: 'If set: no prompts, no pager and no check for updates',
      'no terminal':
        'Without a terminal, svc acts as if CI were set, shows no color or progress, and lists all rows',
      '--no-input': 'Never prompts, even on a terminal',
    }),
    helpSection('What to set', {
      SVC_BASE_URL: 'Address of the service',
      'SVC_COMPANY_ID, SVC_USER_ID': 'Ids of the company and its user; a partner also sets SVC_PARTNER_ID',
      SVC_API_KEY: 'API key, as a secret of the CI step; for a partner, SVC_PARTNER_API_KEY',
      SVC_NAMING: 'JSON file with the names of HTTP headers and attributes that your service uses',
      '--yes': 'Confirms deletes, cancellations, immediate sends and changes of Do Not Contact',
      '--key <token>':
        'Idempotency key, such as the build id: a repeated job finds the record that the first run created',
      '-o json': 'Prints data on stdout, and an error as one JSON object on stderr',
      '--timeout <duration>': 'Time limit for a request and its retries (default: 60s)',
    }),
    {
      heading: 'Exit codes',
      paragraphs: [
        '0: success. 2: usage error, or --yes is missing. 4: not found. 7 or 9: run the job again. 10: outcome unknown; if you run the job again with the same --key, svc finds the record that the first run created. See svc help exit-codes.',
      ],
    },
    {
      heading: 'A step of GitHub Actions',
      code: [
        '- name: Schedule the newsletter',
        '  run: >-',
        '    svc task create --name News --key "$GITHUB_RUN_ID" --channel email',
        '    --message 12 --list 17 --at "tomorrow 09:00" -o json',
        '  env:',
        '    SVC_BASE_URL: https://api.example.com',
        '    SVC_COMPANY_ID: "42"',
        '    SVC_USER_ID: "7"',
        `    SVC_API_KEY: \${{ secrets.SVC_API_KEY }}`,
      ],
    },
    {
      heading: 'A campaign file (svc help campaigns)',
      code: [
        'svc email lint --html-file spring.html --text-file spring.txt --format github',
        'svc plan spring.yaml --out spring.plan --format markdown > plan.md',
        'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json',
      ],
    },
    {
      heading: 'A rehearsal in the pipeline',
      code: [
        'svc sandbox start --detach --clock manual',
        'svc task create --name News --channel email --message 1 --list 1 --at +1d',
        'svc sandbox clock advance 2d',
        'svc sandbox outbox list -o json',
        'svc sandbox stop',
      ],
    },
  ],
  examples: ['svc task create --channel email --message 1 --name News --list 1 --at +1d --key 4711 -o json'],
  notes: ["svc reads local times in the company's zone, wherever the job runs. See svc help time."],
};
