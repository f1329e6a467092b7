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
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = new URL('../.github/workflows/', import.meta.url);
const files = readdirSync(FOLDER);
const workflow = (file: string): Workflow => parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** The number of steps of each file that use an action. */
const ACTIONS: Readonly<Record<string, number>> = {
  ...{ 'ci.yml': 5, 'nightly.yml': 2, 'release.yml': 11 },
  'pages.yml': 4,
};

/** Jobs with more permissions than reading, and the permissions to write. */
const WRITING: Readonly<Record<string, readonly unknown[]>> = {
  'release.yml': [
    ['release', { contents: 'read', 'id-token': 'write', attestations: 'write' }],
    ['attach', { contents: 'write' }],
  ],
  'pages.yml': [['deploy', { pages: 'write', 'id-token': 'write' }]],
};

describe.each(files)('%s', (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('has only read permission, except for the jobs that make the release and publish the documentation', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(writing.map(([name, job]) => [name, job.permissions])).toEqual(WRITING[file] ?? []);
  });

  it("uses only GitHub's own actions, each by its major version", () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBe(ACTIONS[file]);
    expect(used.filter((action) => !/^actions\/[a-z-]+@v[0-9]+$/.test(action))).toEqual([]);
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
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24],
  });
});

it('pages.yml publishes the output of npm run docs, and the publishing job runs no installed code', () => {
  const { on, jobs } = workflow('pages.yml');
  expect(on).toEqual({ push: { branches: ['main'] }, workflow_dispatch: null });
  const upload = jobs['build']?.steps.find(({ uses }) => uses?.startsWith('actions/upload-pages-artifact@'));
  expect(upload?.with).toEqual({ path: 'docs/site/' });
  expect(jobs['deploy']?.steps.map(({ uses }) => uses)).toEqual(['actions/deploy-pages@v4']);
});

it('release.yml runs only for tags', () => {
  expect(workflow('release.yml').on).toEqual({ push: { tags: ['v*'] } });
});

it('release.yml builds each executable of a release on its own system', () => {
  const { include = [] } = workflow('release.yml').jobs['executable']?.strategy?.matrix ?? {};
  const targets = include.map((each) => (each as { target: string }).target);
  expect(targets).toEqual(Object.keys(releases.targets));
});
