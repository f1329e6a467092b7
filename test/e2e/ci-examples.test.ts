/**
 * Runs each job of examples/ci, and of the action and component that they use, for real (contract, "Campaigns as
 * files"). A shell replaces the runner, the job's own lines install svc from the packed file, and the service is a
 * sandbox in a separate process.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import about from '../../package.json' with { type: 'json' };
import { buildPackage } from '../support/built-package.ts';
import {
  type Contexts,
  type GithubAction,
  type GithubWorkflow,
  githubJobs,
  gitlabJobs,
  gitlabPipeline,
  type JobRun,
  type Runner,
  runGithubJob,
  runGitlabJob,
} from '../support/ci-runner.ts';
import { makeKey } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let built: { readonly folder: string; readonly path: string };
/** The folder that all jobs share: the packed file in `tools`, npm's files for it, and compiled code. */
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
afterAll(() => Promise.all([built.folder, shared].map((folder) => removeFolder(folder))));

/**
 * Puts a script before npm in PATH. The first job with the same words and file runs npm, and later jobs get a link to that installation.
 * The installation takes longer than the rest of a job.
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
  // GitHub's runners have gh. This replacement keeps the comments in a file of the home folder, and checks the token of its caller.
  await writeFile(join(shared, 'bin', 'gh'), `#!${process.execPath}\n${GH}`, { mode: 0o755 });
}

const GH = `
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const { GH_TOKEN, GH_REPO, HOME, MARK, SVC_API_KEY } = process.env;
if (GH_TOKEN !== 'token-of-the-job' || SVC_API_KEY) process.exit(1);
const file = HOME + '/comments.json';
const comments = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const [noun, verb, ...words] = process.argv.slice(2);
const save = () => writeFileSync(file, JSON.stringify(comments));
if (noun === 'pr' && verb === 'view' && words.slice(0, 3).join() === '7,--json,comments') {
  const filter = '[.comments[] | select(.viewerDidAuthor and (.body | startswith(env.MARK))) | .url][-1] // ""';
  if (words[3] !== '--jq' || words[4] !== filter) process.exit(2);
  const own = comments.filter(({ viewerDidAuthor, body }) => viewerDidAuthor && body.startsWith(MARK));
  console.log(own.at(-1)?.url ?? '');
} else if (noun === 'pr' && verb === 'comment' && words[0] === '7' && words[1] === '--body-file') {
  const body = readFileSync(words[2], 'utf8');
  comments.push({ url: 'https://github.com/' + GH_REPO + '/pull/7#issuecomment-' + (comments.length + 1), viewerDidAuthor: true, body });
  save();
} else if (noun === 'api' && verb === '--method' && words[0] === 'PATCH' && words[2] === '-F' && words[3].startsWith('body=@')) {
  const [, id] = /^repos\\/team\\/campaigns\\/issues\\/comments\\/(\\d+)$/.exec(words[1]);
  const found = comments.find(({ url }) => url.endsWith('-' + id));
  if (!found.viewerDidAuthor) process.exit(3);
  found.body = readFileSync(words[3].slice(6), 'utf8');
  save();
} else process.exit(4);
`;

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
  await removeFolder(data);
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
  // The target branch has no campaign, and the commit of the pull request adds one.
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: repository,
      env: {
        ...environment(home),
        ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' },
        ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' },
      },
    });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'Target');
  git('add', 'campaigns');
  git('commit', '--quiet', '--message', 'Pull request');
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
      // Nothing is downloaded, so libsql, which svc sandbox and svc rehearse need, comes from here.
      npm_config_offline: 'true',
      NODE_PATH: resolve('node_modules'),
    },
  };
}

/** Puts an archive into `tools` that has the layout of a release's executable, and its checksum. Returns its path. */
async function putExecutable(): Promise<string> {
  const name = `svc-${about.version}-linux-x64`;
  const tools = join(runner.repository, 'tools');
  await mkdir(join(home, name));
  await writeFile(join(home, name, 'svc'), `#!/bin/sh\nexec ${join(built.path, 'svc')} "$@"\n`, {
    mode: 0o755,
  });
  const archive = `${name}.tar.gz`;
  execFileSync('tar', ['-czf', join(tools, archive), '-C', home, name]);
  await writeFile(join(tools, `${archive}.sha256`), execFileSync('sha256sum', [archive], { cwd: tools }));
  return `tools/${archive}`;
}

