/**
 * Runs the blocks of README.md and of the guides as they stand there, from the first to the last. Each begins in the folder where the one
 * before it ended. A person says yes when svc asks, and presses Ctrl-C when it goes on forever. Each other block has its reason in `NOT_RUN`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { CTRL_C, ENTER, hasPseudoTerminals, inTerminal, type Typed } from '../support/pseudo-terminal.ts';
import { blocksOf } from '../support/readme.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('guides');
  await mkdir(join(home, 'bin'));
  await mkdir(join(home, 'work'));
  await installSvc(join(home, 'bin'), script);
});
afterEach(async () => {
  await execa('svc', ['sandbox', 'stop'], { ...outside(), extendEnv: false, reject: false });
  await removeFolder(home);
});

const outside = () => ({
  cwd: join(home, 'work'),
  env: {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    TMPDIR: home,
    USER: 'ada',
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    SHELL: '/bin/bash',
    BROWSER: 'true',
    SVC_PAGER: 'cat',
  },
});

const YES: Typed = { after: ['(y/N)'], type: `y${ENTER}` };
/** The question is shown once more with the typed letter, and then with the whole answer. */
const ANSWERED: Typed = { after: ['Yes'] };

/** Runs the blocks, and returns what the terminal showed for each. @param asking matches a line that asks once */
async function typed(file: string, asking: RegExp): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const block of await blocksOf(file)) {
    const person = block.split('\n').flatMap((line) => (asking.test(line) ? [YES] : []));
    const run = await inTerminal(['bash', '-e', '-c', block], { ...outside(), columns: 160 }, person);
    expect([block, run.exitCode, run.shown]).toEqual([block, 0, expect.anything()]);
    shown.push(run.shown);
  }
  return shown;
}

const SERVICE = 'it needs a service and its key: test/e2e/first-run.test.ts runs svc init';
const CHECKOUT = 'it works on a checkout: .ci/run does the same';
const PACKED = 'it packs or installs svc: test/package.e2e.test.ts and .ci/packed do';
const PACKAGES = 'it needs root, another system or a release: .ci/packages';
const CI = 'it needs the files of a pipeline: test/e2e/ci-examples.test.ts runs these commands';
const TEAM = 'test/e2e/team-readme.test.ts types it on two machines';

/** Blocks that cannot run here as they stand, by their first line, with the reason or the test that runs their commands. */
const NOT_RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    '# Watch a campaign go from message to outbox. Nothing is left behind.': CHECKOUT,
    'npm ci && npm pack': PACKED,
    'svc init --base-url https://api.example.com --company 42 --user 7 \\': SERVICE,
    '# Run the tests.': CHECKOUT,
  },
  'docs/ci.md': {
    '(cd tools && sha256sum --check svc-0.1.0-linux-x64.tar.gz.sha256)': CI,
    '# Also junit, sarif or json. Needs no key.': CI,
    'svc rehearse campaigns/spring.yaml --against origin/main --format markdown': CI,
    'umask 077 && printf \'%s\\n\' "$SVC_SIGNERS" > "$RUNNER_TEMP/signers"':
      'it needs a commit and a variable of a pipeline: test/campaign/approval/approvals.e2e.test.ts',
  },
  'docs/team-sandbox.md': {
    '# A certificate for 90 days. One of your own authority works as well.': TEAM,
    'export NODE_EXTRA_CA_CERTS=cert.pem CURL_CA_BUNDLE=cert.pem \\': TEAM,
    '# --follow streams requests.': TEAM,
    'svc sandbox start --detach --store postgres://svc@db.example.com/svc \\':
      'it needs PostgreSQL: test/sandbox/postgres/kills.deep.test.ts',
    'cd examples/team': 'it needs Docker: test/e2e/team-container.test.ts',
  },
  'docs/install.md': {
    '# Builds svc-0.1.0.tgz, with everything but libsql.': PACKED,
    'sha256sum --check svc-0.1.0.tgz.sha256': PACKED,
    'npm install --omit=optional --ignore-scripts ./svc-0.1.0.tgz': PACKED,
    '# Stops the sandbox, and removes the completion script.': PACKED,
    'sha256sum --check --ignore-missing SHA256SUMS': PACKAGES,
    'sudo apt install ./svc_0.1.0-1_amd64.deb': PACKAGES,
    '# Fedora, and RHEL 8 or later.': PACKAGES,
    'brew tap-new local/svc': 'it needs Homebrew: test/release/managers.test.ts reads the formula',
    'scoop install ./svc.json': 'it needs Windows: test/release/managers.test.ts reads the manifest',
    'docker build -f Containerfile -t svc .': PACKAGES,
    'tar -xzf svc-0.1.0-linux-x64.tar.gz': PACKAGES,
    '# Writes build/svc, or build\\svc.exe.': CHECKOUT,
    '# Every file, in build/release. --trial accepts placeholders.': CHECKOUT,
  },
  'docs/reliability.md': { '# 60 to 95 minutes on two cores.': CHECKOUT },
};

