/** Creates the object through which the code in `sends/` uses a session. That code creates and checks tasks. */
import type { SendDependencies } from '../../sends/ports.ts';
import { findUncaughtErrorThatAborted } from '../outside/exit-signals.ts';
import type { SendPermission } from './approvals.ts';
import type { Invocation, Session } from './session.ts';

/**
 * Returns the functions of the session that `sends/` needs. @param approvals the approvals of the applied plan, or the permission of a
 * proof
 */
export function createSendDependencies(session: Session, approvals?: SendPermission): SendDependencies {
  const { context, latestNow, warn, info } = session;
  return {
    clientWith: (signal, ifInterrupted) =>
      session.clientWith({
        signal,
        isChecked: true,
        ...(ifInterrupted === undefined ? {} : { ifInterrupted }),
        ...(approvals ? { approvals } : {}),
      }),
    budgetCheck: async () => (await session.counter())?.check,
    signal: context.signal,
    clock: context.clock,
    latestNow,
    warn,
    info,
    withSignalGuard: (work) => withSignalGuard(session, work),
    secondInterrupt: () => (context.stderr.isTTY ? context.exitSignals?.allowForceQuit() : undefined),
    countDown: async (title, until) =>
      (await import('./hold-countdown.ts')).showCountdownUntil(session, title, until),
    uncaughtError: () => findUncaughtErrorThatAborted(context.signal),
  };
}

/** Runs `work`. Until it is finished, no signal that can be caught ends the process. */
export async function withSignalGuard<T>({ context }: Invocation, work: () => Promise<T>): Promise<T> {
  const release = context.exitSignals?.keepAlive();
  try {
    return await work();
  } finally {
    release?.();
  }
}
