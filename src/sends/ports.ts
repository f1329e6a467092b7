/** Defines what a guarded send needs from the run that makes it. */
import type { Client } from '../client/client.ts';
import type { Clock } from '../client/ports.ts';
import type { TaskCheck } from './errors.ts';

export interface SendPorts {
  /**
   * Creates a client that records its writes and stops for `signal` alone.
   * @param ifInterrupted text about the effect of Ctrl-C, after the note of a wait; undefined for the usual one
   */
  readonly clientWith: (signal: AbortSignal, ifInterrupted: string | undefined) => Promise<Client>;
  /** Returns the check of every task against the budget of the profile, or undefined if it has none. */
  readonly budgetCheck?: () => Promise<TaskCheck | undefined>;
  /** Signal that is aborted by the first signal that asks the run to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Returns the Unix seconds that a send time must be later than. */
  readonly latestNow: () => Promise<number>;
  /** Writes a line on stderr. Rejects if no one can read it any more. */
  readonly warn: (line: string) => Promise<void>;
  /** Writes a line on stderr, unless the user wants fewer. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Runs `work`. Until it is finished, no signal and no uncaught error ends the process. */
  readonly withSignalGuard: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Lets a person on a terminal end the run nevertheless: the next Ctrl-C aborts the returned signal. Undefined if no
   * terminal is present.
   */
  readonly secondInterrupt: () => AbortSignal | undefined;
  /**
   * Counts down until the Unix seconds `until`, visibly for a person.
   * @throws if the run is to end, or no one can see the countdown
   */
  readonly countDown: (title: string, until: number) => Promise<void>;
  /** Returns the uncaught error that ended the run, if one did. */
  readonly thrown: () => Error | undefined;
}

export interface SureClient {
  readonly client: Client;
  /**
   * Marks the start of an attempt. Call it right before each.
   * @throws if the run is to end, so that nothing is sent
   */
  readonly markSending: () => void;
}

/**
 * Creates a client that an interrupt stops until the first attempt, and not afterwards. After the first attempt a task
 * may exist, and only a known task can be cancelled.
 * @param despiteInterrupt true if the client must not stop before the first attempt either
 */
export async function sureClient(ports: SendPorts, despiteInterrupt = false): Promise<SureClient> {
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
      'Ctrl-C cannot stop this step: svc waits for the response, then checks or cancels the task',
    ),
    markSending: () => {
      if (despiteInterrupt) return;
      controller.signal.throwIfAborted();
      signal.removeEventListener('abort', follow);
    },
  };
}
