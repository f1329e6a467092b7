/** Starts a sandbox in its own process, which continues to run after the command ends. */

import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, constants, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { renameOver } from '../../../kit/files/atomic-file.ts';
import { makeSandboxDataFolder, openSandboxDataFile } from '../../../kit/files/own-files.ts';
import { parseJsonObject } from '../../../kit/text/json-object.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import type { SandboxReadyMessage } from '../../../sandbox/start.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { explainSandboxStartError } from '../../errors/start-errors.ts';
import type { Context } from '../../outside/context.ts';
import { commandToStartSvc } from '../../outside/own-program.ts';
import type { Invocation, Tell } from '../../session/ports.ts';
import { readSandboxAddress, sendSandboxOperation } from '../../session/sandbox-control.ts';
import { readDatabaseUrlOfSandboxFolder } from './store.ts';

/** Time limit for the start of the sandbox, in milliseconds. */
const READY_WITHIN = 30_000;

/**
 * Resolves when the sandbox accepts requests. The process also writes the profiles, and its output to `sandbox.out` in the data folder.
 * @param flags the flags of `sandbox start` as command-line words, without `--data` and `--store`
 */
export function startInBackground(
  session: Invocation & Tell,
  folder: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SandboxReadyMessage> {
  const args = ['sandbox', 'start', '--data', folder, ...flags];
  return session.waiting('for the sandbox to be ready, for 30 seconds at most', () =>
    startProcess(session.context, folder, args, env),
  );
}

async function startProcess(
  context: Context,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<SandboxReadyMessage> {
  const other = await readSandboxAddress(folder);
  if (other && (await sendSandboxOperation(other, 'status', {}, { signal: context.signal })))
    throw new CliError('conflict', `another sandbox is running in ${folder} (process ${other.pid})`, {
      exit: EXIT.conflict,
      hint: `stop it with svc sandbox stop --data ${quoteShellWord(folder)}, or choose another folder with --data DIR`,
    });
  // Each process writes to its own file until it runs, so that parallel starts read only their own output.
  const path = join(folder, `sandbox-${Buffer.from(context.random(4)).toString('hex')}.out`);
  const usesDatabase =
    [context.env, env].some((each) => each.SVC_SANDBOX_STORE) ||
    (await readDatabaseUrlOfSandboxFolder(folder)) !== undefined;
  const { program, firstArgs } = commandToStartSvc();
  // There must be no `await` before the signal has its listener. Otherwise a Ctrl-C could leave the process running.
  const output = await openOutput(folder, path, context.signal);
  const child = spawn(program, [...firstArgs, ...args, '-o', 'json'], {
    cwd: context.cwd,
    env: { ...removeSecretsFromEnvironment(context.env, usesDatabase), ...env },
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  let ended: number | undefined;
  child.on('exit', (code) => {
    ended = code ?? 1;
  });
  child.on('error', () => {
    ended = 1;
  });
  // After an interruption, the process must not keep running, and must not keep this command alive.
  const giveUp = (): void => {
    child.kill();
    child.unref();
  };
  context.signal.addEventListener('abort', giveUp);
  const until = context.clock.now() + READY_WITHIN;
  for (;;) {
    const hasEnded = ended;
    const { ready, error } = readOutput(path);
    if (ready) {
      context.signal.removeEventListener('abort', giveUp);
      child.unref();
      removeReadyLine(path);
      renameOver(path, join(folder, 'sandbox.out'), context.platform);
      return ready;
    }
    if (hasEnded !== undefined) {
      if (error) rmSync(path);
      throw failureOf(error, hasEnded, path);
    }
    if (context.clock.now() > until) {
      child.kill();
      throw new CliError('sandbox', 'the sandbox was not ready within 30 seconds', {
        exit: EXIT.failed,
        hint: `see ${path}`,
      });
    }
    await context.clock.sleep(20, context.signal);
  }
}

/** @throws the signal's reason if the signal is aborted; in that case, creates no file */
async function openOutput(folder: string, path: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  try {
    makeSandboxDataFolder(folder);
    return openSandboxDataFile(
      path,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
    );
  } catch (error) {
    throw explainSandboxStartError(error);
  }
}

/** Removes API keys. Keeps the password of a shared database only if the sandbox uses the database. */
export function removeSecretsFromEnvironment(
  env: Context['env'],
  usesDatabase: boolean,
): Record<string, string | undefined> {
  const secret = usesDatabase ? /^SVC_.*KEY/i : /^(?:SVC_.*KEY|PGPASSWORD$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.test(name)));
}

interface PrintedError {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

/** Reads the complete JSON lines of the sandbox's output, and skips lines with notes. */
function readOutput(path: string) {
  let ready: SandboxReadyMessage | undefined;
  let error: PrintedError | undefined;
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const value = Object(parseJsonObject(line));
    if ('controlToken' in value) ready = value;
    if ('error' in value) error = value.error;
  }
  return { ready, error };
}

/** The ready message contains keys, and people attach this file to bug reports. The sandbox can still append lines to the file. */
function removeReadyLine(path: string): void {
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/);
  truncateSync(path);
  appendFileSync(path, lines.filter((line) => !('controlToken' in (parseJsonObject(line) ?? {}))).join(''));
}

function failureOf(error: PrintedError | undefined, ended: number, path: string): CliError {
  const known = Object.values(EXIT).find((exit) => exit === ended) ?? EXIT.failed;
  const exit: ExitCode = known === EXIT.done ? EXIT.failed : known;
  const hint = typeof error?.hint === 'string' ? error.hint : `see ${path}`;
  const message =
    typeof error?.message === 'string' ? error.message : 'the sandbox stopped before it was ready';
  return new CliError(typeof error?.kind === 'string' ? error.kind : 'sandbox', message, { exit, hint });
}
