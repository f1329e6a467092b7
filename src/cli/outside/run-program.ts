/** Another program in the place of svc: its streams, its signals, its exit code. */
import { constants } from 'node:os';
import type { EndingProcess } from './ending.ts';

/** Sent to svc alone, most likely, so they are handed on. */
const HANDED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Its exit code, or as a shell tells it 128 and the number of the signal that ended it. At a terminal Ctrl-C goes to both,
 * and what it means is the program's to say: svc waits for its end.
 * @throws Error of the system where it can't be started
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
  throw cause instanceof Error ? cause : new Error(`${path} can't be run`);
}
