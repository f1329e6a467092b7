/** The workflows of .github: they parse, run what is here, and hand nobody more than is needed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
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

/** How many steps of each file use an action. */
const ACTIONS: Readonly<Record<string, number>> = { 'ci.yml': 5, 'nightly.yml': 2, 'release.yml': 7 };

describe.each(files)('%s', (file) => {
  const { permissions, jobs } = workflow(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('reads alone, but for the job that makes the release', () => {
    expect(permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(jobs).filter(([, job]) => job.permissions !== undefined);
    expect(writing.map(([name, job]) => [name, job.permissions])).toEqual(
      file === 'release.yml' ? [['attach', { contents: 'write' }]] : [],
    );
  });

  it('uses actions of GitHub itself, each by its major version', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBe(ACTIONS[file]);
    expect(used.filter((action) => !/^actions\/[a-z-]+@v[0-9]+$/.test(action))).toEqual([]);
  });

  it('calls scripts that there are, and publishes nothing', () => {
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

  it('ends by itself', () => {
    const endless = Object.entries(jobs).filter(([, job]) => job['timeout-minutes'] === undefined);
    expect(endless.map(([name]) => name)).toEqual([]);
  });
});

it('ci.yml takes three systems with each supported Node', () => {
  expect(workflow('ci.yml').jobs['systems']?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24],
  });
});

it('release.yml runs for tags alone', () => {
  expect(workflow('release.yml').on).toEqual({ push: { tags: ['v*'] } });
});