/** Returns whether a job installed svc with npm. */
const hasInstalledByNpm = (): boolean => existsSync(join(home, 'npm', 'bin', 'svc'));

/** Runs a command as a member of the team, in their own copy of the repository. */
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

/** Returns the ids of the tasks that the campaign has made. */
const tasks = async (): Promise<readonly number[]> =>
  JSON.parse((await person('task list -o json --all')).stdout)
    .filter(({ name }: { readonly name: string }) => name.includes('[svc-'))
    .map(({ id }: { readonly id: number }) => id);

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(runner.repository, 'campaigns', file);
  await writeFile(path, change(await readFile(path, 'utf8').catch(() => '')));
};

/** Another campaign of the same repository. It only makes a folder. */
const OTHER = 'version: 1\ncampaign: Other\nfolders:\n  people: {name: People}\n';

type Event = 'pull request' | 'pull request from a fork' | 'merge' | 'week';

interface Example {
  readonly jobs: (event: Event) => readonly string[];
  readonly run: (job: string, event: Event) => Promise<JobRun>;
  /** Path of the plan among the artifacts. */
  readonly kept: string;
  /** Returns the output about the plan, and about its application. */
  readonly shown: (run: JobRun) => string | undefined;
  /** Matches a finding in the log or in the reports. */
  readonly finding: (file: string, rule: string) => RegExp;
}

const source = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const workflow: GithubWorkflow = parse(await source('examples/ci/github-actions.yml'));
const action: GithubAction = parse(await source('.github/actions/campaign/action.yml'));
const ACTIONS = { folder: resolve('.github/actions/campaign'), action };
const OWN = 'example/svc/.github/actions/campaign';
const component = await source('examples/ci/gitlab-component/templates/campaign.yml');
const including = await source('examples/ci/gitlab-ci.yml');
const pipeline = gitlabPipeline(including, component);

/** The job of GitHub, which gives no secrets to forks (GitHub, "Using secrets in GitHub Actions"). */
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
    run: (job, event) => runGithubJob(workflow, job, contexts(event), runner, { [OWN]: ACTIONS }),
    kept: 'campaigns/spring.plan',
    shown: ({ summary }) => summary,
    finding: (file, rule) => new RegExp(`^::(error|warning|notice) file=${file}[^\n]*title=${rule}::`, 'm'),
  };
}

/**
 * The job of GitLab. The pipeline of a fork belongs to the fork, which has no variables of the project (GitLab, "Merge request
 * pipelines").
 */
