/** Runs another program instead of svc, with its streams, signals and exit code. */
import { constants } from 'node:os';
import type { EndingProcess } from './ending.ts';

/** Signals that are usually sent only to svc, so they are forwarded. */
const HANDED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Returns the program's exit code, or 128 plus the number of the signal that ended it, as a shell does. On a terminal, Ctrl-C reaches both
 * processes. The program decides what it means, and svc waits for its end.
 * @throws Error of the system when it can't be started
 */
export async function runProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  process: Pick<EndingProcess, 'on' | 'off'> & { readonly isAtTerminal: boolean },
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
    ...HANDED_ON.map((signal) => [signal, () => void child.kill(signal)] as const),
    ['SIGINT', () => void (process.isAtTerminal || child.kill('SIGINT'))],
    ['SIGQUIT', () => void (process.isAtTerminal || child.kill('SIGQUIT'))],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const { exitCode, signal, cause } = await child;
  for (const [name, listener] of listeners) process.off(name, listener);
  if (exitCode !== undefined) return exitCode;
  if (signal !== undefined) return 128 + constants.signals[signal];
  throw cause instanceof Error ? cause : new Error(`cannot run ${path}`);
}