interface Walk {
  /** Runs before the first block. */
  readonly setup?: string;
  /** What somebody else does before a block, by the first line of the block. */
  readonly before?: Readonly<Record<string, string>>;
  /** Matches a line that asks once. The person says yes. */
  readonly asking?: RegExp;
  /** What the person does at other lines. */
  readonly acts?: readonly (readonly [RegExp, Typed])[];
  /** The exit code of a block, by its first line, if it is not 0. */
  readonly exits?: Readonly<Record<string, number>>;
}

/** The number of companies, which svc asks for before it writes to them. */
const TWO: Typed = { after: ['type 2:'], type: `2${ENTER}` };
const stopAfter = (words: string): Typed => ({ after: [words], type: CTRL_C });

/** The key of a person who may approve plans. */
const OWN_KEY = `mkdir -p -m 700 ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C ada -f ~/.ssh/id_ed25519`;
/** The profile of a real service, which svc cannot reach here. */
const PROD = `echo ${'0'.repeat(32)} | svc profile add prod --base-url https://api.example.com --company 42 --user 7 --no-check --api-key-stdin`;

/** At another time of day, a send ten days from now would be one at night. */
const DEMO = `svc sandbox start --detach --seed demo --clock manual
svc sandbox clock set "tomorrow 10:00"`;

/** A repository with two commits, in which the first version of the campaign is also a file. */
const REPOSITORY = `cp spring.yaml old.yaml
git init -q -b main && git add .
for each in one two; do
  git -c user.name=Ada -c user.email=ada@example.com commit -q --allow-empty -m $each
done`;

const WALKS: Readonly<Record<string, Walk>> = {
  'README.md': {},
  'docs/rehearse.md': {
    setup: `${DEMO}\ncp -r examples/campaign/* .\nsvc plan spring.yaml --out spring.plan\n${REPOSITORY}`,
  },
  'docs/ci.md': {
    setup: `${DEMO}\nmkdir campaigns\nssh-keygen -q -t ed25519 -N '' -C ada -f ada`,
    asking: /^svc approve/,
  },
  'docs/own-client.md': {},
  'docs/testing.md': { setup: 'cp -r examples/campaign/* .' },
  'docs/sending.md': {
    asking: /^svc (task undo|task cancel|automation pause|undo|email push .*--watch)/,
    acts: [
      [/^svc task watch/, stopAfter('move the clock')],
      [/^svc task guard/, stopAfter('press Ctrl-C')],
      [/^svc email .*--watch/, stopAfter('Ctrl-C')],
    ],
    exits: {
      '# Shows its progress until it is done; in a pipe, one line per change.': 130,
      '# Cancels it if too many recipients bounce or complain.': 130,
    },
  },
  'docs/campaigns.md': {
    asking: /^svc (approve|apply (?!.*--yes))/,
    exits: { '# Who may approve.': 11 },
  },
  'docs/sandbox.md': {
    asking: /^svc sandbox (snapshot restore|reset)/,
    acts: [[/--follow/, stopAfter('/v1/')]],
    exits: { '# Ctrl-C ends it.': 130 },
  },
  'docs/partners.md': {
    setup: OWN_KEY,
    asking: /^svc approve/,
    acts: [[/^svc (folder create|apply)/, TWO]],
  },
  'docs/assistants.md': {
    setup: `${OWN_KEY}\nmkdir ~/.cursor`,
    // The assistant writes the campaign, and makes the plan.
    before: {
      'svc plan show spring.plan --profile sandbox':
        'cp -r ../examples/campaign/* .\nsvc plan spring.yaml --out spring.plan',
      'svc profile set prod read-only true': PROD,
    },
    asking: /^svc (agent setup|approve|apply)/,
  },
  'docs/configuration.md': { setup: PROD, asking: /^svc completion install/ },
};