function gitlab(): Example {
  const variables = (event: Event): Readonly<Record<string, string>> => ({
    CI_DEFAULT_BRANCH: 'main',
    ...(event === 'merge' || event === 'week'
      ? { CI_PIPELINE_SOURCE: event === 'merge' ? 'push' : 'schedule', CI_COMMIT_BRANCH: 'main' }
      : {
          CI_PIPELINE_SOURCE: 'merge_request_event',
          CI_MERGE_REQUEST_PROJECT_ID: '1',
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: event === 'pull request' ? '1' : '2',
          CI_MERGE_REQUEST_DIFF_BASE_SHA: execFileSync('git', ['rev-parse', 'HEAD^1'], {
            cwd: runner.repository,
            encoding: 'utf8',
          }).trim(),
        }),
    ...(event === 'pull request from a fork' ? {} : accessEnv()),
  });
  return {
    jobs: (event) => gitlabJobs(pipeline, variables(event)),
    run: (job, event) => runGitlabJob(pipeline, job, variables(event), runner),
    kept: 'plans/campaigns/spring.plan',
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
  afterEach(() => removeFolder(home));

  it('lints and plans a pull request, writes nothing, and never shows the key', async () => {
    const example = exampleOf();
    expect(example.jobs('pull request')).toEqual(['lint', 'plan', 'rehearse']);
    const lint = await example.run('lint', 'pull request');
    expect(lint.exitCode, lint.log).toBe(0);
    const reports = [lint.log, ...lint.artifacts.values()].join('\n');
    expect(reports).toMatch(example.finding('campaigns/content/reminder.txt', 'sms-sender-countries'));

    const plan = await example.run('plan', 'pull request');
    expect(plan.exitCode, plan.log).toBe(0);
    const kept = JSON.parse(plan.artifacts.get(example.kept) ?? '');
    expect(kept).toMatchObject({ campaign: 'Spring sale', inputs: { file: 'spring.yaml' } });
    // The review takes three days.
    expect(kept.validUntil - kept.made).toBe(3 * 86_400);
    for (const words of [
      '### Campaign Spring sale, company 1 (Harbour Coffee Roasters)\n\n7 to create.\n',
      '| create | task | newsletter | Spring sale to the newsletter | sends message spring to list 1<br>',
      `Plan: sha256 ${kept.sha256}`,
    ])
      expect(example.shown(plan)).toContain(words);

    const rehearsal = await example.run('rehearse', 'pull request');
    expect(rehearsal.exitCode, rehearsal.log).toBe(0);
    const report = [rehearsal.log, rehearsal.summary].join('\n');
    expect(report).toMatch(/^### Rehearsal of Harbour Coffee Roasters \(company 1\) against .*[0-9a-f]{10}/m);
    expect(report).toContain('does not have the file campaigns/spring.yaml, so everything in it is new.');
    expect(report).toContain('Spring sale to the newsletter');
    for (const run of [lint, plan, rehearsal])
      expect([run.log, run.summary, ...run.artifacts.values()].join('\n')).not.toContain(access.key);
    expect(await tasks()).toEqual([]);
  });

  it('fails a pull request for an error in the content or in a test, and still lints every message', async () => {
    await edit('spring.test.yaml', (text) => text.replace('ada opens', 'ada opened'));
    for (const file of ['content/spring.html', 'content/thanks.html'])
      await edit(file, (text) => text.replace('</body>', '<a href="http://localhost/">Spring</a></body>'));
    const example = exampleOf();
    const lint = await example.run('lint', 'pull request');
    expect(lint.exitCode, lint.log).toBe(11);
    const reports = [lint.log, ...lint.artifacts.values()].join('\n');
    expect(reports).toMatch(example.finding('campaigns/content/spring.html', 'local-address'));
    expect(reports).toMatch(example.finding('campaigns/content/thanks.html', 'local-address'));
    expect(reports).toMatch(example.finding('campaigns/spring.test.yaml', 'campaign-file'));
  });

  it('also fails it for an error in the campaign file, with line and column', async () => {
    await edit('spring.yaml', (text) => text.replace('list: 1', 'lists: 1'));
    const plan = await exampleOf().run('plan', 'pull request');
    expect([plan.exitCode, plan.log]).toEqual([
      2,
      expect.stringMatching(/campaigns\/spring\.yaml:[0-9]+:[0-9]+/),
    ]);
  });

  it('lints a pull request from a fork without secrets, and does not plan it', async () => {
    const example = exampleOf();
    expect(example.jobs('pull request from a fork')).toEqual(['lint']);
    const lint = await example.run('lint', 'pull request from a fork');
    expect(lint.exitCode, lint.log).toBe(0);
  });

  it('applies the approved plan once after a merge, and nothing without an approval or with other content', async () => {
    const example = exampleOf();
    expect(example.jobs('merge')).toEqual(['apply']);
    const plan = await example.run('plan', 'pull request');

    // A merge without a plan is not a failure: not every change of the folder is for a send.
    const without = await example.run('apply', 'merge');
    expect([without.exitCode, without.log]).toEqual([0, expect.stringMatching(/there is no plan to apply/i)]);
    expect(example.shown(without)).toBe('There is no plan to apply.\n');
    await writeFile(
      join(runner.repository, 'campaigns', 'spring.plan'),
      plan.artifacts.get(example.kept) ?? '',
    );
    const unapproved = await example.run('apply', 'merge');
    expect([unapproved.exitCode, unapproved.log]).toEqual([
      2,
      expect.stringContaining('the plan has 0 of 1 approvals'),
    ]);
    // Who looks at the job sees why, without its log.
    expect(example.shown(unapproved)).toMatch(
      /^ {4}svc apply campaigns\/spring\.plan ended with exit code 2\.[\s\S]*^ {4}svc: the plan has 0 of 1 approvals$/m,
    );
    expect(await tasks()).toEqual([]);

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

    // No one approved the tasks and rules that the demo account already had.
    expect(example.jobs('week')).toEqual(['audit']);
    const audit = await example.run('audit', 'week');
    expect(audit.exitCode, audit.log).toBe(11);
    const audited = audit.artifacts.get('audit.csv') ?? audit.summary ?? '';
    for (const id of made)
      expect(audited).toMatch(new RegExp(`^ *task,${id},.*,approved,campaigns/spring.plan,`, 'm'));
    expect(audited).toContain(',unapproved,');
    expect([audit.log, audited].join('\n')).not.toContain(access.key);

    const again = await example.run('apply', 'merge');
    expect(again.exitCode, again.log).toBe(0);
    expect(example.shown(again)).toContain('Nothing was changed.\n');
    expect(await tasks()).toEqual(made);

    // Nothing is left to plan, and the plan that is there stays as it is.
    const planned = await example.run('plan', 'pull request');
    expect(planned.exitCode, planned.log).toBe(0);
    expect(planned.artifacts.get(example.kept)).toBeUndefined();
  });

  it('plans, rehearses and applies several campaigns of one repository, and goes on after a failure', async () => {
    const example = exampleOf();
    await edit('spring.yaml', (text) => text.replace('campaign: Spring sale', 'campaign: Summer sale'));
    await edit('other.yaml', () => OTHER);
    await edit('broken.yaml', () =>
      OTHER.replace('campaign: Other', 'campaign: Broken').replace('name:', 'nam:'),
    );
    const lint = await example.run('lint', 'pull request');
    expect(lint.exitCode, lint.log).toBe(11);
    expect([lint.log, ...lint.artifacts.values()].join('\n')).toMatch(
      example.finding('campaigns/broken.yaml', 'campaign-file'),
    );
    const plan = await example.run('plan', 'pull request');
    expect(plan.exitCode, plan.log).toBe(2);
    const plans = [...plan.artifacts.keys()].filter((path) => path.endsWith('.plan'));
    expect(plans.map((path) => path.split('/').at(-1)).sort()).toEqual(['other.plan', 'spring.plan']);
    for (const words of [
      '### Campaign Other, company 1',
      '### Campaign Summer sale',
      'svc plan campaigns/broken.yaml ended with exit code 2',
    ])
      expect(example.shown(plan)).toContain(words);
    const rehearsal = await example.run('rehearse', 'pull request');
    expect(rehearsal.exitCode, rehearsal.log).toBe(2);
    const reports = [rehearsal.summary, ...rehearsal.artifacts.values()].join('\n');
    for (const words of [
      'does not have the file campaigns/other.yaml, so everything in it is new.',
      'svc rehearse campaigns/broken.yaml ended with exit code 2',
    ])
      expect(reports).toContain(words);

    await rm(join(runner.repository, 'campaigns', 'broken.yaml'));
    for (const path of plans) {
      const name = `campaigns/${path.split('/').at(-1)}`;
      await writeFile(join(runner.repository, name), plan.artifacts.get(path) ?? '');
      if (name.includes('other')) await person(`approve ${name} --identity ../ada --name ada --yes`);
    }
    // One is not approved, and the other one is applied in spite of it.
    const before = await tasks();
    const applied = await example.run('apply', 'merge');
    expect(applied.exitCode, applied.log).toBe(2);
    expect(await tasks()).toHaveLength(before.length);
    for (const words of [
      'svc apply campaigns/spring.plan ended with exit code 2',
      '### Campaign Other\n\n1 step done.',
    ])
      expect(example.shown(applied)).toContain(words);
  });
});

describe('the action for GitHub', () => {
  beforeAll(open);
  afterAll(close);
  beforeEach(checkOut);
  afterEach(() => removeFolder(home));

  const contexts = (number: string): Contexts => ({
    github: { repository: 'team/campaigns', token: 'token-of-the-job', event: { pull_request: { number } } },
    vars: { SVC_BASE_URL: access.baseUrl, SVC_COMPANY_ID: '1', SVC_USER_ID: access.user },
    secrets: { SVC_API_KEY: access.key },
  });
  /** Returns a job with these steps of the action, after a checkout. */
  const run = (steps: readonly Readonly<Record<string, unknown>>[], number = '7') =>
    runGithubJob(
      {
        ...workflow,
        jobs: {
          job: {
            if: '',
            steps: [
              { uses: 'actions/checkout@x' },
              ...steps.map(({ if: condition, ...inputs }, at) => ({
                id: `step-${at}`,
                uses: `${OWN}@v${about.version}`,
                with: inputs,
                ...(condition === undefined ? {} : { if: String(condition) }),
              })),
            ],
          },
        },
      },
      'job',
      contexts(number),
      runner,
      { [OWN]: ACTIONS },
    );
  const archive = `tools/svc-${about.version}.tgz`;
  const key = `\${{ secrets.SVC_API_KEY }}`;
  const comment = { step: 'comment', token: `\${{ github.token }}`, if: `\${{ !cancelled() }}` };

  interface Comment {
    readonly url: string;
    readonly viewerDidAuthor: boolean;
    readonly body: string;
  }
  const comments = async (): Promise<readonly Comment[]> =>
    JSON.parse(await readFile(join(home, 'comments.json'), 'utf8'));

  it('posts the report of a failed rehearsal, and fails with its exit code', async () => {
    await edit('spring.yaml', (text) => text.replace('expect-size: 300..500', 'expect-size: 1..2'));
    const job = await run([{ step: 'rehearse', archive, 'api-key': key }, comment]);
    expect(job.exitCode, job.log).toBe(11);
    const [only, ...others] = await comments();
    expect(others).toEqual([]);
    expect(only?.body).toMatch(/^<!-- svc rehearsal campaigns\/spring\.yaml -->\n#.*\n[\s\S]*blocked/);
    expect(`${job.log}${only?.body}`).not.toContain(access.key);
  });

  it('posts what the pull request changes, and fails only for new errors', async () => {
    // A message of both has an error.
    await edit('content/spring.html', (text) =>
      text.replace('</body>', '<a href="http://localhost/">Spring</a></body>'),
    );
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=a@example.com', 'commit', '-qam', 'x'], {
      cwd: runner.repository,
    });
    await edit('spring.yaml', (text) => text.replace('at: +10d', 'at: +11d'));
    const step = { step: 'rehearse', archive, 'api-key': key, against: 'HEAD' };
    const job = await run([step, comment]);
    expect(job.exitCode, job.log).toBe(0);
    const [only] = await comments();
    expect(only?.body).toMatch(/ against HEAD \(commit [0-9a-f]{10}\)\n/);
    expect(only?.body).toMatch(/^\| changed \| .*<br>was .* \| SMS Spring sale, last day /m);
    expect(only?.body).not.toContain('Spring sale to the newsletter');
  });

  it('posts the whole rehearsal if the target branch has faults', async () => {
    await edit('spring.yaml', (text) => text.replace('list: 1', 'lists: 1'));
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=a@example.com', 'commit', '-qam', 'x'], {
      cwd: runner.repository,
    });
    await edit('spring.yaml', (text) => text.replace('lists: 1', 'list: 1'));
    const job = await run([{ step: 'rehearse', archive, 'api-key': key, against: 'HEAD' }, comment]);
    expect(job.exitCode, job.log).toBe(0);
    const [only] = await comments();
    expect(only?.body).toContain('Spring sale to the newsletter');
    expect(only?.body).toContain('This is the whole rehearsal');
  });

  // Other workflows comment as the same user, and everybody can write the mark.
  it('has one comment for each campaign, and replaces no other', async () => {
    await edit('other.yaml', () => OTHER);
    const mark = '<!-- svc rehearsal campaigns/spring.yaml -->';
    const others = [
      {
        url: 'https://github.com/team/campaigns/pull/7#issuecomment-1',
        viewerDidAuthor: true,
        body: 'Coverage: 80 %',
      },
      {
        url: 'https://github.com/team/campaigns/pull/7#issuecomment-2',
        viewerDidAuthor: false,
        body: `${mark}\nmine`,
      },
    ];
    await writeFile(join(home, 'comments.json'), JSON.stringify(others));
    for (let runs = 0; runs < 2; runs += 1) {
      const job = await run([{ step: 'rehearse', archive, 'api-key': key }, comment]);
      expect(job.exitCode, job.log).toBe(0);
    }
    const [first, second, ...own] = await comments();
    expect([first, second]).toEqual(others);
    expect(own.map(({ body }) => body.split('\n')[0])).toEqual([
      '<!-- svc rehearsal campaigns/other.yaml -->',
      mark,
    ]);
  });

  it('names its artifact by the campaign, says whether there are changes, and annotates a failure', async () => {
    await edit('other.yaml', () => OTHER);
    const plan = { step: 'plan', archive, 'api-key': key };
    const job = await run([
      { ...plan, campaign: 'campaigns/other.yaml' },
      { ...plan, campaign: 'campaigns/spring.yaml' },
    ]);
    expect(job.exitCode, job.log).toBe(0);
    expect([...job.artifacts.keys()].sort()).toEqual(['campaigns/other.plan', 'campaigns/spring.plan']);
    expect(job.artifactNames).toEqual(['plan-other', 'plan-spring']);
    const digest = (name: string): string => JSON.parse(job.artifacts.get(name) ?? '').sha256;
    const planned = { 'exit-code': '0', changes: 'true' };
    const outputs = [0, 1].map((at) => job.outputs?.[`step-${at}`]?.outputs);
    expect(outputs).toEqual([
      { ...planned, artifact: 'plan-other', steps: '1', sends: '0', sha256: digest('campaigns/other.plan') },
      {
        ...planned,
        artifact: 'plan-spring',
        steps: '7',
        sends: '2',
        sha256: digest('campaigns/spring.plan'),
      },
    ]);
    const both = await run([plan]);
    expect(both.artifactNames).toEqual(['plans']);
    expect(both.outputs?.['step-0']?.outputs).toMatchObject({ artifact: 'plans', steps: '8', sends: '2' });

    await edit('spring.yaml', (text) => text.replace('list: 1', 'lists: 1'));
    const failed = await run([plan]);
    expect(failed.exitCode, failed.log).toBe(2);
    expect(failed.outputs?.['step-0']?.outputs).toMatchObject({ 'exit-code': '2', steps: '1' });
    expect(failed.log).toMatch(
      /^::error::svc plan campaigns\/spring\.yaml ended with exit code 2\.%0A%0A.*unknown attribute lists/m,
    );
    expect(failed.summary).toMatch(/^ {4}.*unknown attribute lists/m);
    expect(failed.artifactNames).toEqual(['plans']);
  });

  it.each([
    ['an unknown step', [{ step: 'send; rm -rf .' }], 2, 'step is send?rm?rf?; it must be lint'],
    [
      'a folder without campaigns',
      [{ step: 'lint', campaign: 'tools/*.yaml' }],
      2,
      'no file matches the input campaign',
    ],
    ['a missing archive', [{ step: 'plan', archive: 'tools/none.tgz' }], 1, 'none.tgz.sha256'],
  ])('rejects %s', async (_, steps, exitCode, words) => {
    const job = await run(steps);
    expect([job.exitCode, job.log.replaceAll('??', '?')]).toEqual([exitCode, expect.stringContaining(words)]);
    expect(job.artifacts.size).toBe(0);
  });

  it('takes the executable of a release, and installs nothing with npm', async () => {
    const executable = await putExecutable();
    const job = await run([{ step: 'rehearse', archive: executable, 'api-key': key }]);
    expect(job.exitCode, job.log).toBe(0);
    expect(hasInstalledByNpm()).toBe(false);
    await writeFile(join(runner.repository, executable), 'another program');
    const forged = await run([{ step: 'rehearse', archive: executable, 'api-key': key }]);
    expect([forged.exitCode, forged.log]).toEqual([1, expect.stringContaining('FAILED')]);
  });

  it('rejects an archive whose checksum differs', async () => {
    await writeFile(join(runner.repository, archive), 'another program');
    const job = await run([{ step: 'plan', archive, 'api-key': key }]);
    expect([job.exitCode, job.log]).toEqual([1, expect.stringContaining('FAILED')]);
  });

  it('posts nothing outside a pull request', async () => {
    const job = await run([comment], '');
    expect([job.exitCode, job.log]).toEqual([2, expect.stringContaining('needs a pull request')]);
  });

  it('passes an input as one word, whatever its content', async () => {
    const job = await run([
      { step: 'plan', archive, campaign: '$(touch made) `touch made` "; touch made; "', 'api-key': key },
    ]);
    expect([job.exitCode, job.log]).toEqual([2, expect.stringContaining('touch made')]);
    const option = await run([{ step: 'plan', archive, campaign: '--help', 'api-key': key }]);
    expect([option.exitCode, option.log]).toEqual([2, expect.stringContaining('--help')]);
  });
});

