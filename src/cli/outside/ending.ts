/** What ends the process from outside: signals, and errors that nobody caught. */
import type { StartTimer } from '../../client/ports.ts';
import { EXIT } from '../errors/exit-codes.ts';

export interface Ending {
  /** Aborted at the first signal; by an error that nobody caught its reason is that error. */
  readonly signal: AbortSignal;
  /**
   * Until the returned function is called, nothing that can be caught ends the process: no second Ctrl-C, and no error
   * that nobody caught, which aborts `signal` instead. Ctrl-Z asks for an end too, since who is stopped can't undo.
   */
  readonly withstand: () => () => void;
  /** Until the returned function is called, SIGHUP is told to the listener and ends nothing: a server reads its files again. */
  readonly onHangup: (listener: () => void) => () => void;
  /**
   * Call this once a person has read what an end would leave behind. The next Ctrl-C, at least a second after the first one, aborts the
   * signal that this returns; one more ends the process.
   */
  readonly mayEndAtOnce: () => AbortSignal;
}

/** What of the process is needed. */
export interface EndingProcess {
  readonly on: (event: string, listener: (...args: unknown[]) => void) => unknown;
  readonly off: (event: string, listener: (...args: unknown[]) => void) => unknown;
  exitCode?: number | string | null | undefined;
}

/** One of these, sent again, ends the process by its default action. */
const BY_HAND = ['SIGINT', 'SIGTERM'] as const;

/**
 * What else asks for an end. SIGUSR1 is here because by default Node opens its debugger at it, to every user of the
 * machine. Not SIGPIPE, which Node ignores and which shows in writing; not SIGPROF, which is V8's own; and nothing
 * that says that the process itself is broken (SIGSEGV and the like).
 */
const OTHERS = [
  ...['SIGHUP', 'SIGQUIT', 'SIGBREAK', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGABRT', 'SIGXCPU'],
  ...['SIGIO', 'SIGPWR', 'SIGSTKFLT'],
];

/**
 * The first signal asks for an end. One terminal that closes sends several (its kernel, its shell and its multiplexer
 * each send SIGHUP), and one Ctrl-C does under npm; so only a SIGINT or SIGTERM that comes a second later ends the
 * process at once.
 */
const ONE_EVENT_MS = 1000;

export function listenForEnd(process: EndingProcess, startTimer: StartTimer): Ending {
  const controller = new AbortController();
  const second = new AbortController();
  let withstanding = 0;
  let isOneEvent = true;
  let isTold = false;
  let isLetGo = true;

  const end = (): void => {
    if (controller.signal.aborted) return;
    process.exitCode = EXIT.interrupted;
    startTimer(ONE_EVENT_MS, () => {
      isOneEvent = false;
      listen();
    });
    controller.abort();
  };
  const endByHand = (): void => {
    if (!controller.signal.aborted) end();
    else if (isTold && !isOneEvent) {
      second.abort();
      listen();
    }
  };
  const thrown = (error: unknown): void => {
    if (!controller.signal.aborted) isOneEvent = false;
    process.exitCode = EXIT.failed;
    controller.abort(error instanceof Error ? error : new Error(String(error)));
  };
  const listen = (): void => {
    const mayEnd = withstanding === 0 || second.signal.aborted;
    const letGo = controller.signal.aborted && !isOneEvent && mayEnd;
    if (letGo === isLetGo) return;
    isLetGo = letGo;
    for (const name of BY_HAND) {
      if (letGo) process.off(name, endByHand);
      else process.on(name, endByHand);
    }
  };

  listen();
  for (const name of OTHERS) process.on(name, end);
  return {
    signal: controller.signal,
    withstand: () => {
      withstanding += 1;
      if (withstanding === 1) {
        process.on('SIGTSTP', end);
        process.on('uncaughtException', thrown);
      }
      listen();
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        withstanding -= 1;
        if (withstanding === 0) {
          process.off('SIGTSTP', end);
          process.off('uncaughtException', thrown);
        }
        listen();
      };
    },
    onHangup: (listener) => {
      process.on('SIGHUP', listener);
      process.off('SIGHUP', end);
      return () => {
        process.on('SIGHUP', end);
        process.off('SIGHUP', listener);
      };
    },
    mayEndAtOnce: () => {
      isTold = true;
      return second.signal;
    },
  };
}

/** The error that nobody caught, where that is what ended it. */
export function thrownIn({ aborted, reason }: AbortSignal): Error | undefined {
  return aborted && reason instanceof Error && reason.name !== 'AbortError' ? reason : undefined;
}
