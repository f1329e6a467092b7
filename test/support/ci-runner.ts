/**
 * Runs jobs of GitHub Actions and GitLab in a shell. It reads a job from the YAML, and checks the repository out into an empty folder. It
 * sets the environment of the real runner, and runs the lines with bash as the runner does. It refuses everything that it does not know,
 * so that it skips nothing.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parse } from 'yaml';

export interface Runner {
  /** The folder for working folders and artifacts of jobs. */
  readonly home: string;
  /** The repository to check out. */
  readonly repository: string;
  /** Variables of the machine: PATH, and the folders of npm. */
  readonly env: Readonly<Record<string, string>>;
}

export interface JobRun {
  readonly exitCode: number | null;
  /** stdout and stderr of all lines, as the log shows them. */
  readonly log: string;
  /** GitHub: the text that the lines wrote to `GITHUB_STEP_SUMMARY`. */
  readonly summary: string;
  /** Files that were kept, by their path in the workspace. */
  readonly artifacts: ReadonlyMap<string, string>;
  /** GitHub: the names of the uploaded artifacts. GitHub refuses a second one of the same name. */
  readonly artifactNames: readonly string[];
  /** GitHub: the outputs of the steps with an id. */
  readonly outputs?: Readonly<Record<string, { readonly outputs: Readonly<Record<string, string>> }>>;
}

export interface GithubStep {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly name?: string;
  readonly if?: string;
  readonly shell?: string;
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

/** A composite action, as its `action.yml` defines it. */
export interface GithubAction {
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly required?: boolean; readonly default?: string }>
  >;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: 'composite'; readonly steps: readonly GithubStep[] };
}

/** Our own actions and their folders, by the text before the `@` of `uses`. */
export type OwnActions = Readonly<Record<string, { readonly action: GithubAction; readonly folder: string }>>;

/** The names that expressions may use: `github`, `vars`, `secrets`; inside an action also `inputs`, `runner` and `steps`. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Returns the jobs that GitHub would run. */
export const githubJobs = ({ jobs }: GithubWorkflow, contexts: Contexts): readonly string[] =>
  Object.entries(jobs)
    .filter(([, job]) => holds(job.if, (operand) => operandIn(operand, contexts)))
    .map(([name]) => name);

/**
 * Runs a job.
 * @throws for an action, an input or an expression that this runner does not know
 */
export async function runGithubJob(
  { env, jobs }: GithubWorkflow,
  name: string,
  contexts: Contexts,
  runner: Runner,
  actions: OwnActions,
): Promise<JobRun> {
  const job = jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  const folder = await mkdtemp(join(runner.home, `${name}-`));
  const workspace = join(folder, 'workspace');
  const temporary = join(folder, 'temp');
  const summaryFile = join(folder, 'summary.md');
  await writeFile(summaryFile, '');
  await mkdir(workspace);
  await mkdir(temporary);
  const state: GithubRun = { exitCode: 0, log: '', paths: [], outputs: {} };
  const artifacts = new Map<string, string>();
  const artifactNames: string[] = [];
  const folders = { workspace, temporary, summaryFile };
  await runSteps(job.steps, { env, contexts, runner, actions, ...folders, artifacts, artifactNames, state });
  return { ...state, artifactNames, summary: await readFile(summaryFile, 'utf8'), artifacts };
}

interface GithubRun {
  /** The exit code of the first step that failed. */
  exitCode: number | null;
  log: string;
  /** Folders that steps put before the PATH of later steps, the newest first. */
  readonly paths: string[];
  /** Outputs of the steps with an id. */
  readonly outputs: Record<string, { readonly outputs: Readonly<Record<string, string>> }>;
}

interface StepSurroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly contexts: Contexts;
  readonly runner: Runner;
  readonly actions: OwnActions;
  readonly workspace: string;
  readonly temporary: string;
  /** The folder of the action whose steps run. */
  readonly actionPath?: string;
  readonly summaryFile: string;
  readonly artifacts: Map<string, string>;
  readonly artifactNames: string[];
  readonly state: GithubRun;
}

