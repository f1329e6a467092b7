/** Handles events that end the process: signals from outside, and uncaught errors. */
import type { StartTimer } from '../../client/requests/ports.ts';
import { EXIT } from '../errors/exit-codes.ts';

export interface ExitSignals {
  /** Aborted at the first signal of the process, such as SIGINT, and at an uncaught error, which is then its `reason`. */
  readonly signal: AbortSignal;
  /**
   * Keeps the process alive until the returned function is called: a second Ctrl-C does not end it. An uncaught error and Ctrl-Z abort
   * `signal`, because a stopped process can't clean up.
   */
  readonly keepAlive: () => () => void;
  /** Calls the listener at SIGHUP instead of ending the process, until the returned function is called. */
  readonly onHangup: (listener: () => void) => () => void;
  /**
   * Lets the user force an exit, after svc has printed what to do then. The returned signal is aborted by another Ctrl-C, at least a second
   * after the first. The next one ends the process.
   */
  readonly allowForceQuit: () => AbortSignal;
}

/** Members of Node's `process` that signal handling needs. */
export interface SignalSource {
  readonly on: (event: string, listener: (...args: unknown[]) => void) => unknown;
  readonly off: (event: string, listener: (...args: unknown[]) => void) => unknown;
  exitCode?: number | string | null | undefined;
}

/** Signals that end the process at once if they are sent a second time. */
const REPEATABLE = ['SIGINT', 'SIGTERM'] as const;

/**
 * Other signals that request an exit. With SIGUSR1, Node would open its debugger to every user of the machine. Not included: SIGPIPE, which
 * Node ignores, SIGPROF, which V8 uses, and signals of a broken process, such as SIGSEGV.
 */
const OTHERS = [
  ...['SIGHUP', 'SIGQUIT', 'SIGBREAK', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGABRT', 'SIGXCPU'],
  ...['SIGIO', 'SIGPWR', 'SIGSTKFLT'],
];

/**
 * Milliseconds in which several signals count as one: a closing terminal sends several SIGHUPs, and Ctrl-C under npm several SIGINTs. A
 * SIGINT or SIGTERM ends the process only if it comes later.
 */
const ONE_EVENT_MS = 1000;

/** Listens for signals and uncaught errors. The first one aborts the returned `signal` and does not end the process. */
export function handleExitSignals(process: SignalSource, startTimer: StartTimer): ExitSignals {
  const controller = new AbortController();
  const second = new AbortController();
  let withstanding = 0;
  let isOneEvent = true;
  let mayForceQuit = false;
  let isDefault = true;

  const end = (): void => {
    if (controller.signal.aborted) return;
    process.exitCode = EXIT.interrupted;
    startTimer(ONE_EVENT_MS, () => {
      isOneEvent = false;
      listen();
    });
    controller.abort();
  };
  const endByRequest = (): void => {
    if (!controller.signal.aborted) end();
    else if (mayForceQuit && !isOneEvent) {
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
    const endsByDefault = controller.signal.aborted && !isOneEvent && mayEnd;
    if (endsByDefault === isDefault) return;
    isDefault = endsByDefault;
    for (const name of REPEATABLE) {
      if (endsByDefault) process.off(name, endByRequest);
      else process.on(name, endByRequest);
    }
  };

  listen();
  for (const name of OTHERS) process.on(name, end);
  return {
    signal: controller.signal,
    keepAlive: () => {
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
    allowForceQuit: () => {
      mayForceQuit = true;
      return second.signal;
    },
  };
}
