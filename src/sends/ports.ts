/** What a guarded send needs of the run that makes it. */
import type { Client } from '../client/client.ts';
import type { Clock } from '../client/ports.ts';

export interface SendPorts {
  /**
   * Makes a client that records its writes and stops for `signal` alone.
   * @param ifInterrupted says what Ctrl-C does, after the note of a wait; undefined for the usual
   */
  readonly clientWith: (signal: AbortSignal, ifInterrupted: string | undefined) => Promise<Client>;
  /** Aborted by the first signal that asks the run to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Returns the Unix seconds that a send time must be later than. */
  readonly latestNow: () => Promise<number>;
  /** Writes a line on stderr. Rejects when nobody can read it any more. */
  readonly warn: (line: string) => Promise<void>;
  /** Writes a line on stderr, unless the person wants fewer. Never rejects. */
  readonly info: (line: string) => Promise<void>;
  /** Runs `work`; until it is over, no signal and no uncaught error ends the process. */
  readonly withSignalGuard: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Lets a person on a terminal end the run all the same: the next Ctrl-C aborts the signal that this returns. Undefined when nobody is
   * at a terminal.
   */
  readonly secondInterrupt: () => AbortSignal | undefined;
  /**
   * Counts down until the Unix seconds `until`, where a person can see it.
   * @throws when the run is to end, or when nobody can see the countdown
   */
  readonly countDown: (title: string, until: number) => Promise<void>;
  /** Returns the uncaught error that ended the run, if that is what ended it. */
  readonly thrown: () => Error | undefined;
}

export interface SureClient {
  readonly client: Client;
  /** Call this right before an attempt. @throws when the run is to end, so that nothing is sent */
  readonly markSending: () => void;
}

/**
 * Makes a client that an interrupt stops until the first attempt, and not afterwards. After it, a task may exist, and only a task that is
 * known can be cancelled.
 * @param despiteInterrupt the client does not stop before the first attempt either
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
      'after Ctrl-C it is waited for all the same, and the task is checked or cancelled',
    ),
    markSending: () => {
      if (despiteInterrupt) return;
      controller.signal.throwIfAborted();
      signal.removeEventListener('abort', follow);
    },
  };
}
