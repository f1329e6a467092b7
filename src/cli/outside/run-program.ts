/** Runs another program, such as a plug-in, with the streams, signals and exit code of svc. */
import { constants } from 'node:os';
import { codeOf } from '../../files/errors.ts';
import type { Environment } from './context.ts';
import type { SignalSource } from './exit-signals.ts';

/** Signals that svc always forwards to the program, because the system sends them only to svc. */
const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Runs the program and returns its exit code, or 128 plus the number of the signal that ended it, as a shell does. On a terminal, Ctrl-C
 * reaches both processes, and svc waits for the program. @throws Error of the system if the program can't be started
 */
export async function runProgram(
  path: string,
  args: readonly string[],
  env: Environment,
  process: Pick<SignalSource, 'on' | 'off'> & { readonly isAtTerminal: boolean },
): Promise<number> {
  const { execa } = await import('execa');
  const child = execa(path, [...args], {
    stdio: 'inherit',
    env,
    extendEnv: false,
    reject: false,
    cleanup: false,
  });
  const listeners: (readonly [NodeJS.Signals, () => void])[] = [
    ...FORWARDED.map((signal) => [signal, () => forwardSignalToChild(child, signal)] as const),
    ['SIGINT', () => process.isAtTerminal || forwardSignalToChild(child, 'SIGINT')],
    ['SIGQUIT', () => process.isAtTerminal || forwardSignalToChild(child, 'SIGQUIT')],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const { exitCode, signal, cause } = await child;
  for (const [name, listener] of listeners) process.off(name, listener);
  if (exitCode !== undefined) return exitCode;
  if (signal !== undefined) return 128 + constants.signals[signal];
  throw cause instanceof Error ? cause : new Error(`cannot run ${path}`);
}

/** Forwards a signal to the program. Ignores the error that Node throws on Windows for an unsupported signal. */
export function forwardSignalToChild(
  child: { readonly kill: (signal: NodeJS.Signals) => unknown },
  signal: NodeJS.Signals,
): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (codeOf(error) !== 'ENOSYS' && codeOf(error) !== 'EINVAL') throw error;
  }
}
