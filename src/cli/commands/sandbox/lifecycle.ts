/** `sandbox stop`, `status` and `reset`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { confirmed } from '../../guards.ts';
import type { Column } from '../../output/result.ts';
import type { Outcome, Verb } from '../../verb.ts';
import { ask, DATA_FLAG, dataFolder, type Found, whereabouts } from './connection.ts';
import { resultOf } from './control-verb.ts';
import { explainStart } from './start-errors.ts';

const NOTHING: Outcome = { result: { kind: 'nothing' } };
/** Milliseconds. It finishes what is in flight first. */
const STOP_WITHIN = 20_000;

export const stop: Verb = {
  name: 'stop',
  summary: 'Stop the sandbox',
  example: 'sandbox stop',
  flags: [DATA_FLAG],
  run: async (session, input) => {
    const { clock, signal } = session.context;
    const folder = await dataFolder(session, input);
    const found = whereabouts(folder);
    if (!found || !isAlive(found.pid)) {
      await session.note(`No sandbox is running on ${folder}.`);
      return NOTHING;
    }
    // The number may be another process's by now: only what answers to the token is ours.
    if (!(await isOurs(found, signal)))
      throw new CliError('sandbox', `process ${found.pid} doesn't answer as the sandbox of ${folder}`, {
        exit: EXIT.failed,
        hint: `if it is one that hangs: kill ${found.pid}`,
      });
    process.kill(found.pid, 'SIGTERM');
    const until = clock.now() + STOP_WITHIN;
    while (whereabouts(folder)?.pid === found.pid && isAlive(found.pid)) {
      if (clock.now() > until)
        throw new CliError('sandbox', `process ${found.pid} is still stopping`, { exit: EXIT.failed });
      await clock.sleep(20, signal);
    }
    await session.note(`Stopped the sandbox on ${folder}.`);
    return NOTHING;
  },
};

async function isOurs(found: Found, signal: AbortSignal): Promise<boolean> {
  const answer = await ask(found, 'status', {}, signal);
  return answer !== undefined && Object(answer.data).pid === found.pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const columns: readonly Column[] = [
  { name: 'running', kind: 'bool' },
  { name: 'baseUrl' },
  { name: 'pid' },
  { name: 'dataDir' },
  { name: 'clock' },
  { name: 'time', kind: 'timestamp' },
];

export const status: Verb = {
  name: 'status',
  summary: 'Show whether a sandbox is running, and what it holds',
  example: 'sandbox status',
  flags: [DATA_FLAG],
  run: async (session, input) => {
    const folder = await dataFolder(session, input);
    const found = whereabouts(folder);
    const answer = found && (await ask(found, 'status', {}, session.context.signal));
    const shown = answer ?? { data: { running: false, dataDir: folder }, zone: 'UTC' };
    return { result: resultOf(shown, { columns }, (await session.format()) === 'table') };
  },
};

export const reset: Verb = {
  name: 'reset',
  summary: "Remove the sandbox's data; the next start makes new",
  example: 'sandbox reset --yes',
  flags: [DATA_FLAG],
  run: async (session, input) => {
    const folder = await dataFolder(session, input);
    if (!existsSync(join(folder, 'sandbox.db'))) {
      await session.note(`There is no sandbox in ${folder}.`);
      return NOTHING;
    }
    await confirmed(session, `remove all data of the sandbox in ${folder}`);
    if (session.globals.dryRun) return NOTHING;
    try {
      const { dataDirAt, removeData, takeDataDir } = await import('../../../sandbox/data-dir.ts');
      const dir = dataDirAt(folder);
      const hold = takeDataDir(dir);
      try {
        removeData(dir);
      } finally {
        hold.release();
      }
    } catch (error) {
      throw explainStart(error, folder);
    }
    await session.note(`Removed the data in ${folder}.`);
    return NOTHING;
  },
};
