/** The workflows of .github: they parse, run existing scripts, and have only the permissions that they need. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import releases from '../.config/release/targets.json' with { type: 'json' };
import about from '../package.json' with { type: 'json' };

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly 'runs-on': string;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = new URL('../.github/workflows/', import.meta.url);
const files = readdirSync(FOLDER);
const workflow = (file: string): Workflow => parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** A tag can be moved to other code, and a digest cannot. */
const PINNED = /^actions\/[a-z-]+@[0-9a-f]{40}$/;

/** The number of steps of each file that use an action. */
const ACTIONS: Readonly<Record<string, number>> = {
  ...{ 'ci.yml': 5, 'nightly.yml': 2, 'release.yml': 13 },
  'pages.yml': 4,
};

/** Jobs with more permissions than reading, and the permissions to write. */
const WRITING: Readonly<Record<string, readonly unknown[]>> = {
  'release.yml': [
    ['release', { contents: 'read', 'id-token': 'write', attestations: 'write' }],
    ['attach', { contents: 'write' }],
  ],
  'nightly.yml': [['report', { issues: 'write' }]],
  'pages.yml': [['deploy', { pages: 'write', 'id-token': 'write' }]],
};

describe.each(files)('%s', (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('has only read permission, except for the jobs that publish or open an issue', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(writing.map(([name, job]) => [name, job.permissions])).toEqual(WRITING[file] ?? []);
  });

  it("uses only GitHub's own actions, each by its digest with its version as a comment", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBe(ACTIONS[file]);
    expect(used.filter((action) => !PINNED.test(action))).toEqual([]);
    const lines = readFileSync(new URL(file, FOLDER), 'utf8').match(/uses: .*/g) ?? [];
    expect(lines.filter((line) => !/@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$/.test(line))).toEqual([]);
  });

  it('runs on a system with a version where one system is enough', () => {
    const systems = Object.values(jobs).map((job) => job['runs-on']);
    expect(systems.filter((name) => !/^ubuntu-24\.04$|^\$\{\{ matrix\.os \}\}$/.test(name))).toEqual([]);
  });

  it('gives no job that may write any code of a package', () => {
    const writing = Object.entries(jobs).filter(([name]) =>
      (WRITING[file] ?? []).some((row) => (row as readonly unknown[])[0] === name && name !== 'release'),
    );
    const commands = writing.flatMap(([, job]) => job.steps.map(({ run = '' }) => run)).join('\n');
    expect(commands).not.toMatch(/\b(npm|npx|node)\b/);
  });

  it('calls existing scripts, and publishes nothing', () => {
    const commands = steps.flatMap(({ run }) => run ?? []).join('\n');
    const scripts = [...commands.matchAll(/\bnpm (?:run ([\w:]+)|(test))\b/g)].map(
      ([, name, test]) => name ?? test,
    );
    expect(scripts.filter((name) => !(`${name}` in about.scripts))).toEqual([]);
    const own = [...commands.matchAll(/(?<![\w/])\.ci\/\w+/g)].map(([path]) => path);
    expect(own.length + scripts.length).toBeGreaterThan(0);
    expect(own.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
    expect(commands).not.toMatch(/npm publish|NODE_AUTH_TOKEN/);
  });

  it('has a time-out', () => {
    const endless = Object.entries(jobs).filter(([, job]) => job['timeout-minutes'] === undefined);
    expect(endless.map(([name]) => name)).toEqual([]);
  });
});

it('ci.yml runs on three systems with each supported Node', () => {
  expect(workflow('ci.yml').jobs['systems']?.strategy?.matrix).toEqual({
    os: ['ubuntu-24.04', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24, 26],
  });
});

it('pages.yml publishes the output of npm run docs, and the publishing job runs no installed code', () => {
  const { on, jobs } = workflow('pages.yml');
  expect(on).toEqual({
    push: { branches: ['main'], paths: expect.arrayContaining(['**.md', 'src/**', '.config/**']) },
    workflow_dispatch: null,
  });
  const upload = jobs['build']?.steps.find(({ uses }) => uses?.startsWith('actions/upload-pages-artifact@'));
  expect(upload?.with).toEqual({ path: 'docs/site/' });
  expect(jobs['deploy']?.steps.map(({ uses }) => uses)).toEqual([
    expect.stringMatching(/^actions\/deploy-pages@/),
  ]);
});

it('ci.yml cancels only runs of pull requests, so that each commit of main is tested to its end', () => {
  expect(workflow('ci.yml').concurrency?.['cancel-in-progress']).toBe(
    `\${{ github.event_name == 'pull_request' }}`,
  );
});

it('nightly.yml installs no browser, because Ubuntu has no package of it, and says when it fails', () => {
  const { deep, report } = workflow('nightly.yml').jobs;
  const installed = deep?.steps.flatMap(({ run }) => (run?.includes('apt-get') ? [run] : [])).join('\n');
  expect(installed).not.toContain('chromium');
  expect(report).toMatchObject({ needs: 'deep', if: `\${{ failure() }}` });
});

// What a run keeps for later ones may come from a pull request. Nothing of it may get into a release.
it.each(files)('%s keeps packages between runs only if it publishes nothing', (file) => {
  const caches = Object.values(workflow(file).jobs).flatMap(({ steps }) =>
    steps.flatMap((step) => step.with?.['cache'] ?? []),
  );
  expect(caches).toEqual(file === 'ci.yml' ? ['npm', 'npm'] : []);
});

it('dependabot keeps the digests of workflows and of the action, and the packages', () => {
  const { updates } = parse(readFileSync(new URL('../dependabot.yml', FOLDER), 'utf8'));
  const [actions, packages] = updates;
  expect(actions).toMatchObject({
    'package-ecosystem': 'github-actions',
    directories: ['/', '/.github/actions/*'],
  });
  expect(packages).toMatchObject({ 'package-ecosystem': 'npm', directory: '/' });
});

it('an action has the same digest and version in all workflows, actions and examples', () => {
  const texts = [
    ...files.map((file) => new URL(file, FOLDER)),
    new URL('../actions/campaign/action.yml', FOLDER),
    new URL('../../examples/ci/github-actions.yml', FOLDER),
  ].map((file) => readFileSync(file, 'utf8'));
  const used = texts.flatMap((text) => text.match(/actions\/[a-z-]+@[0-9a-f]{40} # v[0-9.]+$/gm) ?? []);
  const names = used.map((each) => each.split('@')[0]);
  expect(new Set(used).size).toBe(new Set(names).size);
  expect(new Set(names).size).toBe(7);
});

it('the owners of workflows and of what decides a release are named', () => {
  const owned = readFileSync(new URL('../CODEOWNERS', FOLDER), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .map((line) => line.split(/ +/)[0] ?? '');
  expect(owned).toContain('/.github/');
  expect(owned.filter((path) => !existsSync(new URL(`../..${path}`, FOLDER)))).toEqual([]);
});

it('release.yml runs only for tags', () => {
  expect(workflow('release.yml').on).toEqual({ push: { tags: ['v*'] } });
});

it('release.yml builds each executable of a release on its own system', () => {
  const { include = [] } = workflow('release.yml').jobs['executable']?.strategy?.matrix ?? {};
  const targets = include.map((each) => (each as { target: string }).target);
  expect(targets).toEqual(Object.keys(releases.targets));
});
