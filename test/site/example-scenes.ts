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
  /** Lines that ask a person, with the answers. `KEY` is the key of the demo company. */
  readonly asks?: Readonly<Record<string, readonly (string | boolean)[]>>;
}

/** Commands that replace lines with several commands, lines with gaps, and lines with records that the demo company does not have. */
export const STANDS_FOR: Readonly<Record<string, readonly string[]>> = {
  'svc init --base-url https://api.example.com --company 42 --user 7 --profile prod --api-key-stdin < key.txt':
    [
      'svc init --base-url https://api.example.com --company 1 --user 1 --profile first --api-key-stdin < key.txt',
    ],
  'svc profile add second --base-url https://api.example.com --company 43 --user 9': [
    'svc profile add second --base-url https://api.example.com --company 1 --user 1',
  ],
  'svc task watch Sale': ['svc task watch 2'],
  'svc task guard Sale --max-bounce 5% --max-complaint 0.1% --then cancel': [
    'svc task guard 2 --max-bounce 5% --max-complaint 0.1% --then cancel',
  ],
  'svc company add 12 --tag uk --tag retail': ['svc company add 12 --tag uk --tag retail --name Twelve'],
  'svc company use 12': ['svc company use 1'],
  'svc profile set sandbox-partner require-company true': ['svc profile set agency require-company true'],
  'svc profile add prod --base-url https://api.example.com --company 42 --user 7 --api-key-stdin': [
    'svc profile add other --base-url https://api.example.com --company 1 --user 1 --api-key-stdin < key.txt',
  ],
  'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json': [
    'svc approve spring.plan --identity ada --yes',
    'svc apply spring.plan --approvals 1 --signers team.signers --yes -o json',
  ],
  'svc apply campaigns/spring.plan --approvals 1 --signers team.signers --yes --format markdown >> "$GITHUB_STEP_SUMMARY"':
    [
      'svc approve campaigns/spring.plan --identity ada --yes',
      'svc apply campaigns/spring.plan --approvals 1 --signers team.signers --yes --format markdown >> "$GITHUB_STEP_SUMMARY"',
    ],
  'svc task update 1 --at "tomorrow 09:00"': ['svc task update 5 --at "tomorrow 09:00"'],
  'svc task update 1 --at "2026-12-01 09:00" --tz Europe/London': [
    'svc task update 5 --at "2026-12-11 09:00" --tz Europe/London',
  ],
  'svc profile set staging list.newsletter 7': ['svc profile set staging list.newsletter 1'],
  'svc profile set production list.newsletter 21': ['svc profile set other-company list.newsletter 4'],
  'svc promote spring.yaml --from staging --to production --out spring.plan': [
    'svc promote promoted/spring.yaml --from staging --to other-company --out spring.plan',
  ],
  'svc promote spring.yaml --from staging --to production --out production.plan': [
    'svc promote promoted/spring.yaml --from staging --to other-company --out production.plan',
  ],
  'svc approve production.plan --profile production': ['svc approve production.plan --profile other-company'],
  'svc apply production.plan --profile production': ['svc apply production.plan --profile other-company'],
  'svc plan spring.yaml --companies tag:uk --values values.yaml --out spring': [
    'svc plan partner/spring.yaml --companies tag:uk --values partner/values.yaml --out spring',
  ],
  'svc rehearse spring.yaml --companies tag:uk --values values.yaml': [
    'svc rehearse partner/spring.yaml --companies tag:uk --values partner/values.yaml',
  ],
  'svc log show 17': ['svc log show 1'],
  'svc undo': ['svc folder update 1 --name Undone', 'svc undo'],
  'svc undo 17 --dry-run': ['svc undo 1 --dry-run'],
  'svc sandbox requests --explain 12': ['svc folder list', 'svc sandbox requests --explain 1'],
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

const PACKED = 'it packs and installs svc: test/package.e2e.test.ts and .ci/packed do';
const HOMEBREW = 'it needs Homebrew: test/release/managers.test.ts reads the formula';
const PACKAGES = 'it needs root and a release: .ci/packages installs, uses and removes the packages';
const CHECKOUT = 'it works on a checkout: .ci/run does the same';
const RELEASE = 'it makes or checks a release: test/release/reproducible.deep.test.ts and .ci/packages do';
const TORTURE = 'it runs for half an hour: test/torture.test.ts tests the command';
const STARTS = 'it starts a process: test/e2e/sandbox.test.ts does';
const WRITTEN = 'it writes a file for the next line, which is not run here';
const CAMPAIGN = 'it prepares files, which the scene does too: test/e2e/campaign-readme.test.ts types it';
const TEAM = 'test/e2e/team-readme.test.ts types the section on two machines';
const CONTAINER = 'it needs Docker: test/e2e/team-container.test.ts reads these files';
const WATCHES = 'it watches files: test/e2e/watched-files.test.ts';

const GIT = 'it needs a repository of git: test/cli/commands/rehearse/against.test.ts';

const ARCHIVE = 'it unpacks a release: test/e2e/ci-examples.test.ts does, and .ci/packages makes one';
const SIGNERS =
  'it needs a commit and a variable: test/campaign/approval/approvals.e2e.test.ts runs --not-by';

/** A campaign for the two companies that docs/partners.md gives the tag uk. */
const PARTNER = {
  'partner/spring.yaml': readFileSync('examples/partner/spring.yaml', 'utf8'),
  'partner/values.yaml': `language: english
sender: Harbour
companies:
  1: {newsletter: 1}
  2: {newsletter: 4, discount: 25%}
`,
  'partner/content/english.txt': readFileSync('examples/partner/content/english.txt', 'utf8'),
};

/** Makes list 4. */
const LIST_OF_COMPANY_2 = 'svc sandbox list create --name Newsletter --company 2';

/** A campaign that is not tied to a company, so that it can be promoted. */
const PROMOTED = {
  'promoted/spring.yaml': PARTNER['partner/spring.yaml']
    .replace(/\$\{\{ newsletter \}\}/, '1')
    .replace(/\$\{\{ sender \}\}/, 'Harbour')
    .replace(/\$\{\{ language \}\}/, 'english'),
  'promoted/content/english.txt': PARTNER['partner/content/english.txt'],
};

/** Lines that cannot run here, each with its reason or the test that runs it. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  '(cd tools && sha256sum --check svc-0.1.0-linux-x64.tar.gz.sha256)': ARCHIVE,
  'mkdir .svc': ARCHIVE,
  'tar -xzf tools/svc-0.1.0-linux-x64.tar.gz -C .svc --strip-components=1': ARCHIVE,
  'export PATH="$PWD/.svc:$PATH"': ARCHIVE,
  'umask 077 && printf \'%s\\n\' "$SVC_SIGNERS" > "$RUNNER_TEMP/signers"': SIGNERS,
  'author=$(git log -1 --format=%ae -- campaigns/spring.yaml campaigns/content)': SIGNERS,
  'svc apply campaigns/spring.plan --approvals 1 --yes --not-by "$author" --signers "$RUNNER_TEMP/signers"':
    SIGNERS,
  'npm ci && npm run demo': CHECKOUT,
  'npm ci && npm test': CHECKOUT,
  'npm ci && npm pack': PACKED,
  'npm install --global --ignore-scripts ./svc-0.1.0.tgz': PACKED,
  'sha256sum svc-0.1.0.tgz > svc-0.1.0.tgz.sha256': PACKED,
  'sha256sum --check svc-0.1.0.tgz.sha256': PACKED,
  'npm install --omit=optional --ignore-scripts ./svc-0.1.0.tgz': PACKED,
  'node_modules/.bin/svc --version': PACKED,
  'npm uninstall --global svc': PACKED,
  'sudo apt install ./svc_0.1.0-1_amd64.deb': PACKAGES,
  'sudo apt purge svc': PACKAGES,
  'sudo dnf install ./svc-0.1.0-1.x86_64.rpm': PACKAGES,
  'sudo zypper install --allow-unsigned-rpm ./svc-0.1.0-1.x86_64.rpm': PACKAGES,
  'sudo dnf remove svc': PACKAGES,
  'scoop install ./svc.json': 'it needs Windows: test/release/managers.test.ts reads the manifest',
  'docker build -f Containerfile -t svc .':
    'it needs a daemon of Docker: .ci/packages runs the steps of the Containerfile',
  'docker run --rm -it -v svc:/data svc --help':
    'it needs a daemon of Docker: .ci/packages runs the steps of the Containerfile',
  'tar -xzf svc-0.1.0-linux-x64.tar.gz':
    'it needs a release: test/release/archives.test.ts unpacks the archive',
  'brew tap-new local/svc': HOMEBREW,
  'cp svc.rb "$(brew --repository local/svc)/Formula/"': HOMEBREW,
  'brew install local/svc/svc': HOMEBREW,
  'npm ci && npm run build:binary': CHECKOUT,
  'npm ci && npm run torture': TORTURE,
  'npm run torture -- --rows A1,X8': TORTURE,
  'sha256sum --check --ignore-missing SHA256SUMS': RELEASE,
  'npm ci && npm run release -- --trial': RELEASE,
  'npm run release -- --target linux-x64,linux-arm64 --out release --base-url https://files.example/svc --trial':
    RELEASE,
  'npm run test:packages': RELEASE,
  'svc rehearse spring.yaml --against main': GIT,
  'svc rehearse spring.yaml --against HEAD~1': GIT,
  'svc rehearse campaigns/spring.yaml --against origin/main --format markdown': GIT,
  'svc sandbox reset': 'it needs a stopped sandbox: test/e2e/guides.test.ts does it',
  'svc sandbox start --detach': STARTS,
  'svc sandbox start --detach --clock manual': STARTS,
  'svc sandbox start --detach --clock manual --audience lively': STARTS,
  'svc sandbox start --detach --seed demo --clock manual': STARTS,
  'svc sandbox start --naming names.json --companions':
    'it starts a process: test/e2e/deployment-clients.test.ts does',
  'svc sandbox conformance':
    'it sends requests that no client can send: test/cli/commands/sandbox/conformance.test.ts',
  'cat > names.json <<\'END\'⏎{"header-prefix": "X-Acme-", "company-scheme": "AcmeHash",⏎ "partner-scheme": "AcmePartner", "fields": {"enablecrm": "enableacme"},⏎ "case": "any", "null-optional": true}⏎END':
    WRITTEN,
  'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -keyout key.pem -out cert.pem -subj /CN=sandbox.example.com -addext subjectAltName=DNS:sandbox.example.com':
    TEAM,
  'svc sandbox start --detach --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --allow-host sandbox.example.com':
    TEAM,
  'svc profile add team --base-url https://sandbox.example.com:8443 --company 1 --user 1 --api-key-stdin < team.key':
    TEAM,
  'export NODE_EXTRA_CA_CERTS=cert.pem CURL_CA_BUNDLE=cert.pem SSL_CERT_FILE=cert.pem REQUESTS_CA_BUNDLE=cert.pem':
    TEAM,
  'export SVC_BASE_URL=https://sandbox.example.com:8443 SVC_COMPANY_ID=1 SVC_USER_ID=1 SVC_API_KEY="$(cat team.key)"':
    TEAM,
  "sh examples/team/client.sh GET '/v1/folder?name=News'": TEAM,
  'python3 examples/team/client.py POST /v1/folder name=Spring': TEAM,
  'curl -sS "$SVC_BASE_URL/control/outbox/list" -H "Authorization: Bearer $(cat ci.token)" -d \'{"limit": 1}\'':
    TEAM,
  'SVC_API_KEY=00000000000000000000000000000000 sh examples/team/client.sh GET /v1/folder': TEAM,
  'svc sandbox start --detach --store postgres://svc@db.example.com/svc --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --allow-host sandbox.example.com':
    TEAM,
  'cd examples/team': CONTAINER,
  'mkdir tls && cp ../../cert.pem ../../key.pem tls && sudo chown 1000 tls/key.pem': CONTAINER,
  'printf \'SANDBOX_HOST=sandbox.example.com\\nPOSTGRES_PASSWORD=%s\\n\' "$(openssl rand -hex 20)" > .env':
    CONTAINER,
  'docker compose up --build --detach': CONTAINER,
  'docker compose exec sandbox svc sandbox company key 1 --jq .apiKey': CONTAINER,
  'mkdir campaigns && cd campaigns': CAMPAIGN,
  'svc agent setup --profile sandbox --sandbox-only':
    'it needs the profile of a running sandbox: test/cli/commands/agent/setup.test.ts',
  'svc mcp --profile sandbox --sandbox-only':
    'it serves an assistant until the assistant ends it: test/e2e/mcp.test.ts',
  'python3 examples/clients/python/campaign.py 1 1 1':
    'it starts Python: test/e2e/example-clients.test.ts does',
  'svc demo': 'it starts a sandbox of its own: test/e2e/demo.test.ts does',
  'svc init --base-url https://api.example.com':
    'it asks six questions: test/e2e/first-run.test.ts answers them',
  'svc email pull 6 --dir mails --watch --open': WATCHES,
  'svc email push mails/*.html --watch': WATCHES,
  'cp -r examples/campaign .': CAMPAIGN,
  "ssh-keygen -q -t ed25519 -N '' -C ada -f ada": CAMPAIGN,
  'echo "ada@example.com $(cat ada.pub)" > team.signers': CAMPAIGN,
};

/** The scenes by page of the site. */
export const SCENES: Readonly<Record<string, Scene>> = {
  'guides/about.html': {
    isCampaign: true,
    asks: { 'svc profile add second --base-url https://api.example.com --company 1 --user 1': ['KEY'] },
  },
  'guides/sending.html': {
    files: {
      'blocked.csv': 'email\nsomeone@example.com\n',
      'sale.txt': 'Sale\n',
      'texts.csv': 'to,from,message\n447700900123,Shop,Hello\n',
    },
    asks: {
      'svc task undo': [true],
      'svc task cancel News': [true],
      'svc undo': [true],
      'svc automation pause --all': [true],
    },
  },
  'guides/sandbox.html': {
    exits: { 'svc sandbox requests --follow': 130 },
    asks: { 'svc sandbox snapshot restore before': [true] },
  },
  'guides/campaigns.html': {
    isCampaign: true,
    files: { 'plans/README': '', ...PROMOTED },
    before: [LIST_OF_COMPANY_2, 'svc plan campaign/spring.yaml --out plans/spring.plan'],
    exits: {
      // Meanwhile, the campaign of the section above has been applied.
      'svc approve spring.plan --identity ~/.ssh/id_ed25519': 5,
      'svc audit --plans plans --signers team.signers --check': 11,
    },
    asks: {
      'svc approve spring.plan --identity ada': [true],
      'svc apply spring.plan --approvals 1 --signers team.signers': [true],
      'svc approve production.plan --profile other-company': [true],
      'svc apply production.plan --profile other-company': [true],
    },
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
  'guides/rehearse.html': {
    isCampaign: true,
    files: { 'old.yaml': readFileSync('examples/campaign/spring.yaml', 'utf8') },
    before: ['svc plan spring.yaml --out spring.plan'],
  },
  'guides/assistants.html': {
    isCampaign: true,
    before: ['svc plan spring.yaml --out spring.plan'],
    asks: {
      'svc approve spring.plan --profile sandbox': [true],
      'svc apply spring.plan --profile sandbox': [true],
    },
  },
  'guides/ci.html': {
    isCampaign: true,
    asks: { 'svc approve campaigns/before/campaign.plan --identity ada': [true] },
    before: ['export GITHUB_STEP_SUMMARY=summary.md GITHUB_RUN_ID=4711 CI_PIPELINE_ID=4712'],
    exits: { 'svc audit --plans campaigns --signers team.signers --check': 11 },
  },
  'guides/partners.html': {
    isCampaign: true,
    files: {
      'companies.csv': 'id,name,tags\n1,Harbour Coffee,uk\n',
      'baseline.yaml': 'enableemail: true\n',
      ...PARTNER,
    },
    before: ['svc profile use agency', LIST_OF_COMPANY_2],
    // The demo company has sends that no plan contains.
    exits: { 'svc audit --companies tag:uk --plans spring --signers team.signers --check': 11 },
    asks: {
      'svc folder create --name News --companies tag:uk --write --checkpoint news.cp': ['2'],
      'svc approve spring/bundle.plan': [true],
      'svc apply spring/bundle.plan': ['2'],
      'svc features apply baseline.yaml --companies tag:uk --write': ['2'],
    },
  },
};
