/** Defines the functions that a send with safety checks needs from the command that starts the send. */
import type { Client } from '../client/client.ts';
import type { Clock } from '../client/ports.ts';
import type { TaskCheck } from './errors.ts';

/** Functions that the code in `sends/` needs from the command. */
export interface SendDependencies {
  /**
   * Creates a client that records its writes in the journal. Only `signal` stops the client.
   * @param ifInterrupted text about the effect of Ctrl-C, shown while the client waits; undefined for the usual text
   */
  readonly clientWith: (signal: AbortSignal, ifInterrupted: string | undefined) => Promise<Client>;
  /** Returns the check that compares each task with the budget of the profile, or undefined if the profile has no budget. */
  readonly budgetCheck?: () => Promise<TaskCheck | undefined>;
  /** Aborted when the process is first asked to end, for example with Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /**
   * Returns the present time in Unix seconds: the later of the service's time and this machine's time. A send time must be later than this
   * time.
   */
  readonly latestNow: () => Promise<number>;
  /** Writes a line to stderr. Rejects if stderr is closed, because no person can then read the line. */
  readonly warn: (line: string) => Promise<void>;
  /** Writes a line to stderr, unless the user asked for less output. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Runs `work`, and makes sure that no signal and no uncaught error ends the process before `work` has finished. */
  readonly withSignalGuard: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets a person at a terminal end the run: the next Ctrl-C aborts the returned signal. Returns undefined without a terminal. */
  readonly secondInterrupt: () => AbortSignal | undefined;
  /**
   * Shows a countdown to a person until the time `until` (Unix seconds).
   * @throws if the run must end, or if no person can see the countdown
   */
  readonly countDown: (title: string, until: number) => Promise<void>;
  /** Returns the uncaught error that ended the run, or undefined if none did. */
  readonly uncaughtError: () => Error | undefined;
}

/** Client for the request that creates or changes a task. */
export interface TaskClient {
  readonly client: Client;
  /**
   * Marks the start of an attempt to send the request. The caller calls this right before each attempt.
   * @throws if the run must end, so that nothing is sent
   */
  readonly markSending: () => void;
}

/**
 * Creates a client for the request that creates or changes a task. Ctrl-C stops the client only before the first attempt to send the
 * request. After the first attempt, a task may exist. svc then waits for the id of the task, so that svc can cancel the task.
 * @param despiteInterrupt true if Ctrl-C must not stop the client at any time
 */
export async function createTaskClient(
  ports: SendDependencies,
  despiteInterrupt = false,
): Promise<TaskClient> {
  const { signal } = ports;
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal.reason);
  if (!despiteInterrupt) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return {
    client: await ports.clientWith(
      controller.signal,
      'Ctrl-C cannot stop this step: svc waits for the response, then checks the task, and cancels the task if a check fails',
    ),
    markSending: () => {
      if (despiteInterrupt) return;
      controller.signal.throwIfAborted();
      signal.removeEventListener('abort', follow);
    },
  };
}
