import { readFileSync } from 'node:fs';

/** The requirements of the examples in the documentation, and the examples that cannot run in a test of one process. */

export interface Scene {
  /** Files in the working folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Set for the campaign of examples/campaign, a key that may approve it, and `team.signers`. */
  readonly isCampaign?: true;
  /** Commands that run before the lines of the page. */
  readonly before?: readonly string[];
  /** The exit code of a line, if it is not 0. A line with 130 continues until Ctrl-C. */
  readonly exits?: Readonly<Record<string, number>>;
  /** Lines that ask a person, with the answers. */
  readonly asks?: Readonly<Record<string, readonly boolean[]>>;
}

/** Commands that replace lines with several commands, lines with gaps, and lines with records that the demo company does not have. */
export const STANDS_FOR: Readonly<Record<string, readonly string[]>> = {
  'svc company add 12 --tag uk --tag retail': ['svc company add 12 --tag uk --tag retail --name Twelve'],
  'svc company use 12': ['svc company use 1'],
  'svc profile add prod --base-url https://api.example.com --company 42 --user 7 --api-key-stdin': [
    'svc profile add other --base-url https://api.example.com --company 1 --user 1 --api-key-stdin < key.txt',
  ],
  'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json': [
    'svc approve spring.plan --identity ada --yes',
    'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json',
  ],
  'svc task update 1 --at "tomorrow 09:00"': ['svc task update 5 --at "tomorrow 09:00"'],
  'svc task update 1 --at "2026-12-01 09:00" --tz Europe/London': [
    'svc task update 5 --at "2026-12-11 09:00" --tz Europe/London',
  ],
  'svc promote spring.yaml --from staging --to production --out spring.plan': [
    'svc promote promoted/spring.yaml --from staging --to other-company --out spring.plan',
  ],
  'svc log show 17': ['svc log show 1'],
  'svc undo 17 --dry-run': ['svc undo 1 --dry-run'],
  'message=$(svc email create --name "News $GITHUB_RUN_ID" --key "$GITHUB_RUN_ID" --from news@example.com --from-name "Example Ltd" --reply-to office@example.com --subject News --html-file news.html --text-file news.txt -o id)':
    [
      'message=$(svc email create --name "News $GITHUB_RUN_ID" --key "$GITHUB_RUN_ID" --from news@harbourcoffee.example --from-name "Example Ltd" --reply-to office@example.com --subject News --html-file news.html --text-file news.txt -o id)',
    ],
  'svc task create --name News --key "$GITHUB_RUN_ID" --channel email --message "$message" --list 17 --at "tomorrow 09:00" -o json':
    [
      'svc task create --name News --key "$GITHUB_RUN_ID" --channel email --message "$message" --list 1 --at "tomorrow 09:00" -o json',
    ],
  'svc task create --name News --key "$CI_PIPELINE_ID" --channel email --message News --list 17 --at "tomorrow 09:00"':
    [
      'svc task create --name News --key "$CI_PIPELINE_ID" --channel email --message 1 --list 2 --at "tomorrow 09:00"',
    ],
  'svc task create --name News --key "$GITHUB_RUN_ID" --channel email --message 12 --list 17 --at "tomorrow 09:00" -o json':
    [
      'svc task create --name News --key "$GITHUB_RUN_ID" --channel email --message 1 --list 2 --at "tomorrow 10:00" -o json',
    ],
};

const STARTS = 'it starts a process: test/e2e/sandbox.test.ts does';

/** Makes list 4. */
const LIST_OF_COMPANY_2 = 'svc sandbox list create --name Newsletter --company 2';

/** A campaign that is not tied to a company, so that it can be promoted. */
const PROMOTED = {
  'promoted/spring.yaml': readFileSync('examples/partner/spring.yaml', 'utf8')
    .replace(/\$\{\{ newsletter \}\}/, '1')
    .replace(/\$\{\{ sender \}\}/, 'Harbour')
    .replace(/\$\{\{ language \}\}/, 'english'),
  'promoted/content/english.txt': readFileSync('examples/partner/content/english.txt', 'utf8'),
};

