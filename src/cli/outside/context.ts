/** Defines how commands access the process: streams, environment, clock, signals, prompts. `bin/svc.js` makes the real context. */
import type { Clock, RandomOctets, StartTimer } from '../../client/requests/ports.ts';
import type { Transport, WireResponse } from '../../service/protocol/wire.ts';
import type { ExitSignals } from './exit-signals.ts';

type TerminalVariable = 'TERM' | 'NO_COLOR' | 'FORCE_COLOR' | 'CLICOLOR' | 'CLICOLOR_FORCE' | 'PAGER';
type LocaleVariable = 'LC_ALL' | 'LC_CTYPE' | 'LANG';
type ShellVariable = 'SHELL' | 'ZDOTDIR' | 'FPATH' | 'BASH_COMPLETION_USER_DIR' | 'PATH' | 'Path';
type UserVariable = 'USER' | 'LOGNAME' | 'USERNAME' | 'GITHUB_ACTIONS' | 'BROWSER';
type NetworkVariable = 'HTTPS_PROXY' | 'https_proxy' | 'NO_PROXY' | 'no_proxy' | 'NODE_EXTRA_CA_CERTS';
type SvcVariable =
  `SVC_${'PROFILE' | 'OUTPUT' | 'AGENT' | 'PLAIN' | 'PAGER' | 'NAMING' | 'COMPLETE_LIVE' | 'SANDBOX_STORE'}`;
type KeyVariable = `SVC_${'API_KEY' | 'PARTNER_API_KEY' | 'COMPANY_ID'}`;

/** Environment variables by name. The compiler knows those that code reads by a fixed name. */
export type Environment = Readonly<Record<string, string | undefined>> & {
  readonly [name in
    | (TerminalVariable | LocaleVariable | ShellVariable | UserVariable)
    | (NetworkVariable | SvcVariable | KeyVariable)]?: string | undefined;
};

export interface OutputStream {
  readonly isTTY: boolean;
  /** True if the text goes to a file. */
  readonly isFile?: boolean;
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** Resolves when the stream can take more text. Rejects when the reader has closed the stream (EPIPE). */
  readonly write: (text: string) => Promise<void>;
}

/** Program that shows long output page by page. */
export interface Pager {
  /** Rejects with EPIPE when the user has left the pager. */
  readonly write: (text: string) => Promise<void>;
  /** Ends the pager's input. Resolves to `read` when the user has left the pager, or to `not-run` if the pager did not run. */
  readonly end: () => Promise<'read' | 'not-run'>;
}