async function runSteps(steps: readonly GithubStep[], around: StepSurroundings): Promise<void> {
  const { env, runner, actions, workspace, temporary, actionPath, summaryFile, state } = around;
  const contexts = { ...around.contexts, runner: { temp: temporary }, steps: state.outputs };
  const values = (texts: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, evaluated(String(text), contexts)]));
  for (const step of steps) {
    if (!isToRun(step.if, state.exitCode !== 0, contexts)) continue;
    if (step.uses !== undefined) {
      const [action = ''] = step.uses.split('@');
      const own = actions[action];
      // An earlier failure does not affect the steps inside an action that runs in spite of it.
      const inner: GithubRun = { exitCode: 0, log: '', paths: state.paths, outputs: {} };
      if (own === undefined) await takeAction(action, values(step.with), around);
      else
        await runSteps(own.action.runs.steps, {
          ...around,
          actionPath: own.folder,
          env: { ...env, ...values(step.env) },
          contexts: { ...contexts, inputs: inputsOf(own.action, values(step.with)) },
          state: inner,
        });
      state.log += inner.log;
      if (state.exitCode === 0) state.exitCode = inner.exitCode;
      if (own !== undefined && step.id !== undefined)
        state.outputs[step.id] = { outputs: outputsOf(own.action, { ...contexts, steps: inner.outputs }) };
    } else {
      // GitHub, "Workflow syntax", shell: without a name, bash runs as `bash -e {0}`; with its name, also with pipefail.
      const flags = step.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e'];
      const outputFile = join(temporary, 'output');
      const pathFile = join(temporary, 'path');
      await writeFile(outputFile, '');
      await writeFile(pathFile, '');
      const ran = await bash(flags, step.run ?? '', workspace, {
        ...runner.env,
        ...(actionPath === undefined ? {} : { GITHUB_ACTION_PATH: actionPath }),
        RUNNER_TEMP: temporary,
        PATH: [...state.paths, runner.env['PATH']].join(':'),
        GITHUB_OUTPUT: outputFile,
        GITHUB_PATH: pathFile,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        GITHUB_STEP_SUMMARY: summaryFile,
        ...values({ ...env, ...step.env }),
      });
      state.paths.unshift(...(await readFile(pathFile, 'utf8')).split('\n').filter((line) => line !== ''));
      state.log += ran.log;
      if (state.exitCode === 0) state.exitCode = ran.exitCode;
      if (step.id !== undefined)
        state.outputs[step.id] = { outputs: outputsIn(await readFile(outputFile, 'utf8')) };
    }
  }
}

/** Returns the outputs of an action, which come from outputs of its steps. */
const outputsOf = ({ outputs }: GithubAction, contexts: Contexts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, { value }]) => [name, evaluated(value, contexts)] as const),
  );

/** Reads lines `name=value`. */
const outputsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Returns whether a step runs. Without a condition about failures, it runs only if no step has failed. */
function isToRun(condition: string | undefined, failed: boolean, contexts: Contexts): boolean {
  const expression = condition?.replace(/^\$\{\{\s*(.*?)\s*\}\}$/, '$1');
  const parts = expression?.split(' && ') ?? [];
  const others = parts.filter((part) => part !== '!cancelled()');
  if (failed && others.length === parts.length) return false;
  return others.length === 0 || holds(others.join(' && '), (operand) => operandIn(operand, contexts));
}

/** @throws for an input that the action does not have, and for a missing required one, although GitHub only warns */
function inputsOf({ inputs }: GithubAction, given: Readonly<Record<string, string>>): Record<string, string> {
  const unknown = Object.keys(given).filter((name) => !(name in inputs));
  const missing = Object.keys(inputs).filter((name) => inputs[name]?.required && !(name in given));
  if (unknown.length + missing.length > 0)
    throw new Error(`inputs of the action: ${[...unknown, ...missing].join(', ')}`);
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { default: otherwise = '' }]) => [name, given[name] ?? otherwise]),
  );
}

async function takeAction(
  action: string,
  inputs: Readonly<Record<string, unknown>>,
  { runner, workspace, artifacts, artifactNames }: StepSurroundings,
): Promise<void> {
  switch (action) {
    case 'actions/checkout':
      return cp(runner.repository, workspace, { recursive: true });
    case 'actions/setup-node':
      // The PATH already has the Node of this test.
      return;
    case 'actions/upload-artifact': {
      const name = String(inputs['name']);
      if (artifactNames.includes(name)) throw new Error(`409: the artifact ${name} already exists`);
      artifactNames.push(name);
      // A folder is kept with the paths below it.
      const folder = resolve(workspace, String(inputs['path']));
      for (const file of await filesBelow(folder))
        artifacts.set(relative(folder, file), await readFile(file, 'utf8'));
      return;
    }
    default:
      throw new Error(`this runner knows no ${action}`);
  }
}

/** Replaces `${{ vars.NAME }}` and similar expressions in a text. Of operands with `||` between them, the first that is not empty counts. */
const evaluated = (text: string, contexts: Contexts): string =>
  text.replace(
    /\$\{\{\s*([^}]*?)\s*\}\}/g,
    (_, names: string) =>
      names
        .split(' || ')
        .map((name) => operandIn(name, contexts))
        .find((value) => value !== '') ?? '',
  );

/** Returns the value at a path of contexts, or '' if it does not exist, as on GitHub; or a text in quotes. */
function operandIn(operand: string, contexts: Contexts): string {
  const [, quoted] = /^'([^']*)'$/.exec(operand) ?? [];
  if (quoted !== undefined) return quoted;
  if (!/^(github|vars|secrets|inputs|runner|steps)(\.[a-zA-Z0-9_-]+)+$/.test(operand))
    throw new Error(`this runner knows no ${operand}`);
  let value: unknown = contexts;
  for (const part of operand.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return String(value ?? '');
}

/** Evaluates comparisons that `&&` connects. A single text is true unless it is empty. */
const holds = (expression: string, textOf: (operand: string) => string): boolean =>
  expression.split(' && ').every((comparison) => {
    const [left, operator, right, ...more] = comparison.split(/ ([!=]=) /);
    if (left === undefined || more.length > 0 || /[()|<>]/.test(comparison))
      throw new Error(`this runner does not know the expression ${comparison}`);
    if (operator === undefined || right === undefined) return textOf(left) !== '';
    return (textOf(left) === textOf(right)) === (operator === '==');
  });

