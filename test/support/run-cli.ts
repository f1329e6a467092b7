/** Runs the command line in this process, from arguments and an outside to its output and exit code. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { expect } from 'vitest';
import type { Context, OutputStream, Prompter } from '../../src/cli/outside/context.ts';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { StartTimer } from '../../src/client/requests/ports.ts';
import { main } from '../../src/main.ts';
import type { Transport, WireRequest } from '../../src/service/protocol/wire.ts';
import { IDS, KEYS, NOW, type TestSandbox } from './sandbox.ts';
import { removeFolder } from './temporary-folder.ts';

export interface Outside {
  /** True if stdin, stdout and stderr are terminals. */
  readonly tty?: boolean;
  readonly columns?: number;
  /** Overrides the credentials of the company's admin; see `PARTNER` and `NOBODY`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** The service. Without it, no service can be reached. */
  readonly transport?: Transport;
  /** The answers of a person, in order: a text, or true and false. */
  readonly answers?: readonly (string | boolean)[];
  /** Called with each question before it is answered. */
  readonly onQuestion?: (question: string) => Promise<void>;
  /** Unix seconds of this machine. The default is NOW of the test sandbox. */
  readonly now?: number;
  readonly cwd?: string;
  readonly homeDir?: string;
  readonly signal?: AbortSignal;
  readonly machineZone?: string;
  /** Returns random octets, such as those of a nonce. */
  readonly random?: (octets: number) => Uint8Array;
  /** Called before each sleep, with the milliseconds that have passed. The sleep waits for a returned promise. */
  readonly onSleep?: (passed: number) => unknown;
  /** Measures how long a wait is silent. Without it, svc prints nothing about waits, so that a busy machine fails no test. */
  readonly timer?: StartTimer;
  /** Replaces the captured stream; `stderr` of the run is then empty. */
  readonly stderr?: OutputStream;
  readonly stdout?: OutputStream;
}

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** The questions on the terminal. */
  readonly questions: readonly string[];
}

const CLEARED = {
  SVC_API_KEY: undefined,
  SVC_COMPANY_ID: undefined,
  SVC_USER_ID: undefined,
  SVC_PARTNER_ID: undefined,
  SVC_PARTNER_API_KEY: undefined,
} as const;

/** The partner of the test sandbox, who acts for its first company. */
export const PARTNER = {
  ...CLEARED,
  SVC_PARTNER_ID: String(IDS.partner),
  SVC_PARTNER_API_KEY: KEYS.partner,
  SVC_COMPANY_ID: String(IDS.company),
} as const;

export const NOBODY = { ...CLEARED, SVC_BASE_URL: undefined } as const;

let runs = 0;

export async function runCli(argv: readonly string[], outside: Outside = {}): Promise<Run> {
  runs += 1;
  // A separate journal, unless the test keeps one. Most runs write nothing, so svc makes the folder.
  const state =
    outside.env?.['SVC_STATE_DIR'] === undefined && outside.homeDir === undefined
      ? join(tmpdir(), `svc-state-${process.pid}_${threadId}_${runs}`)
      : undefined;
  const own = state === undefined ? {} : { SVC_STATE_DIR: state };
  const { context, readStdout, readStderr, questions } = outsideOf({
    ...outside,
    env: { ...own, ...outside.env },
  });
  const exitCode = await main(argv, context);
  if (state !== undefined && existsSync(state)) await removeFolder(state);
  return { stdout: readStdout(), stderr: readStderr(), exitCode, questions };
}

