/**
 * examples/ci, each job run for real (contract, "Campaigns as files"): a shell stands in for the runner, svc is installed by the
 * job's own lines from the packed file, and the service is a sandbox in a process of its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildPackage } from '../support/built-package.ts';
import {
  type Contexts,
  type GithubWorkflow,
  type GitlabPipeline,
  githubJobs,
  gitlabJobs,
  gitlabJobsOf,
  type JobRun,
  type Runner,
  runGithubJob,
  runGitlabJob,
} from '../support/ci-runner.ts';
import { makeKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let built: { readonly folder: string; readonly path: string };
/** What all jobs share: the packed file in `tools`, what npm made of it, and compiled code. */
let shared: string;
beforeAll(async () => {
  built = await buildPackage();
  shared = await makeTemporaryFolder('packed');
  const tools = join(shared, 'tools');
  await mkdir(tools);
  const flags = ['--silent', '--ignore-scripts', '--pack-destination', tools];
  const file = execFileSync('npm', ['pack', ...flags], { cwd: built.folder, encoding: 'utf8' }).trim();
  await writeFile(join(tools, `${file}.sha256`), execFileSync('sha256sum', [file], { cwd: tools }));
  await installNpm();
});
afterAll(() =>
  Promise.all([built.folder, shared].map((folder) => rm(folder, { recursive: true, force: true }))),
);

/**
 * Stands before npm in PATH. npm runs for the first job that gives it these words and this file; later jobs get a link to what it
 * installed then. Installing takes longer than all else that a job does.
 */
async function installNpm(): Promise<void> {
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  await mkdir(join(shared, 'bin'));
  await writeFile(
    join(shared, 'bin', 'npm'),
    `#!/bin/sh
set -e
for file; do :; done
made=${join(shared, 'installed')}-$( (echo "$*"; sha256sum <"$file") | sha256sum | cut -c1-16)
[ -d "$made" ] || npm_config_prefix="$made" ${npm} "$@"
mkdir -p "$npm_config_prefix/bin"
ln -sf "$made/bin/svc" "$npm_config_prefix/bin/svc"
`,
    { mode: 0o755 },
  );
  // GitHub's runners have gh. This one says what it was asked, and who asked.
  await writeFile(
    join(shared, 'bin', 'gh'),
    '#!/bin/sh\n[ "$GH_TOKEN" = token-of-the-job ] && [ -z "$SVC_API_KEY" ] || exit 1\necho "gh $*"\ncat "$5"\n',
    { mode: 0o755 },
  );
}