/** Lines that cannot run here, each with its reason or the test that runs it. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'svc sandbox start --detach': STARTS,
  'svc sandbox start --detach --clock manual': STARTS,
  'svc sandbox start --detach --seed demo --clock manual': STARTS,
  'svc agent setup --profile sandbox --sandbox-only':
    'it needs the profile of a running sandbox: test/cli/commands/agent/setup.test.ts',
  'svc mcp --profile sandbox --sandbox-only':
    'it serves an assistant until the assistant ends it: test/e2e/mcp.test.ts',
  'python3 examples/clients/python/campaign.py 1 1 1':
    'it starts Python: test/e2e/example-clients.test.ts does',
  'svc demo': 'it starts a sandbox of its own: test/e2e/demo.test.ts does',
  'svc init --base-url https://api.example.com':
    'it asks six questions: test/e2e/first-run.test.ts answers them',
};

/** The scenes by page of the site. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'guides/about.html': {
    isCampaign: true,
  },
  'commands/log-show.html': { before: ['svc folder create --name Shown'] },
  'commands/log-tail.html': { exits: { 'svc log tail --follow': 130 } },
  'commands/undo.html': { before: ['svc folder update 1 --name Undone'] },
  'commands/why-sms.html': {
    before: ['svc sms send --to 447700900123 --from Shop --message Hello --now --yes'],
  },
  'commands/profile-trust.html': {
    files: { '.svc.json': '{"profile":"sandbox"}' },
    asks: { 'svc profile trust': [true] },
  },
  'commands/profile-untrust.html': {
    files: { '.svc.json': '{"profile":"sandbox"}' },
    before: ['svc profile trust --yes'],
  },
  'commands/company.html': { before: ['svc profile use agency'] },
  'commands/company-show.html': { before: ['svc company add 12 --name Twelve'] },
  'commands/company-add.html': { before: ['svc company remove 12 --yes'] },
  'commands/company-remove.html': { asks: { 'svc company remove 12': [true] } },
  'commands/company-import.html': { files: { 'companies.csv': 'id,name,tags\n1,Harbour,uk\n' } },
  'commands/plan.html': { isCampaign: true, exits: { 'svc plan spring.yaml --check': 11 } },
  'commands/plan-make.html': { exits: { 'svc plan spring.yaml --check': 11 } },
  'commands/plan-show.html': { before: ['svc plan spring.yaml --out spring.plan'] },
  'commands/approve.html': {
    isCampaign: true,
    before: ['svc plan spring.yaml --out spring.plan'],
    asks: { 'svc approve spring.plan --identity ~/.ssh/id_ed25519': [true] },
  },
  'commands/lint.html': { isCampaign: true },
  'commands/promote.html': {
    files: PROMOTED,
    before: [
      'svc profile set staging list.newsletter 1',
      LIST_OF_COMPANY_2,
      'svc profile set other-company list.newsletter 4',
    ],
  },
  'commands/test.html': { isCampaign: true },
  'commands/apply.html': { isCampaign: true, asks: { 'svc apply spring.yaml': [true] } },
  'commands/audit.html': {
    isCampaign: true,
    files: { 'plans/README': '' },
    before: ['svc plan spring.yaml --out plans/spring.plan'],
    exits: { 'svc audit --since 2026-11-01 --plans plans --signers team.signers --check': 11 },
  },
  'commands/rehearse.html': { isCampaign: true },
  'examples/clients.html': { exits: { 'svc sandbox requests --follow': 130 } },
  'topics/campaigns.html': { isCampaign: true },
  // The last example has the literal key 4711, so the run id of the others must differ.
  'topics/ci.html': { isCampaign: true, before: ['export GITHUB_RUN_ID=4712'] },
  'topics/companies.html': {
    before: ['svc profile use agency', 'svc company add 1 --tag uk --name Harbour'],
  },
  'topics/lint.html': { isCampaign: true },
  'topics/time.html': {
    before: ['svc task create --channel email --message 1 --name Later --list 1 --at +2d'],
  },
  'guides/ci.html': {
    isCampaign: true,
    before: ['export GITHUB_STEP_SUMMARY=summary.md GITHUB_RUN_ID=4711 CI_PIPELINE_ID=4712'],
  },
};