/** Returns the context that `runCli` uses, and its output, for tests without a command line. */
export function outsideOf(outside: Outside) {
  const { tty = false, columns = 100, now = NOW, answers = [] } = outside;
  const questions: string[] = [];
  const [stdout, readStdout] = captured(tty, columns);
  const [stderr, readStderr] = captured(tty, columns);
  let passed = 0;
  const context: Context = {
    env: {
      SVC_BASE_URL: 'https://api.example.com',
      SVC_COMPANY_ID: String(IDS.company),
      SVC_USER_ID: String(IDS.admin),
      SVC_API_KEY: KEYS.company,
      ...(outside.env?.['SVC_CONFIG_DIR'] === undefined ? { SVC_CONFIG_DIR: noFolder() } : {}),
      ...outside.env,
    },
    cwd: outside.cwd ?? process.cwd(),
    homeDir: outside.homeDir ?? noFolder(),
    platform: 'linux',
    stdin: stdinOf(outside.stdin ?? '', tty && outside.stdin === undefined),
    stdout: outside.stdout ?? stdout,
    stderr: outside.stderr ?? stderr,
    clock: {
      now: () => now * 1000 + passed,
      sleep: async (milliseconds, signal) => {
        const slept: unknown = outside.onSleep?.(passed);
        if (slept instanceof Promise) await slept;
        signal?.throwIfAborted();
        passed += milliseconds;
      },
    },
    random: outside.random ?? ((count) => randomBytes(count)),
    timer: outside.timer ?? (() => () => undefined),
    prompter: answering(answers, questions, outside.onQuestion),
    signal: outside.signal ?? new AbortController().signal,
    machineZone: outside.machineZone ?? 'America/New_York',
    transport: outside.transport ?? unreachable,
  };
  return { context, readStdout, readStderr, questions };
}

/** Runs a command on a terminal, and returns stdout and stderr in the order in which a person sees them. */
export async function inOrder(
  argv: readonly string[],
  outside: Outside,
): Promise<{ readonly run: Run; readonly order: readonly string[] }> {
  const order: string[] = [];
  const stream: OutputStream = {
    isTTY: true,
    columns: outside.columns ?? 100,
    write: async (text) => {
      order.push(text);
    },
  };
  const run = await runCli(argv, { ...outside, tty: true, stdout: stream, stderr: stream });
  return { run, order };
}

/** Makes the sandbox a service for `runCli`, and keeps its requests. */
export function serviceOf(sandbox: TestSandbox): {
  readonly transport: Transport;
  readonly sent: readonly WireRequest[];
} {
  const sent: WireRequest[] = [];
  const transport: Transport = (request) => {
    sent.push(request);
    return sandbox.service.handle(request);
  };
  return { transport, sent };
}

/** Returns method and path of each request that could change something. */
export const writesIn = (sent: readonly WireRequest[]): readonly string[] =>
  sent
    .filter(({ method }) => method !== 'GET' && method !== 'HEAD')
    .map(({ method, path }) => `${method} ${path}`);

/**
 * Returns a folder that does not exist, another one for each test. If a test makes it, no other test is affected, and it is deleted with
 * the run.
 */
function noFolder(): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const name = createHash('sha256').update(`${testPath}\0${currentTestName}`).digest('hex').slice(0, 12);
  return join(tmpdir(), `none-${name}`);
}

const unreachable: Transport = () =>
  Promise.reject(new TransportError('not-sent', 'no service in this test'));

function captured(isTTY: boolean, columns: number): readonly [OutputStream, () => string] {
  let text = '';
  const write = async (more: string): Promise<void> => {
    text += more;
  };
  return [{ isTTY, columns: isTTY ? columns : undefined, write }, () => text];
}

function stdinOf(text: string, isTTY: boolean): Context['stdin'] {
  return {
    isTTY,
    readAll: async (most) => {
      if (Buffer.byteLength(text) > most) throw new RangeError('standard input is too large');
      return text;
    },
    async *chunks() {
      yield Buffer.from(text);
    },
  };
}

/** Answers in order. A surplus question fails the test. */
function answering(
  answers: readonly (string | boolean)[],
  questions: string[],
  onQuestion: Outside['onQuestion'],
): Prompter {
  const left = [...answers];
  const next = async (question: string): Promise<string | boolean> => {
    questions.push(question);
    await onQuestion?.(question);
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  return {
    confirm: async (question) => (await next(question)) === true,
    input: async (question, { check, default: usual = '' } = {}) => {
      const answer = String(await next(question));
      return checked(answer === '' ? usual : answer, check);
    },
    password: async (question, { check } = {}) => checked(String(await next(question)), check),
    select: async (question, choices) => {
      const answer = await next(question);
      const choice = choices.find(({ name, value }) => name === answer || value === answer);
      if (!choice) throw new Error(`${question} has no choice ${String(answer)}`);
      return choice.value;
    },
  };
}

function checked(answer: string, check?: (text: string) => string | undefined): string {
  const problem = check?.(answer);
  if (problem !== undefined) throw new Error(`the answer is refused: ${problem}`);
  return answer;
}
