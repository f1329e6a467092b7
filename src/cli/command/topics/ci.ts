import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Global flags", "Environment", "Output", "Safety".
export const CI_TOPIC: HelpPage = {
  summary: 'Run svc in a pipeline, without a person to answer prompts',
  usage: 'svc <noun> <verb> --yes --key <token> -o json',
  sections: [
    helpSection(
      'What is different',
      helpItems([
        ['CI', 'If set: no prompts, no pager and no check for updates'],
        [
          'no terminal',
          'Without a terminal, svc acts as if CI were set, shows no color or progress, and lists all rows',
        ],
        ['--no-input', 'Never prompts, even on a terminal'],
      ]),
    ),
    helpSection(
      'What to set',
      helpItems([
        ['SVC_BASE_URL', 'Address of the service'],
        [
          'SVC_COMPANY_ID, SVC_USER_ID',
          'Ids of the company and its user; a partner also sets SVC_PARTNER_ID',
        ],
        ['SVC_API_KEY', 'API key, as a secret of the CI step; for a partner, SVC_PARTNER_API_KEY'],
        ['SVC_NAMING', 'JSON file with the names of HTTP headers and attributes that your service uses'],
        ['--yes', 'Confirms deletes, cancellations, immediate sends and changes of Do Not Contact'],
        [
          '--key <token>',
          'Idempotency key, such as the build id: a repeated job finds the record that the first run created',
        ],
        ['-o json', 'Prints data on stdout, and an error as one JSON object on stderr'],
        ['--timeout <duration>', 'Time limit for a request and its retries (default: 60s)'],
      ]),
    ),
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
