/** A Node process under strace, which kills it at a system call or makes the call fail, as a crash or a disk does. */
import { spawnSync } from 'node:child_process';
import { execa } from 'execa';

/** True if strace is installed. Otherwise tests that need it are skipped; CI installs it. */
export const hasStrace = spawnSync('strace', ['-V']).status === 0;

/**
 * Runs Node with `argv` while `effect` is injected into the system call, in the words of strace's `inject`:
 * `signal=KILL:when=2` or `error=EIO`. It resolves whatever the exit code is.
 * @param path counts only calls that concern this file
 */
export function runWithInjection(
  call: string,
  effect: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  path?: string,
) {
  const options = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${effect}`];
  if (path !== undefined) options.push('-P', path);
  return execa('strace', [...options, process.execPath, ...argv], { reject: false, env });
}
