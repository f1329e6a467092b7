/** Runs a pager, in which the user reads long output page by page. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Environment, Pager } from './context.ts';
import type { SignalSource } from './exit-signals.ts';
import { removeApiKeysFromEnvironment } from './own-program.ts';

/**
 * Starts the pager without svc's API keys, by a shell if the command has special characters. Until the pager ends, svc ignores Ctrl-C:
 * otherwise the shell and the pager would read from the same terminal.
 */
export async function startPager(
  command: string,
  env: Environment,
  process: Pick<SignalSource, 'on' | 'off'>,
): Promise<Pager | undefined> {
  const child = await started(command, env);
  const { stdin } = child ?? {};
  if (!child || !stdin) return undefined;
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  let left: Error | undefined;
  stdin.on('error', (error) => {
    left = error;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      process.off('SIGINT', ignore);
      resolve(code);
    });
  });
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (left) reject(left);
        else stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    end: async () => {
      stdin.end();
      const code = await ended;
      return code !== null && NOT_RUN.includes(code) ? 'not-run' : 'read';
    },
  };
}

/** Exit codes of a shell and of `env`: not executable, not found. */
const NOT_RUN: readonly number[] = [126, 127];

function started(command: string, env: Environment): Promise<ChildProcess | undefined> {
  const options: SpawnOptions = {
    stdio: ['pipe', 'inherit', 'inherit'],
    // Options as git and gh set them: quit if everything fits, keep colors, leave the text on the screen.
    env: { LESS: 'FRX', LV: '-c', ...removeApiKeysFromEnvironment(env) },
  };
  return new Promise((resolve) => {
    const [file = '', ...args] = command.split(/\s+/);
    const child = NEEDS_SHELL.test(command)
      ? spawn(command, { ...options, shell: true })
      : spawn(file, args, options);
    child.once('spawn', () => resolve(child));
    child.once('error', () => resolve(undefined));
  });
}

const NEEDS_SHELL = /[|&;<>()$`\\"'*?~#={}[\]]/;
