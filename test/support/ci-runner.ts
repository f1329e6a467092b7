/**
 * A shell in place of the runners of GitHub Actions and GitLab: it takes a job as the YAML has it, checks the repository out into an
 * empty folder, gives the environment that the runner would give, and runs the lines with bash as the runner does. What it does not
 * know it refuses, so that nothing is passed over.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Runner {
  /** Working folders and artifacts of jobs are made here. */
  readonly home: string;
  /** What a checkout brings. */
  readonly repository: string;
  /** Of the machine: PATH, and where npm keeps what. */
  readonly env: Readonly<Record<string, string>>;
}

export interface JobRun {
  readonly exitCode: number | null;
  /** stdout and stderr of all lines, as the log shows them. */
  readonly log: string;
  /** GitHub: what the lines wrote to `GITHUB_STEP_SUMMARY`. */
  readonly summary: string;
  /** Files that were kept, by their path in the workspace. */
  readonly artifacts: ReadonlyMap<string, string>;
}

export interface GithubStep {
  readonly uses?: string;
  readonly run?: string;
  readonly name?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GithubJob {
  readonly if: string;
  readonly steps: readonly GithubStep[];
  readonly environment?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: unknown;
}

export interface GithubWorkflow {
  readonly on: Readonly<Record<string, { readonly paths: readonly string[] }>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, GithubJob>>;
}

/** What expressions may name: `github`, `vars`, `secrets`. */
export type Contexts = Readonly<Record<string, unknown>>;

/** The jobs that GitHub would run. */
export const githubJobs = ({ jobs }: GithubWorkflow, contexts: Contexts): readonly string[] =>
  Object.entries(jobs)
    .filter(([, job]) => holds(job.if, (operand) => operandIn(operand, contexts)))
    .map(([name]) => name);

export async function runGithubJob(
  { env, jobs }: GithubWorkflow,
  name: string,
  contexts: Contexts,
  runner: Runner,
): Promise<JobRun> {
  const job = jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  const folder = await mkdtemp(join(runner.home, `${name}-`));
  const workspace = join(folder, 'workspace');
  const summaryFile = join(folder, 'summary.md');
  await writeFile(summaryFile, '');
  await mkdir(workspace);
  const artifacts = new Map<string, string>();
  let log = '';
  for (const step of job.steps) {
    if (step.uses !== undefined) {
      const [action = ''] = step.uses.split('@');
      await takeAction(action, step.with ?? {}, { runner, workspace, artifacts });
      continue;
    }
    const given = Object.fromEntries(
      Object.entries({ ...env, ...step.env }).map(([key, text]) => [key, evaluated(text, contexts)]),
    );
    // GitHub, "Workflow syntax", shell: unspecified, bash runs as `bash -e {0}`.
    const ran = await bash(['-e'], step.run ?? '', workspace, {
      ...runner.env,
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: workspace,
      GITHUB_STEP_SUMMARY: summaryFile,
      ...given,
    });
    log += ran.log;
    if (ran.exitCode !== 0)
      return { exitCode: ran.exitCode, log, summary: await readFile(summaryFile, 'utf8'), artifacts };
  }
  return { exitCode: 0, log, summary: await readFile(summaryFile, 'utf8'), artifacts };
}

async function takeAction(
  action: string,
  inputs: Readonly<Record<string, unknown>>,
  {
    runner,
    workspace,
    artifacts,
  }: { readonly runner: Runner; readonly workspace: string; readonly artifacts: Map<string, string> },
): Promise<void> {
  switch (action) {
    case 'actions/checkout':
      return cp(runner.repository, workspace, { recursive: true });
    case 'actions/setup-node':
      // The Node of this test is in PATH.
      return;
    case 'actions/upload-artifact': {
      const path = String(inputs['path']);
      artifacts.set(path, await readFile(join(workspace, path), 'utf8'));
      return;
    }
    default:
      throw new Error(`this runner knows no ${action}`);
  }
}

/** `${{ vars.NAME }}` and the like in a text. */
const evaluated = (text: string, contexts: Contexts): string =>
  text.replace(/\$\{\{\s*([^}]*?)\s*\}\}/g, (_, name: string) => operandIn(name, contexts));

