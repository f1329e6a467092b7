/** A sandbox in a process of its own, which outlives the command. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ready } from '../../../sandbox/start.ts';
import { CliError } from '../../errors.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session.ts';
import { ask, whereabouts } from './connection.ts';

/** Milliseconds. */
const READY_WITHIN = 30_000;

/** Resolves once it takes requests. What it says goes to a file in its data folder. */
export async function startDetached(
  session: Session,
  { folder, args }: { readonly folder: string; readonly args: readonly string[] },
): Promise<Ready> {
  const { context } = session;
  const other = whereabouts(folder);
  // Its file of what it says must not be emptied.
  if (other && (await ask(other, 'status', {}, context.signal)))
    throw new CliError('conflict', `a sandbox is running on ${folder} already (process ${other.pid})`, {
      exit: EXIT.conflict,
      hint: 'svc sandbox stop ends it; --data DIR names another folder',
    });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'sandbox.out');
  const output = openSync(path, 'w', 0o600);
  const script = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, script, ...args, '-o', 'json'], {
    cwd: context.cwd,
    env: { ...context.env },
    detached: true,
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
  const until = context.clock.now() + READY_WITHIN;
  for (;;) {
    const { ready, error } = readSaid(path);
    if (ready) {
      child.unref();
      return ready;
    }
    if (ended !== undefined) throw failureOf(error, ended, path);
    if (context.clock.now() > until) {
      child.kill();
      throw new CliError('sandbox', 'the sandbox was not ready in time', {
        exit: EXIT.failed,
        hint: `see ${path}`,
      });
    }
    await context.clock.sleep(20, context.signal);
  }
}

interface Said {
  readonly ready?: Ready;
  readonly error?: { readonly kind?: unknown; readonly message?: unknown; readonly hint?: unknown };
}

/** The lines that are complete and JSON; notes stand between them. */
function readSaid(path: string): Said {
  const said: Record<string, unknown> = {};
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    if (!line.startsWith('{')) continue;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== 'object' || value === null) continue;
      if ('controlToken' in value) said['ready'] = value;
      if ('error' in value) said['error'] = value.error;
    } catch {
      // Not one of the two.
    }
  }
  return said;
}

function failureOf(error: Said['error'], ended: number, path: string): CliError {
  const known = Object.values(EXIT).find((exit) => exit === ended) ?? EXIT.failed;
  const exit: ExitCode = known === EXIT.done ? EXIT.failed : known;
  const hint = typeof error?.hint === 'string' ? error.hint : `see ${path}`;
  const message =
    typeof error?.message === 'string' ? error.message : 'the sandbox ended before it was ready';
  return new CliError(typeof error?.kind === 'string' ? error.kind : 'sandbox', message, { exit, hint });
}