export interface GitlabJob {
  readonly image: string;
  readonly stage: string;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly rules: readonly { readonly if: string; readonly changes?: readonly string[] }[];
  readonly variables: Variables;
  readonly artifacts?: {
    readonly when?: 'always';
    readonly paths?: readonly string[];
    readonly reports?: { readonly junit: string };
    readonly expose_as?: string;
  };
}

export interface GitlabPipeline {
  readonly variables: Variables;
  readonly jobs: Readonly<Record<string, GitlabJob>>;
}

type Variables = Readonly<Record<string, string>>;

interface GitlabFile {
  readonly variables: Variables;
  readonly include: readonly {
    readonly component: string;
    readonly inputs: Readonly<Record<string, unknown>>;
  }[];
}

interface ComponentHeader {
  readonly spec: {
    readonly inputs: Readonly<
      Record<string, { readonly type?: 'number'; readonly default?: string | number }>
    >;
  };
}

/**
 * Reads a `.gitlab-ci.yml` that includes one component, as GitLab does. It checks the inputs and inserts them into the component's text,
 * and jobs inherit from the jobs that they extend.
 * @param component the text of the component's template
 * @throws for an input that the component does not have, lacks, or has with another type
 */
export function gitlabPipeline(text: string, component: string): GitlabPipeline {
  const { variables, include, ...own }: GitlabFile = parse(text);
  if (Object.keys(own).length > 0 || include.length !== 1)
    throw new Error('this runner knows one component alone');
  const [header = '', body = ''] = component.split(/^---$/m);
  const { spec }: ComponentHeader = parse(header);
  const given = include[0]?.inputs ?? {};
  for (const name of Object.keys(given)) if (!(name in spec.inputs)) throw new Error(`unknown input ${name}`);
  const filled = body.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const value = given[name] ?? spec.inputs[name]?.default;
    if (typeof value !== (spec.inputs[name]?.type ?? 'string')) throw new Error(`input ${name}: ${value}`);
    return String(value);
  });
  const jobs: Readonly<Record<string, Partial<GitlabJob> & { readonly extends?: string }>> = parse(filled);
  return {
    variables,
    jobs: Object.fromEntries(
      Object.entries(jobs)
        .filter(([name]) => !name.startsWith('.'))
        .map(([name, { extends: base = '', ...job }]) => [
          name,
          // GitLab, "CI/CD YAML syntax", extends: "You can use extends to merge hashes but not arrays."
          { ...jobs[base], ...job, variables: { ...jobs[base]?.variables, ...job.variables } } as GitlabJob,
        ]),
    ),
  };
}

/**
 * Returns the jobs that GitLab would run.
 * @param variables the predefined ones, and those of the project
 */
export const gitlabJobs = (pipeline: GitlabPipeline, variables: Variables): readonly string[] =>
  Object.entries(pipeline.jobs)
    .filter(([, { rules }]) => rules.some((rule) => holds(rule.if, (name) => variableIn(name, variables))))
    .map(([name]) => name);

function variableIn(operand: string, variables: Variables): string {
  const [, quoted] = /^"([^"]*)"$/.exec(operand) ?? [];
  if (quoted !== undefined) return quoted;
  const [, name] = /^\$([A-Z_]+)$/.exec(operand) ?? [];
  if (name === undefined) throw new Error(`this runner knows no ${operand}`);
  return variables[name] ?? '';
}

/**
 * Runs a job.
 * @param variables those of the project, which override those of the file (GitLab, "CI/CD variable precedence")
 */
export async function runGitlabJob(
  pipeline: GitlabPipeline,
  name: string,
  variables: Variables,
  runner: Runner,
): Promise<JobRun> {
  const job = pipeline.jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  const workspace = await mkdtemp(join(runner.home, `${name}-`));
  await cp(runner.repository, workspace, { recursive: true });
  // GitLab's runner writes one script of all lines, after `set -eo pipefail`.
  const lines = ['set -eo pipefail', ...job.before_script, ...job.script].join('\n');
  const env = {
    ...runner.env,
    CI: 'true',
    GITLAB_CI: 'true',
    ...pipeline.variables,
    ...job.variables,
    ...variables,
  };
  const { exitCode, log } = await bash([], lines, workspace, env);
  const { when, paths = [], reports } = job.artifacts ?? {};
  const artifacts = new Map<string, string>();
  if (exitCode === 0 || when === 'always')
    for (const path of [...paths, ...(reports ? [reports.junit] : [])])
      if (exitCode === 0 || (await exists(join(workspace, path))))
        for (const file of await filesBelow(join(workspace, path)))
          artifacts.set(relative(workspace, file), await readFile(file, 'utf8'));
  return { exitCode, log, summary: '', artifacts, artifactNames: [] };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the file itself, or all files of a folder. */
async function filesBelow(path: string): Promise<readonly string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
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