const GUIDES = [
  'README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
].filter((file) => /^ *```sh$/m.test(readFileSync(file, 'utf8')));
/** Guides that are typed below, with what the terminal shows. */
const TYPED = ['docs/tutorial.md', 'docs/from-curl.md', 'docs/troubleshooting.md'];
/** Documents for those who change svc. */
const OTHERS = [
  'docs/contract.md',
  'docs/README.md',
  'docs/reference.md',
  'docs/design.md',
  'docs/acceptance.md',
];

const firstLine = (block: string): string => block.split('\n', 1)[0] ?? '';

describe('each block', () => {
  it('of each guide is run as it stands, or has a reason why it cannot', async () => {
    const known = [...TYPED, ...OTHERS, ...Object.keys(WALKS)];
    for (const file of GUIDES.filter((each) => !known.includes(each))) {
      const lines = (await blocksOf(file)).map(firstLine);
      expect([file, lines.filter((line) => NOT_RUN[file]?.[line] === undefined)]).toEqual([file, []]);
    }
  });

  it('with a reason exists, and so does the test that the reason names', async () => {
    for (const [file, reasons] of Object.entries(NOT_RUN)) {
      const lines = (await blocksOf(file)).map(firstLine);
      expect([file, Object.keys(reasons).filter((line) => !lines.includes(line))]).toEqual([file, []]);
      const named = Object.values(reasons).flatMap(
        (reason) => reason.match(/(?:test|\.ci)\/[\w./-]+/g) ?? [],
      );
      expect(named.filter((path) => !existsSync(path))).toEqual([]);
    }
  });
});

describe.skipIf(!hasPseudoTerminals)('a reader types', () => {
  it.each(Object.entries(WALKS))('%s', async (file, walk) => {
    const { asking = /^never/, acts = [] } = walk;
    await cp('examples', join(home, 'work/examples'), { recursive: true });
    let cwd = outside().cwd;
    const prepare = (script: string) =>
      execa('bash', ['-e', '-c', script], { ...outside(), cwd, extendEnv: false });
    if (walk.setup !== undefined) await prepare(walk.setup);
    for (const block of await blocksOf(file)) {
      const line = firstLine(block);
      if (NOT_RUN[file]?.[line] !== undefined) continue;
      if (walk.before?.[line] !== undefined) await prepare(walk.before[line]);
      const person = block
        .split('\n')
        .flatMap((each) => [
          ...(asking.test(each) ? [YES, ANSWERED] : []),
          ...acts.flatMap(([pattern, typed]) => (pattern.test(each) ? [typed] : [])),
        ]);
      const script = `trap 'pwd > ~/cwd' EXIT\n${block}`;
      const run = await inTerminal(['bash', '-e', '-c', script], { ...outside(), cwd, columns: 160 }, person);
      expect([block, run.exitCode, run.shown]).toEqual([block, walk.exits?.[line] ?? 0, expect.anything()]);
      cwd = (await readFile(join(home, 'cwd'), 'utf8')).trim();
    }
  });
});

describe.skipIf(!hasPseudoTerminals)('each block, from the first to the last', () => {
  it('docs/tutorial.md leads from an empty account to an audit that finds the send without an approval', async () => {
    const shown = await typed('docs/tutorial.md', /^svc (approve|apply) .*(--identity|--approvals)/);
    const all = shown.join('\n');
    expect(all).toMatch(/made +3/);
    expect(all).toMatch(/No problems\.[\s\S]*Findings\s+- None\./);
    expect(all).toContain('Approved by ada@example.com');
    expect(all).toMatch(/clicked +2 +66\.7%/);
    expect(all).toContain('1 record, 0 not approved, 1 plan.');
    expect(all).toContain('2 records, 1 not approved, 1 plan.');
    expect(all).toContain('exit code 11: somebody sent without an approval');
    expect(all).toContain('refused: exit code 2');
    expect(all).not.toContain('PRIVATE KEY');
  });

  it('docs/from-curl.md leads from signed requests to a task that two runs create once', async () => {
    const shown = await typed('docs/from-curl.md', /^never/);
    const ids = shown.find((text) => /^\d+\r?\n\d+$/m.test(text)) ?? '';
    const [first, second] = [...ids.matchAll(/^(\d+)\r?$/gm)].map(([, id]) => id);
    expect([first, second]).toEqual([first, first]);
    expect(shown.join('\n')).toContain('it is there');
  });

  it('docs/troubleshooting.md looks further with commands that exist', async () => {
    await execa('svc', ['sandbox', 'start', '--detach', '--seed', 'demo', '--clock', 'manual'], {
      ...outside(),
      extendEnv: false,
    });
    const shown = await typed('docs/troubleshooting.md', /^never/);
    expect(shown.join('\n')).toContain('423');
  });
});

it('the campaign of docs/campaigns.md is part of examples/campaign/spring.yaml', async () => {
  const text = await readFile('docs/campaigns.md', 'utf8');
  const [, shown = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const example = (await readFile('examples/campaign/spring.yaml', 'utf8')).split('\n');
  expect(shown.split('\n').filter((line) => !example.includes(line))).toEqual([]);
  expect(shown.split('\n').length).toBeGreaterThan(15);
});
