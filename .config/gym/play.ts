/** Plays the tasks of the gym, some at a time, and prints a row for each. */
import { execFile, type spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Attempt, attempt, type Through } from './referee.ts';
import { TASKS } from './tasks.ts';

export async function playAll(
  root: string,
  options: {
    readonly through: readonly Through[];
    /** Empty for all tasks. */
    readonly names: readonly string[];
    readonly jobs: number;
    readonly start: () => ReturnType<typeof spawn>;
  },
): Promise<readonly Attempt[]> {
  const { through, names, jobs, start } = options;
  const chosen = TASKS.filter(({ name }) => names.length === 0 || names.includes(name));
  const rounds = through.flatMap((way) =>
    chosen.filter(({ isForMcp }) => way === 'shell' || isForMcp).map((task) => ({ task, way })),
  );
  const played: Attempt[] = [];
  const left = rounds.entries();
  const commands = await listCommands(root);
  const compiled = await mkdtemp(join(tmpdir(), 'svc-gym-compiled-'));
  const work = async (): Promise<void> => {
    for (const [at, { task, way }] of left)
      played[at] = await attempt({ root, compiled, commands, start }, task, way);
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    await rm(compiled, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  return played;
}

/** Paths of all commands: `task create`. */
async function listCommands(root: string): Promise<readonly string[]> {
  const words = [join(root, 'bin/svc.js'), 'help', '--json', '--all'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 2 ** 22 });
  return (JSON.parse(stdout) as { readonly commands: readonly { readonly path: string }[] }).commands.map(
    ({ path }) => path,
  );
}

export function tableOf(attempts: readonly Attempt[]): string {
  const rows = attempts.map(({ task, through, calls, bytes, deadEnds, guesses, faults }) => [
    ...[task, through, String(calls), String(bytes), String(deadEnds), String(guesses.length)],
    faults.length === 0 ? 'solved' : faults.join('; '),
  ]);
  const all = [['task', 'through', 'calls', 'bytes', 'dead ends', 'guesses', ''], ...rows];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  const guesses = attempts.flatMap(({ task, through, guesses: own }) =>
    own.map((guess) => `${task} (${through}) guessed ${guess}`),
  );
  const solved = attempts.filter(({ faults }) => faults.length === 0).length;
  return [
    ...all.map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    ...guesses,
    `${solved} passed, ${attempts.length - solved} failed`,
  ].join('\n');
}