let service: ChildProcess;
let access: { readonly baseUrl: string; readonly key: string; readonly user: string };
let data: string;
async function open(): Promise<void> {
  data = await makeTemporaryFolder('ci-service');
  const args = ['sandbox', 'start', '--port', '0', '--data', join(data, 'data'), '--seed', 'demo'];
  service = spawn(
    join(built.path, 'svc'),
    [...args, '--clock', 'manual', '--profile', 'none', '-o', 'json'],
    { env: environment(data), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const first = await new Promise<string>((resolve, reject) => {
    service.once('exit', () => reject(new Error('the sandbox did not start')));
    if (service.stdout) createInterface(service.stdout).once('line', resolve);
  });
  const { baseUrl, company } = JSON.parse(first);
  access = { baseUrl, key: company.apiKey, user: String(company.adminUserId) };
  // The file's "monday 09:00" has to be far enough ahead on every day on which this runs.
  const clock = ['sandbox', 'clock', 'set', 'wednesday 12:00', '--data', join(data, 'data')];
  await execa(join(built.path, 'svc'), clock, { env: environment(data), extendEnv: false });
}

async function close(): Promise<void> {
  const over = once(service, 'exit');
  service.kill();
  await over;
  await rm(data, { recursive: true, force: true });
}

const environment = (home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  XDG_CACHE_HOME: join(shared, 'cache'),
});

let home: string;
let runner: Runner;
async function checkOut(): Promise<void> {
  home = await makeTemporaryFolder('ci');
  const repository = join(home, 'repository');
  await cp('examples/campaign', join(repository, 'campaigns'), { recursive: true });
  await cp(join(shared, 'tools'), join(repository, 'tools'), { recursive: true });
  const key = await makeKey(home, 'ada');
  await writeFile(join(repository, 'team.signers'), `ada@example.com ${key.line}\n`);
  const prefix = join(home, 'npm');
  await mkdir(prefix);
  runner = {
    home,
    repository,
    env: {
      ...environment(home),
      PATH: `${join(prefix, 'bin')}:${join(shared, 'bin')}:${process.env['PATH']}`,
      npm_config_prefix: prefix,
      npm_config_cache: join(shared, 'npm-cache'),
      // Nothing is fetched, so libsql, which svc sandbox and svc rehearse need, comes from here.
      npm_config_offline: 'true',
      NODE_PATH: resolve('node_modules'),
    },
  };
}

/** Somebody of the team, in their own copy of the repository. */
const person = (line: string) =>
  execa(join(built.path, 'svc'), line.split(' '), {
    cwd: runner.repository,
    env: { ...environment(home), ...accessEnv() },
    extendEnv: false,
  });
const accessEnv = () => ({
  SVC_BASE_URL: access.baseUrl,
  SVC_COMPANY_ID: '1',
  SVC_USER_ID: access.user,
  SVC_API_KEY: access.key,
});
const approve = () => person('approve campaigns/spring.plan --identity ../ada --name ada --yes');

/** Ids of the tasks that the campaign has made. */
const tasks = async (): Promise<readonly number[]> =>
  JSON.parse((await person('task list -o json --all')).stdout)
    .filter(({ name }: { readonly name: string }) => name.includes('[svc-'))
    .map(({ id }: { readonly id: number }) => id);

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(runner.repository, 'campaigns', file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};

type Event = 'pull request' | 'pull request from a fork' | 'merge' | 'week';

interface Example {
  readonly jobs: (event: Event) => readonly string[];
  readonly run: (job: string, event: Event) => Promise<JobRun>;
  /** What is shown of the plan, and of what was applied. */
  readonly shown: (run: JobRun) => string | undefined;
  /** What the log or the reports have of a finding. */
  readonly finding: (file: string, rule: string) => RegExp;
}

const source = (name: string): Promise<string> =>
  readFile(new URL(`../../examples/ci/${name}`, import.meta.url), 'utf8');
const workflow: GithubWorkflow = parse(await source('github-actions.yml'));
const pipeline: GitlabPipeline = parse(await source('gitlab-ci.yml'));

/** Secrets are not given to forks (GitHub, "Using secrets in GitHub Actions"). */
function github(): Example {
  const contexts = (event: Event): Contexts => ({
    github: {
      event_name: event === 'week' ? 'schedule' : event === 'merge' ? 'push' : 'pull_request',
      repository: 'team/campaigns',
      token: 'token-of-the-job',
      event: {
        pull_request: {
          number: '7',
          head: { repo: { full_name: event === 'pull request' ? 'team/campaigns' : 'stranger/campaigns' } },
        },
      },
    },
    vars: { SVC_BASE_URL: access.baseUrl, SVC_COMPANY_ID: '1', SVC_USER_ID: access.user },
    secrets: event === 'pull request from a fork' ? {} : { SVC_API_KEY: access.key },
  });
  return {
    jobs: (event) => githubJobs(workflow, contexts(event)),
    run: (job, event) => runGithubJob(workflow, job, contexts(event), runner),
    shown: ({ summary }) => summary,
    finding: (file, rule) => new RegExp(`^::(error|warning|notice) file=${file}[^\n]*title=${rule}::`, 'm'),
  };
}

/** The pipeline of a fork is the fork's own, which has no variables of the project (GitLab, "Merge request pipelines"). */
function gitlab(): Example {
  const variables = (event: Event): Readonly<Record<string, string>> => ({
    CI_DEFAULT_BRANCH: 'main',
    ...(event === 'merge' || event === 'week'
      ? { CI_PIPELINE_SOURCE: event === 'merge' ? 'push' : 'schedule', CI_COMMIT_BRANCH: 'main' }
      : {
          CI_PIPELINE_SOURCE: 'merge_request_event',
          CI_MERGE_REQUEST_PROJECT_ID: '1',
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: event === 'pull request' ? '1' : '2',
        }),
    ...(event === 'pull request from a fork' ? {} : accessEnv()),
  });
  return {
    jobs: (event) => gitlabJobs(pipeline, variables(event)),
    run: (job, event) => runGitlabJob(pipeline, job, variables(event), runner),
    shown: ({ artifacts }) => artifacts.get('plan.md') ?? artifacts.get('applied.md'),
    finding: (file, rule) => new RegExp(`<testcase[^>]*${file}[^]*?${rule}|${rule}[^]*?${file}`),
  };
}

describe.each([
  ['github-actions.yml', github],
  ['gitlab-ci.yml', gitlab],
])('examples/ci/%s', (_name, exampleOf) => {
  beforeAll(open);
  afterAll(close);
  beforeEach(checkOut);
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('a pull request is linted and planned; nothing is written, and the key is shown nowhere', async () => {
    const example = exampleOf();
    expect(example.jobs('pull request')).toEqual(['lint', 'plan', 'rehearse']);
    const lint = await example.run('lint', 'pull request');
    expect(lint.exitCode, lint.log).toBe(0);
    const reports = [lint.log, ...lint.artifacts.values()].join('\n');
    expect(reports).toMatch(example.finding('campaigns/content/reminder.txt', 'sms-opt-out'));

    const plan = await example.run('plan', 'pull request');
    expect(plan.exitCode, plan.log).toBe(0);
    const kept = JSON.parse(plan.artifacts.get('campaign.plan') ?? '');
    expect(kept).toMatchObject({ campaign: 'Spring sale', inputs: { file: 'campaigns/spring.yaml' } });
    // Three days for the review.
    expect(kept.validUntil - kept.made).toBe(3 * 86_400);
    for (const words of [
      '### Campaign Spring sale, company 1 (Harbour Coffee Roasters)\n\n7 to create.\n',
      '| create | task | newsletter | Spring sale to the newsletter | sends message spring to list 1<br>',
      `Plan: sha256 ${kept.sha256}`,
    ])
      expect(example.shown(plan)).toContain(words);

    const rehearsal = await example.run('rehearse', 'pull request');
    expect(rehearsal.exitCode, rehearsal.log).toBe(0);
    expect([rehearsal.log, rehearsal.summary].join('\n')).toContain('Spring sale to the newsletter');
    for (const run of [lint, plan, rehearsal])
      expect([run.log, run.summary, ...run.artifacts.values()].join('\n')).not.toContain(access.key);
    expect(await tasks()).toEqual([]);
  });

  it('an error in the content fails the pull request, and still every message is linted', async () => {
    for (const file of ['content/spring.html', 'content/thanks.html'])
      await edit(file, (text) => text.replace('</body>', '<a href="http://localhost/">Spring</a></body>'));
    const example = exampleOf();
    const lint = await example.run('lint', 'pull request');
    expect(lint.exitCode, lint.log).toBe(11);
    const reports = [lint.log, ...lint.artifacts.values()].join('\n');
    expect(reports).toMatch(example.finding('campaigns/content/spring.html', 'local-address'));
    expect(reports).toMatch(example.finding('campaigns/content/thanks.html', 'local-address'));
  });

  it('an error in the campaign file fails it, too, with line and column', async () => {
    await edit('spring.yaml', (text) => text.replace('list: 1', 'lists: 1'));
    const plan = await exampleOf().run('plan', 'pull request');
    expect([plan.exitCode, plan.log]).toEqual([
      2,
      expect.stringMatching(/campaigns\/spring\.yaml:[0-9]+:[0-9]+/),
    ]);
  });

  it('a pull request from a fork is linted without secrets, and not planned', async () => {
    const example = exampleOf();
    expect(example.jobs('pull request from a fork')).toEqual(['lint']);
    const lint = await example.run('lint', 'pull request from a fork');
    expect(lint.exitCode, lint.log).toBe(0);
  });

  it('a merge applies the approved plan once; without an approval, or with other content, nothing', async () => {
    const example = exampleOf();
    expect(example.jobs('merge')).toEqual(['apply']);
    const plan = await example.run('plan', 'pull request');

    const without = await example.run('apply', 'merge');
    expect([without.exitCode, without.log]).toEqual([
      2,
      expect.stringContaining('file campaigns/spring.plan not found'),
    ]);
    await writeFile(
      join(runner.repository, 'campaigns', 'spring.plan'),
      plan.artifacts.get('campaign.plan') ?? '',
    );
    const unapproved = await example.run('apply', 'merge');
    expect([unapproved.exitCode, unapproved.log]).toEqual([
      2,
      expect.stringContaining('the plan has 0 of 1 approvals'),
    ]);
    expect([example.shown(unapproved), await tasks()]).toEqual(['', []]);

    await approve();
    await edit('content/reminder.txt', (text) => text.replace('20%', '80%'));
    const changed = await example.run('apply', 'merge');
    expect([changed.exitCode, changed.log]).toEqual([
      2,
      expect.stringContaining('content/reminder.txt has changed since the plan was made'),
    ]);
    expect(await tasks()).toEqual([]);

    await edit('content/reminder.txt', (text) => text.replace('80%', '20%'));
    const applied = await example.run('apply', 'merge');
    expect(applied.exitCode, applied.log).toBe(0);
    expect(example.shown(applied)).toContain('7 steps done.\n\nApproved by ada\\@example.com.\n');
    const made = await tasks();
    expect(made).toHaveLength(2);
    expect([applied.log, applied.summary].join('\n')).not.toContain(access.key);

    // The tasks and rules of the demo account itself were approved by nobody.
    expect(example.jobs('week')).toEqual(['audit']);
    const audit = await example.run('audit', 'week');
    expect(audit.exitCode, audit.log).toBe(11);
    const audited = audit.artifacts.get('audit.csv') ?? audit.summary ?? '';
    for (const id of made)
      expect(audited).toMatch(new RegExp(`^task,${id},.*,approved,campaigns/spring.plan,`, 'm'));
    expect(audited).toContain(',unapproved,');
    expect([audit.log, audited].join('\n')).not.toContain(access.key);

    const again = await example.run('apply', 'merge');
    expect(again.exitCode, again.log).toBe(0);
    expect(example.shown(again)).toContain('Nothing was changed.\n');
    expect(await tasks()).toEqual(made);
  });
});

describe('inputs of the examples', () => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('GitHub: reading is all that is permitted, and no credentials stay in the checkout', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = Object.entries(workflow.jobs).flatMap(([name, { permissions }]) =>
      permissions === undefined ? [] : [[name, permissions]],
    );
    expect(more).toEqual([['rehearse', { contents: 'read', 'pull-requests': 'write' }]]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with)).toEqual(
      checkouts.map(() => ({ 'persist-credentials': false })),
    );
    expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push', 'schedule']);
  });

  it('GitHub: the key is in the environment of the step that needs it, and in no line', () => {
    const withKey = Object.entries(workflow.jobs).map(([name, job]) => [
      name,
      job.steps.filter(({ env }) => env !== undefined).map(({ env }) => env),
    ]);
    const key = { SVC_API_KEY: `\${{ secrets.SVC_API_KEY }}` };
    const comment = {
      GH_TOKEN: `\${{ github.token }}`,
      GH_REPO: `\${{ github.repository }}`,
      NUMBER: `\${{ github.event.pull_request.number }}`,
    };
    expect(withKey).toEqual([
      ['lint', []],
      ['plan', [key]],
      ['rehearse', [key, comment]],
      ['apply', [key]],
      ['audit', [key]],
    ]);
    expect(steps.flatMap(({ run }) => run ?? []).join('\n')).not.toMatch(/\$\{\{|API_KEY/);
  });

  it('GitHub: actions and Node are pinned, and every job ends by itself', () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.filter((action) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    const nodes = steps.flatMap((step) => step.with?.['node-version'] ?? []);
    expect(nodes.length).toBe(5);
    expect(nodes.filter((version) => !/^[0-9]+\.[0-9]+\.[0-9]+$/.test(String(version)))).toEqual([]);
    expect(Object.values(workflow.jobs).map((job) => typeof job['timeout-minutes'])).toEqual(
      Array(5).fill('number'),
    );
  });

  it('GitLab: the image is pinned, no line holds the key, and one apply runs at a time', () => {
    expect(pipeline.default.image).toMatch(/^node:[0-9]+\.[0-9]+\.[0-9]+-bookworm$/);
    expect(JSON.stringify(pipeline)).not.toContain('API_KEY');
    const { apply } = gitlabJobsOf(pipeline);
    expect(apply).toMatchObject({ resource_group: 'campaigns', environment: 'production' });
    // GitLab takes no variables in what is exposed.
    expect(gitlabJobsOf(pipeline)['plan']?.artifacts?.paths).toEqual(['plan.md', 'campaign.plan']);
  });
});
