import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Global flags", "Environment", "Output", "Safety".
export const CI: HelpPage = {
  summary: 'How svc runs in a pipeline, where nobody can be asked',
  usage: 'svc <noun> <verb> --yes --key <token> -o json',
  sections: [
    section(
      'What differs',
      items([
        ['CI', 'Where it is set nothing is asked, nothing is paged, and there is no notice of updates'],
        ['no terminal', 'The same, and no colour and no progress; lists are whole'],
        ['--no-input', 'Says the same where CI is not set'],
      ]),
    ),
    section(
      'What to give',
      items([
        ['SVC_BASE_URL', 'Address of the service'],
        ['SVC_COMPANY_ID, SVC_USER_ID', 'Who is asking; of a partner SVC_PARTNER_ID'],
        ['SVC_API_KEY', 'The key, as a secret of the step that needs it; of a partner SVC_PARTNER_API_KEY'],
        ['SVC_NAMING', "A deployment's own names, as a JSON file"],
        ['--yes', 'Consent to what would be asked: deletes, cancelling, sending at once, Do Not Contact'],
        ['--key <token>', 'The id of the build: the same job run again finds what its first run made'],
        ['-o json', 'Data on stdout, and an error as one JSON object on stderr'],
        ['--timeout <duration>', 'Time limit of a whole call (60s unless it is given)'],
      ]),
    ),
    {
      heading: 'Exit codes',
      paragraphs: [
        '0 is done; 2 is asked wrongly, or --yes was needed and not given; 4 is not there. 7 and 9 are worth another run of the job. 10 is sent and not known: with the same --key the next run finds what was made. svc help exit-codes has all.',
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
      heading: 'A campaign that is a file (svc help campaigns)',
      code: [
        'svc email lint --html-file spring.html --text-file spring.txt --format github',
        'svc plan spring.yaml --out spring.plan --format markdown > plan.md',
        'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json',
      ],
    },
    {
      heading: 'A rehearsal in the job',
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
  notes: ['A local time is read in the zone of the company, wherever the job runs: svc help time.'],
};
