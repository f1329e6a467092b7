/** Defines the functions that a send with safety checks needs from the command that starts the send. */
import type { Client } from '../requests/client.ts';
import type { Clock } from '../requests/ports.ts';
import type { TaskCheck } from './errors.ts';

export interface SendDependencies {
  /**
   * Creates a client that records its writes in the journal, and that only `signal` stops.
   * @param ifInterrupted text about the effect of Ctrl-C, shown while the client waits; undefined for the usual text
   */
  readonly clientWith: (signal: AbortSignal, ifInterrupted: string | undefined) => Promise<Client>;
  /** Returns the check that compares each task with the budget of the profile, or undefined if the profile has no budget. */
  readonly budgetCheck?: () => Promise<TaskCheck | undefined>;
  /** Aborted when the process is first asked to end, for example with Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Returns the later of the service's time and this machine's time, in Unix seconds. A send time must be later. */
  readonly latestNow: () => Promise<number>;
  /** Writes a line to stderr. Rejects if stderr is closed, because no person can then read the line. */
  readonly warn: (line: string) => Promise<void>;
  /** Writes a line to stderr, unless the user asked for less output. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Runs `work`, and makes sure that no signal and no uncaught error ends the process before `work` has finished. */
  readonly withSignalGuard: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets a person at a terminal end the run: the next Ctrl-C aborts the returned signal. Returns undefined without a terminal. */
  readonly secondInterrupt: () => AbortSignal | undefined;
  /** Shows a countdown until the time `until` (Unix seconds). Throws an error if the run must end, or if no person can see the countdown. */
  readonly countDown: (title: string, until: number) => Promise<void>;
  readonly uncaughtError: () => Error | undefined;
  /** Flags that chose the account, each with a space before it, for commands that the user can paste. */
  readonly accountFlags?: string;
}
