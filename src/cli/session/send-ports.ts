/** Creates the functions that the code in `sends/` gets from a session. */

import type { SendDependencies } from '../../client/sends/ports.ts';
import { findUncaughtErrorThatAborted } from '../errors/errors.ts';
import type { SendPermission } from './approvals.ts';
import type { Clocks, Invocation, ServiceAccess, Tell } from './ports.ts';

/** @param permission the approvals of the plan, or the permission to send a proof */
export function createSendDependencies(
  session: Invocation & Tell & ServiceAccess & Clocks,
  permission?: SendPermission,
): SendDependencies {
  const { context, latestNow, warn, info } = session;
  return {
    clientWith: (signal, ifInterrupted) =>
      session.clientWith({
        signal,
        isChecked: true,
        ...(ifInterrupted === undefined ? {} : { ifInterrupted }),
        ...(permission ? { approvals: permission } : {}),
      }),
    budgetCheck: async () => (await session.counter())?.checkNewTask,
    signal: context.signal,
    clock: context.clock,
    latestNow,
    warn,
    info,
    withSignalGuard: (work) => withSignalGuard(session, work),
    secondInterrupt: () => (context.stderr.isTTY ? context.exitSignals?.allowForceQuit() : undefined),
    countDown: async (title, until) =>
      (await import('./hold-countdown.ts')).showCountdownUntil(session, title, until),
    accountFlags: session.accountFlags,
    uncaughtError: () => findUncaughtErrorThatAborted(context.signal),
  };
}

/** Until it is finished, no signal that can be caught ends the process. */
export async function withSignalGuard<T>({ context }: Invocation, work: () => Promise<T>): Promise<T> {
  const release = context.exitSignals?.keepAlive();
  try {
    return await work();
  } finally {
    release?.();
  }
}
