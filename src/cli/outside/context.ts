/** Defines all access to the outside of the program. `bin/svc.js` creates the real context, and tests create their own contexts. */
import type { Clock, RandomOctets, StartTimer } from '../../client/ports.ts';
import type { Transport } from '../../protocol/wire.ts';
import type { Ending } from './ending.ts';

export interface OutputStream {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Lines of a terminal. */
  readonly rows?: number | undefined;
  /** Resolves when more can be written. Rejects when the reader has closed the stream (EPIPE). */
  readonly write: (text: string) => Promise<void>;
}

/** Program that shows long output page by page. */
export interface Pager {
  /** Rejects with EPIPE when the user has left the pager. */
  readonly write: (text: string) => Promise<void>;
  /** Ends the input. Resolves when the user has left the pager, or reports that it did not run. */
  readonly end: () => Promise<'read' | 'not-run'>;
}

export interface InputStream {
  readonly isTTY: boolean;
  /** Returns the whole input as text. @throws RangeError beyond `most` octets */
  readonly readAll: (most: number) => Promise<string>;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Questions on a terminal. Never called unless stdin and stderr are terminals (design, "Traps"). */
export interface Prompter {
  readonly confirm: (question: string, fallback: boolean) => Promise<boolean>;
  readonly input: (
    question: string,
    options?: { readonly default?: string; readonly check?: (text: string) => string | undefined },
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

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Timer. Defaults to the machine's; tests pass their own. */
  readonly timer?: StartTimer;
  readonly random: RandomOctets;
  readonly prompter: Prompter;
  /** Set if no person asked for the requests of this run. The service learns it from the `User-Agent`. */
  readonly sentBy?: 'completion';
  /** Aborted at the first signal that requests an exit. */
  readonly signal: AbortSignal;
  /** Keeps the process from ending at once. Omitted if there is no process. */
  readonly ending?: Pick<Ending, 'keepAlive' | 'allowForceQuit' | 'onHangup'>;
  /** Starts a pager on this terminal, or returns undefined if it can't be started. Omitted without a terminal. */
  readonly startPager?: ((command: string) => Promise<Pager | undefined>) | undefined;
  /** Runs another program instead of svc, with the same streams, and returns its exit code. Omitted if there is no process. */
  readonly runProgram?: (path: string, args: readonly string[]) => Promise<number>;
  /** Starts svc again with these arguments, without a terminal and without keys. The caller does not wait for it. */
  readonly startInBackground?: (args: readonly string[]) => void;
  /** Runs work during which another program has the terminal, or nothing happens until a person acts. Omitted if no sign of life is shown. */
  readonly pauseSign?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Time zone of the machine, shown beside the company's and never used to read a time. */
  readonly machineZone: string;
  /** Replaces the network in tests with the sandbox's own `handle`. */
  readonly transport?: Transport;
  /** Limits of a command that an assistant asked for. Omitted if a person asked. */
  readonly confined?: Confinement;
}

/** Limits of a command that an assistant asked for (contract, "Assistants"). Whatever the command, no request can exceed them. */
export interface Confinement {
  /** Origin that requests may go to. */
  readonly origin: string;
  /**
   * Permission to write. With `none`, only GET and HEAD are sent. Otherwise only `svc apply` may write, for a plan that at least one person
   * in the signers file approved. This file replaces the profile's signers file.
   */
  readonly writes: 'none' | { readonly signers: string };
  /** Called before each request. */
  readonly onRequest?: () => void;
}

/** Reports whether `SVC_PLAIN` is set: `--plain` for every run (contract, "Environment"). */
export function isPlainIn(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false'].includes(env['SVC_PLAIN'] ?? '');
}