describe('the component for GitLab', () => {
  beforeAll(open);
  afterAll(close);
  beforeEach(checkOut);
  afterEach(() => removeFolder(home));

  /** The notes of the merge request, and the requests for them. */
  let notes: { id: number; body: string }[];
  let asked: string[];
  /** GitLab, "Notes API": lists, creates and changes the notes of a merge request. */
  const gitlabServer = async (status = 200): Promise<Server> => {
    notes = [{ id: 1, body: 'Looks good' }];
    asked = [];
    const server = createServer(async (request, response) => {
      asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      const allowed = request.headers['private-token'] === 'note-token' && status === 200;
      let text = '';
      for await (const chunk of request) text += chunk;
      const [, id] = /\/notes\/(\d+)$/.exec(request.url ?? '') ?? [];
      if (allowed && request.method === 'POST') notes.push({ id: notes.length + 1, ...JSON.parse(text) });
      if (allowed && request.method === 'PUT')
        notes = notes.map((note) => (note.id === Number(id) ? { ...note, ...JSON.parse(text) } : note));
      response.writeHead(allowed ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(allowed ? notes : { message: '403 Forbidden' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  };
  const putReport = async (name: string, text: string): Promise<void> => {
    await mkdir(join(runner.repository, 'rehearsals', 'campaigns'), { recursive: true });
    await writeFile(join(runner.repository, 'rehearsals', 'campaigns', `${name}.yaml.md`), text);
  };
  const comment = (server: Server) =>
    runGitlabJob(
      pipeline,
      'comment',
      {
        CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
        CI_PROJECT_ID: '12',
        CI_MERGE_REQUEST_IID: '7',
        SVC_NOTE_TOKEN: 'note-token',
      },
      runner,
    );

  it('runs the job comment only with a token for notes', () => {
    const request = {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_MERGE_REQUEST_PROJECT_ID: '1',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1',
    };
    expect(gitlabJobs(pipeline, request)).not.toContain('comment');
    expect(gitlabJobs(pipeline, { ...request, SVC_NOTE_TOKEN: 'note-token' })).toContain('comment');
  });

  it('posts the report once, and then replaces its own note', async () => {
    const server = await gitlabServer();
    try {
      for (const report of ['# First', '# Second']) {
        await putReport('spring', report);
        const job = await comment(server);
        expect(job.exitCode, job.log).toBe(0);
      }
      const path = '/api/v4/projects/12/merge_requests/7/notes';
      expect(asked).toEqual([`GET ${path}`, `POST ${path}`, `GET ${path}`, `PUT ${path}/2`]);
      await putReport('other', '# Other');
      expect((await comment(server)).exitCode).toBe(0);
      const mark = (name: string): string => `<!-- svc rehearsal campaigns/${name}.yaml -->`;
      expect(notes.map(({ body }) => body)).toEqual([
        'Looks good',
        `${mark('spring')}\n# Second`,
        `${mark('other')}\n# Other`,
      ]);
    } finally {
      server.close();
    }
  });

  it('fails if the token may not write notes, and posts no empty report', async () => {
    const server = await gitlabServer(403);
    try {
      await putReport('spring', '# Report');
      const refused = await comment(server);
      expect([refused.exitCode, refused.log]).toEqual([1, expect.stringContaining('failed: 403')]);
      expect(refused.log).not.toContain('note-token');
      await putReport('spring', '');
      const empty = await comment(server);
      expect([empty.exitCode, empty.log]).toEqual([0, 'there is no report to post\n']);
      expect(asked).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  it.each([
    ['unknown', 'campagn: x', 'unknown input campagn'],
    ['of another type', 'approvals: many', 'input approvals: many'],
  ])('rejects an input that is %s', (_, line, message) => {
    const text = including.replace(/inputs:\n[\s\S]*$/, `inputs:\n      ${line}\n`);
    expect(() => gitlabPipeline(text, component)).toThrow(message);
  });

  it('has stages and paths as inputs, for pipelines with other names', () => {
    const given =
      'inputs:\n      check_stage: verify\n      apply_stage: release\n      changes: mails/**/*\n';
    const { jobs } = gitlabPipeline(including.replace(/inputs:\n[\s\S]*$/, given), component);
    const stages = Object.entries(jobs).map(([name, { stage }]) => [name, stage]);
    expect(stages).toEqual([
      ...['lint', 'plan', 'rehearse'].map((name) => [name, 'verify']),
      ...['comment', 'apply'].map((name) => [name, 'release']),
      ['audit', 'verify'],
    ]);
    expect(jobs['apply']?.rules[0]?.changes).toEqual(['mails/**/*']);
    expect(pipeline.jobs['apply']?.stage).toBe('deploy');
  });

  it('takes the executable of a release, and installs nothing with npm', async () => {
    const executable = await putExecutable();
    const named = gitlabPipeline(including.replace(/archive: .*/, `archive: ${executable}`), component);
    const job = await runGitlabJob(named, 'rehearse', accessEnv(), runner);
    expect(job.exitCode, job.log).toBe(0);
    expect(hasInstalledByNpm()).toBe(false);
    await writeFile(join(runner.repository, executable), 'another program');
    const forged = await runGitlabJob(named, 'rehearse', accessEnv(), runner);
    expect([forged.exitCode, forged.log]).toEqual([1, expect.stringContaining('FAILED')]);
  });

  it('fails if there are no campaigns to lint', async () => {
    await rm(join(runner.repository, 'campaigns', 'spring.yaml'));
    const lint = await runGitlabJob(pipeline, 'lint', {}, runner);
    expect([lint.exitCode, lint.log]).toEqual([
      2,
      expect.stringContaining('no file matches the input campaign'),
    ]);
  });
});

describe('inputs of the examples', () => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  const uses = [...steps, ...action.runs.steps].flatMap((step) => step.uses ?? []);

  it('GitHub: the job may only read, and no credentials stay in the checkout', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = Object.entries(workflow.jobs).flatMap(([name, { permissions }]) =>
      permissions === undefined ? [] : [[name, permissions]],
    );
    expect(more).toEqual([['rehearse', { contents: 'read', 'pull-requests': 'write' }]]);
    const checkouts = steps.filter(({ uses: name }) => name?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    const depths = checkouts.flatMap((step) => step.with?.['fetch-depth'] ?? []);
    expect(depths).toEqual([2]);
    expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push', 'schedule']);
  });

  it('GitHub: only the steps that need the key or the token get it, and no line has an expression', () => {
    const secrets = { 'api-key': `\${{ secrets.SVC_API_KEY }}`, token: `\${{ github.token }}` };
    const given = steps.flatMap((step) =>
      step.uses?.startsWith(OWN)
        ? [
            [
              step.with?.['step'],
              Object.entries(step.with ?? {}).filter(([, value]) => /\$\{\{/.test(String(value))),
            ],
          ]
        : [],
    );
    const key = [['api-key', secrets['api-key']]];
    expect(given).toEqual([
      ['lint', []],
      ['plan', key],
      ['rehearse', key],
      ['comment', [['token', secrets.token]]],
      ['apply', key],
      ['audit', key],
    ]);
    // Checks inside the action which step has which secret.
    const inside = action.runs.steps.flatMap((step) =>
      ['SVC_API_KEY', 'GH_TOKEN'].filter((name) => name in (step.env ?? {})).map((name) => [step.if, name]),
    );
    expect(inside).toEqual([
      ["inputs.step == 'plan'", 'SVC_API_KEY'],
      ["inputs.step == 'rehearse'", 'SVC_API_KEY'],
      ["inputs.step == 'comment'", 'GH_TOKEN'],
      ["inputs.step == 'apply'", 'SVC_API_KEY'],
      ["inputs.step == 'audit'", 'SVC_API_KEY'],
    ]);
    const lines = [...steps, ...action.runs.steps].flatMap(({ run }) => run ?? []).join('\n');
    expect(lines).not.toMatch(/\$\{\{|API_KEY/);
  });

  it('GitHub: other actions and Node are pinned, ours has this version, and every job has a time-out', () => {
    const others = uses.filter((name) => !name.startsWith(`${OWN}@`));
    expect(others.length).toBe(7);
    expect(others.filter((name) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(name))).toEqual([]);
    expect(new Set(uses.filter((name) => name.startsWith(OWN)))).toEqual(
      new Set([`${OWN}@v${about.version}`]),
    );
    const nodes = action.runs.steps.flatMap((step) => step.with?.['node-version'] ?? []);
    expect(nodes).toEqual([expect.stringMatching(/^[0-9]+\.[0-9]+\.[0-9]+$/)]);
    expect(Object.values(workflow.jobs).map((job) => typeof job['timeout-minutes'])).toEqual(
      Array(5).fill('number'),
    );
  });

  it('GitHub: every input is described, and every run step names its shell', () => {
    for (const [name, input] of Object.entries(action.inputs))
      expect(input.description, name).toMatch(/^[A-Z]/);
    const shells = action.runs.steps.filter(({ run }) => run !== undefined).map(({ shell }) => shell);
    expect(shells).toEqual(shells.map(() => 'bash'));
  });

  it('GitLab: the image is pinned, no line has the key, and one apply runs at a time', () => {
    expect(pipeline.jobs['plan']?.image).toMatch(/^node:[0-9]+\.[0-9]+\.[0-9]+-bookworm$/);
    expect(JSON.stringify(pipeline)).not.toContain('API_KEY');
    expect(pipeline.jobs['apply']).toMatchObject({ resource_group: 'campaigns', environment: 'production' });
    // GitLab allows no variables in exposed paths.
    expect(pipeline.jobs['plan']?.artifacts?.paths).toEqual(['plan.md', 'plans']);
  });
});