export interface InputStream {
  readonly isTTY: boolean;
  /** Returns the whole input as text. @param maxOctets the maximum size of the input @throws RangeError for a larger input */
  readonly readAll: (maxOctets: number) => Promise<string>;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Asks the user questions on a terminal. Never used unless stdin and stderr are terminals (design, "Traps"). */
export interface Prompter {
  /** Asks yes or no. Discards text that the user typed before the question was shown, because it answers another question. */
  readonly confirm: (question: string, fallback: boolean) => Promise<boolean>;
  readonly input: (
    question: string,
    options?: {
      readonly default?: string;
      readonly check?: (text: string) => string | undefined;
      /** True if the answer confirms an action. Text that the user typed before the question was shown is then discarded. */
      readonly isConfirmation?: boolean;
    },
  ) => Promise<string>;
  readonly password: (
    question: string,
    options?: { readonly check?: (text: string) => string | undefined },
  ) => Promise<string>;
  readonly select: <T>(
    question: string,
    choices: readonly { readonly name: string; readonly value: T }[],
  ) => Promise<T>;
}

/** Returns a prompter that asks each question by calling `around`. */
export const wrapPrompter = (
  prompter: Prompter,
  around: <T>(ask: () => Promise<T>) => Promise<T>,
): Prompter => ({
  confirm: (...question) => around(() => prompter.confirm(...question)),
  input: (...question) => around(() => prompter.input(...question)),
  password: (...question) => around(() => prompter.password(...question)),
  select: (...question) => around(() => prompter.select(...question)),
});

/** Returns a prompter that changes the text of each question, and of each choice, by calling `change`. */
export const changeQuestions = (prompter: Prompter, change: (text: string) => string): Prompter => ({
  confirm: (question, fallback) => prompter.confirm(change(question), fallback),
  input: (question, options) => prompter.input(change(question), options),
  password: (question, options) => prompter.password(change(question), options),
  select: (question, choices) =>
    prompter.select(
      change(question),
      choices.map((choice) => ({ ...choice, name: change(choice.name) })),
    ),
});

export interface Context {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Starts a timer. Defaults to a real timer; tests pass their own. */
  readonly timer?: StartTimer;
  readonly random: RandomOctets;
  readonly prompter: Prompter;
  /** Set if the shell completion runs this command, and not a person. The `User-Agent` header then says so. */
  readonly sentBy?: 'completion';
  /** Aborted at the first signal that requests an exit. */
  readonly signal: AbortSignal;
  /** Delays the end of the process, or handles SIGHUP. Omitted if svc runs inside another process, such as a test. */
  readonly exitSignals?: Pick<ExitSignals, 'keepAlive' | 'allowForceQuit' | 'onHangup'>;
  /** Starts a pager on this terminal, or returns undefined if it can't be started. Omitted without a terminal. */
  readonly startPager?: ((command: string) => Promise<Pager | undefined>) | undefined;
  /** Runs work without printing that svc is waiting, because another program uses the terminal, or svc waits for a person. */
  readonly pauseWorkingLine?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Time zone of the machine, which svc shows next to the company's zone. svc never uses it to read a time. */
  readonly machineZone: string;
  /** Sends the requests of tests to a sandbox in the same process instead of the network. */
  readonly transport?: Transport;
  /** Limits of a command that an assistant runs. Omitted for a command that a person typed. */
  readonly confined?: AssistantCommandLimits;
  /** Takes the outcome of the command as values, instead of stdout and the last line of stderr. */
  readonly taker?: OutcomeTaker;
}

/** Caller of a command inside svc. */
export interface OutcomeTaker {
  /** The data that `-o json` prints, or the text of a command that prints text. Not called for a command without a result. */
  readonly take: (value: unknown) => void;
  /** @param error the member `error` of a failure in JSON (contract, "Errors") */
  readonly fail: (error: Readonly<Record<string, unknown>>) => void;
}

/** Returns a copy of the context with some members replaced. Does not call the getters of the context. */
export function replaceContextParts(context: Context, own: Partial<Context>): Context {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors(own),
  });
}

/** Limits of a command that an assistant runs (contract, "Assistants"). No request of the command can exceed them. */
export interface AssistantCommandLimits {
  /** The only origin to which the command may send requests. */
  readonly origin: string;
  /**
   * Permission to write to the service: `none`, or only to `svc apply`, for a plan that at least one of the signers approved. They are in
   * memory, and replace the content of the profile's signers file.
   */
  readonly writes: 'none' | { readonly signers: { readonly path: string; readonly content: Uint8Array } };
  /** Called before svc sends each request. */
  readonly onRequest?: () => void;
  readonly onResponse?: (response: WireResponse) => void;
}

/** Reports whether an assistant reads the streams (`SVC_AGENT=1`). A command inside svc hands over values instead. */
export const isForAgent = ({ env, taker }: Pick<Context, 'env' | 'taker'>): boolean =>
  env.SVC_AGENT === '1' && taker === undefined;

/** Reports whether `SVC_PLAIN` is set: `--plain` for every run (contract, "Environment"). */
export function wantsPlainOutput(env: Environment): boolean {
  return !['', '0', 'false'].includes(env.SVC_PLAIN ?? '');
}
