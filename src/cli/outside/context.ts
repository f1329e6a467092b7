/** The one door to the outside: `bin/svc.js` makes the real one, tests their own. */
import type { Clock, RandomOctets, StartTimer } from '../../client/ports.ts';
import type { Transport } from '../../protocol/wire.ts';
import type { Ending } from './ending.ts';

export interface OutputStream {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Lines of a terminal. */
  readonly rows?: number | undefined;
  /** Resolves when more can be written; rejects when the reader is gone (EPIPE). */
  readonly write: (text: string) => Promise<void>;
}

/** A program that shows long output page by page. */
export interface Pager {
  /** Rejects with EPIPE when the person has left it. */
  readonly write: (text: string) => Promise<void>;
  /** No more comes. Resolves when the person has left it, or says that it didn't run at all. */
  readonly end: () => Promise<'read' | 'not-run'>;
}

export interface InputStream {
  readonly isTTY: boolean;
  /** The whole of it as text, `RangeError` beyond `most` octets. */
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
  /** The machine's own unless a test has another. */
  readonly timer?: StartTimer;
  readonly random: RandomOctets;
  readonly prompter: Prompter;
  /** Aborted at the first signal that asks for an end. */
  readonly signal: AbortSignal;
  /** Keeps the process from ending at once; left out where there is no process to keep. */
  readonly ending?: Pick<Ending, 'withstand' | 'mayEndAtOnce' | 'onHangup'>;
  /** Starts a pager on this terminal; undefined where it can't be started. Left out where there is no terminal. */
  readonly startPager?: ((command: string) => Promise<Pager | undefined>) | undefined;
  /** Runs another program in the place of svc, with the same streams: its exit code. Left out where there is no process. */
  readonly runProgram?: (path: string, args: readonly string[]) => Promise<number>;
  /** Starts svc once more with these words, without a terminal and without keys; nobody waits for it. */
  readonly startInBackground?: (args: readonly string[]) => void;
  /** The machine's own time zone, shown beside the company's and never used to read a time. */
  readonly machineZone: string;
  /** Stands in for the network in tests: the sandbox's own `handle`. */
  readonly transport?: Transport;
}