/** A path of contexts, '' where there is nothing, as GitHub has it; or a text in quotes. */
function operandIn(operand: string, contexts: Contexts): string {
  const [, quoted] = /^'([^']*)'$/.exec(operand) ?? [];
  if (quoted !== undefined) return quoted;
  if (!/^(github|vars|secrets)(\.[a-zA-Z_]+)+$/.test(operand))
    throw new Error(`this runner knows no ${operand}`);
  let value: unknown = contexts;
  for (const part of operand.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return String(value ?? '');
}

/** Equalities with `&&` between them. */
const holds = (expression: string, textOf: (operand: string) => string): boolean =>
  expression.split(' && ').every((equality) => {
    const [left, right, ...more] = equality.split(' == ');
    if (left === undefined || right === undefined || more.length > 0)
      throw new Error(`this runner does not know the expression ${equality}`);
    return textOf(left) === textOf(right);
  });

export interface GitlabJob {
  readonly script: readonly string[];
  readonly rules: readonly { readonly if: string; readonly changes?: readonly string[] }[];
  readonly artifacts?: {
    readonly when?: 'always';
    readonly paths?: readonly string[];
    readonly reports?: { readonly junit: string };
    readonly expose_as?: string;
  };
}

export interface GitlabPipeline {
  readonly variables: Readonly<Record<string, string>>;
  readonly default: { readonly image: string; readonly before_script: readonly string[] };
  readonly [job: string]: unknown;
}

type Variables = Readonly<Record<string, string>>;

export const gitlabJobsOf = ({ variables: _, default: __, ...jobs }: GitlabPipeline) =>
  jobs as Readonly<Record<string, GitlabJob>>;

/** The jobs that GitLab would run. @param variables those that it predefines, and the project's */
export const gitlabJobs = (pipeline: GitlabPipeline, variables: Variables): readonly string[] =>
  Object.entries(gitlabJobsOf(pipeline))
    .filter(([, { rules }]) => rules.some((rule) => holds(rule.if, (name) => variableIn(name, variables))))
    .map(([name]) => name);

function variableIn(operand: string, variables: Variables): string {
  const [, quoted] = /^"([^"]*)"$/.exec(operand) ?? [];
  if (quoted !== undefined) return quoted;
  const [, name] = /^\$([A-Z_]+)$/.exec(operand) ?? [];
  if (name === undefined) throw new Error(`this runner knows no ${operand}`);
  return variables[name] ?? '';
}

/** @param variables the project's win over those of the file (GitLab, "CI/CD variable precedence") */
export async function runGitlabJob(
  pipeline: GitlabPipeline,
  name: string,
  variables: Variables,
  runner: Runner,
): Promise<JobRun> {
  const job = gitlabJobsOf(pipeline)[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  const workspace = await mkdtemp(join(runner.home, `${name}-`));
  await cp(runner.repository, workspace, { recursive: true });
  // GitLab's runner writes one script of all lines, behind `set -eo pipefail`.
  const lines = ['set -eo pipefail', ...pipeline.default.before_script, ...job.script].join('\n');
  const env = { ...runner.env, CI: 'true', GITLAB_CI: 'true', ...pipeline.variables, ...variables };
  const { exitCode, log } = await bash([], lines, workspace, env);
  const { when, paths = [], reports } = job.artifacts ?? {};
  const artifacts = new Map<string, string>();
  if (exitCode === 0 || when === 'always')
    for (const path of [...paths, ...(reports ? await expanded(reports.junit, workspace) : [])])
      if (exitCode === 0 || (await exists(join(workspace, path))))
        artifacts.set(path, await readFile(join(workspace, path), 'utf8'));
  return { exitCode, log, summary: '', artifacts };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function expanded(pattern: string, cwd: string): Promise<readonly string[]> {
  const { log } = await bash([], `ls ${pattern}`, cwd, { PATH: process.env['PATH'] ?? '' });
  return log.trim().split('\n');
}

async function bash(
  flags: readonly string[],
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number | null; readonly log: string }> {
  const args = ['--noprofile', '--norc', ...flags, '-c', script];
  const child = spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString('utf8');
    });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, log };
}
